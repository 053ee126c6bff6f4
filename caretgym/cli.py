"""The ``caretgym`` command.

Exit codes: 0 done; 1 something was not solved, not proven or missing; 2 wrong use; 3 the machine failed; 130 Ctrl-C.
"""

import asyncio
import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from caretgym._version import __version__
from caretgym.cli_servers import lint, servers_app
from caretgym.env.account import observation_text, turn_text, visible
from caretgym.env.catalog import find_tasks
from caretgym.env.session import StepResult, new_journal_path
from caretgym.env.task import Task, TaskError
from caretgym.env.turn import Turn
from caretgym.ide_sim.errors import InfrastructureError
from caretgym.ide_sim.journal import Journal, JournalFormatError
from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.export import chat_messages
from caretgym.policy import PolicyError, make_policy
from caretgym.policy.prove import prove
from caretgym.policy.rollout import Rollout, Watcher, rollout

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Sessions of coding agents inside an emulated AI editor."
)
tasks_app = typer.Typer(no_args_is_help=True, help="List, prove and build tasks.")
app.add_typer(tasks_app, name="tasks")
app.add_typer(servers_app, name="servers")
app.command()(lint)
console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def _version(show: bool) -> None:
    if show:
        console.print(Text(f"caretgym {__version__}"))
        raise typer.Exit


@app.callback()
def _main(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False) -> None:
    """Sessions of coding agents inside an emulated AI editor."""


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False) + "\n")


# -- run --------------------------------------------------------------------------------------------------------------
@app.command()
def run(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Embedded ids, task folders or task sets; none: all embedded.")
    ] = None,
    policy: Annotated[str, typer.Option(help="noop, random[:TURNS], oracle, replay:FILE, api:MODEL@URL")] = "oracle",
    profile: Annotated[
        str, typer.Option(help="cursor-2026 or cursor-2.0, with flags: cursor-2026+lsp")
    ] = "cursor-2026",
    seed: Annotated[int, typer.Option(help="Of the episodes.")] = 0,
    servers: Annotated[
        str, typer.Option(help="Language servers: pool, none, or a journal to take answers from.")
    ] = "pool",
    reward: Annotated[
        list[str] | None, typer.Option(help="A term's weight, NAME=NUMBER; may be repeated. Default: verifier=1.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the records; default: runs/<time>.")] = None,
    show: Annotated[bool, typer.Option(help="Print an account of each session.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Run sessions; each is recorded. Exit code 1 if one was not solved."""
    chosen = find_tasks(tasks or [])
    folder = out or Path("runs") / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    results: list[Rollout] = []
    weights = _weights(reward)
    quiet = as_json or show
    with _progress(quiet) as progress:
        bar = progress.add_task("sessions", total=len(chosen), detail="")
        try:
            for task in chosen:
                progress.update(bar, detail=task.id)
                watch = _show if show else None
                results.append(asyncio.run(_one(task, policy, profile, seed, folder, watch, servers, weights)))
                if show:
                    _account(task, results[-1])
                progress.advance(bar)
        finally:
            progress.stop()
            if as_json:
                for result in results:
                    _print_json(result)
            elif results:
                _table(results)
                console.print(Text(f"records: {folder}"))
    if any(r.outcome == "infra_error" for r in results):
        raise typer.Exit(3)
    if any(r.outcome != "solved" for r in results):
        raise typer.Exit(1)


def _weights(given: list[str] | None) -> dict[str, float] | None:
    weights = {}
    for text in given or ():
        name, _, number = text.partition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            raise ValueError(f"--reward {text}: it must be NAME=NUMBER, such as lint_errors=-0.1") from None
    return weights or None


async def _one(
    task: Task,
    policy: str,
    profile: str,
    seed: int,
    folder: Path,
    watch: Watcher | None,
    servers: str,
    weights: dict[str, float] | None,
) -> Rollout:
    acting = make_policy(policy)
    try:
        return await rollout(
            task,
            acting,
            profile=profile,
            seed=seed,
            journal_path=new_journal_path(folder, task),
            watch=watch,
            servers=servers,
            reward=weights,
        )
    finally:
        await acting.close()


def _progress(quiet: bool) -> Progress:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(
        *columns, TextColumn("{task.fields[detail]}", markup=False), console=errors, disable=quiet, transient=True
    )


def _show(turn: Turn | None, result: StepResult) -> None:
    if turn is not None:
        console.print(Text(turn_text(turn), style="bold cyan"))
    console.print(Text(observation_text(result.observation.to_dict(), 14)))


def _account(task: Task, result: Rollout) -> None:
    """What came out: the diff, the tests, the reward."""
    if result.journal is not None:
        for path, diff in changes_of(result.journal):
            console.print(Text(f"--- changed: {visible(path)}", style="bold"))
            for line in diff.splitlines():
                style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
                console.print(Text(visible(line), style=style))
    verdict = result.verdict
    if verdict is not None:
        total = len(verdict.passed) + len(verdict.failed) + len(verdict.skipped)
        tests = (
            f"hidden tests: {len(verdict.passed)} of {total} passed"
            if total
            else f"hidden check: exit code {verdict.exit_code}"
        )
        console.print(Text(f"{tests}{': ' + verdict.reason if verdict.reason else ''}", style="bold"))
    if result.error:
        console.print(Text(f"the policy stopped: {visible(result.error)}", style="bold red"))
    style = "bold green" if result.outcome == "solved" else "bold red"
    console.print(Text(f"{task.id}: {result.outcome}, reward {result.reward:g}", style=style))


def changes_of(path: Path) -> list[tuple[str, str]]:
    """Net changes of a session as unified diffs, by path."""
    from caretgym.tools.diff import unified

    first: dict[str, bytes | None] = {}
    last: dict[str, bytes | None] = {}
    with Journal(path) as journal:
        for stored in journal.events(types=(ev.FileChanged,)):
            event = stored.event
            assert isinstance(event, ev.FileChanged)
            before = None if event.before is None else journal.blob(event.before)
            first.setdefault(event.path, None if event.kind == "created" else before)
            last[event.path] = None if event.after is None else journal.blob(event.after)
    out = []
    for name in sorted(last):
        old, new = (None if b is None else b.decode("utf-8", "replace") for b in (first[name], last[name]))
        diff = unified(old, new, name)
        if diff.text:
            out.append((name, diff.text))
    return out


def _table(results: Iterable[Rollout]) -> None:
    table = Table("task", "outcome", "reward", "turns", "tokens", "invalid calls")
    for r in results:
        style = "green" if r.outcome == "solved" else "red"
        cells = (r.task_id, r.outcome, f"{r.reward:g}", str(r.steps), str(r.tokens), str(r.invalid_calls))
        table.add_row(*(Text(visible(c)) for c in cells), style=style)
    console.print(table)
    for r in results:
        if r.error:
            errors.print(Text(f"{r.task_id}: the policy stopped: {visible(r.error)}"))


# -- tasks ------------------------------------------------------------------------------------------------------------
@tasks_app.command("list")
def tasks_list(
    tasks: Annotated[list[str] | None, typer.Argument(help="Task sets; none: the embedded one.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Name the tasks."""
    found = find_tasks(tasks or [])
    if as_json:
        _print_json([{"id": t.id, "title": t.file.title, "tags": t.file.tags, "path": str(t.folder)} for t in found])
        return
    table = Table("id", "title", "tags")
    for t in found:
        table.add_row(*(Text(visible(c)) for c in (t.id, t.file.title, ", ".join(t.file.tags))))
    console.print(table)


@tasks_app.command("check")
def tasks_check(
    tasks: Annotated[list[str] | None, typer.Argument(help="Ids, folders or task sets; none: all embedded.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Prove tasks: no-op scores 0, the reference solution 1, twice. Exit code 1 if one is not proven."""
    found = find_tasks(tasks or [])
    proofs = []
    with _progress(as_json) as progress:
        bar = progress.add_task("proving", total=len(found), detail="")
        for task in found:

            def tell(what: str, name: str = task.id) -> None:
                progress.update(bar, detail=f"{name}: {what}")

            proofs.append(asyncio.run(prove(task, tell)))
            progress.advance(bar)
    if as_json:
        _print_json(proofs)
    else:
        for proof in proofs:
            console.print(Text(f"{'proven' if proof.proven else 'NOT PROVEN'}  {proof.task_id}"))
            for problem in proof.problems:
                console.print(Text(f"    {visible(problem)}", style="red"))
    if not all(proof.proven for proof in proofs):
        raise typer.Exit(1)


@tasks_app.command("build")
def tasks_build(
    sdist: Annotated[str, typer.Option(help="A package's name (NAME or NAME==VERSION), or an sdist's path.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the new task set; default: tasks-NAME.")] = None,
    count: Annotated[int, typer.Option(help="How many tasks.")] = 10,
    seed: Annotated[int, typer.Option(help="Of the choice of faults.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Make debugging tasks of a real package: its own tests must catch the injected faults."""
    try:
        from caretgym.env.build import build_sdist
    except ModuleNotFoundError as error:
        raise TaskError(f"building tasks needs {error.name}: pip install 'caretgym[build]'") from error

    name = Path(sdist).name.split("==")[0].removesuffix(".tar.gz")
    folder = out or Path(f"tasks-{name}")
    with _progress(as_json) as progress:
        bar = progress.add_task("building", total=count, detail="")

        def tell(done: int, what: str) -> None:
            progress.update(bar, completed=done, detail=visible(what))

        report = asyncio.run(build_sdist(sdist, folder, count=count, seed=seed, progress=tell))
    if as_json:
        _print_json(report)
    else:
        console.print(Text(f"{len(report.tasks)} tasks of {report.package} {report.version} in {folder}"))
        console.print(Text(f"tried {report.tried} faults; {report.describe_rejected()}"))
    if len(report.tasks) < count:
        raise typer.Exit(1)


# -- doctor, export ---------------------------------------------------------------------------------------------------
@app.command()
def doctor(as_json: JsonFlag = False) -> None:
    """Say what this machine can do and what to install for the rest. Exit code 1 if something needed is missing."""
    from caretgym.doctor import examine

    findings = examine()
    if as_json:
        _print_json(findings)
    else:
        table = Table("", "state", "detail", "to do")
        for f in findings:
            style = {"ok": "green", "limited": "yellow"}.get(f.state, "red" if f.needed else "dim")
            table.add_row(*(Text(visible(c)) for c in (f.name, f.state, f.detail, f.remedy)), style=style)
        console.print(table)
    if any(f.needed and f.state == "missing" for f in findings):
        raise typer.Exit(1)


@app.command()
def export(
    journals: Annotated[list[Path], typer.Argument(help="Journals, or folders of them.")],
    out: Annotated[Path | None, typer.Option(help="File to write; default: standard output.")] = None,
) -> None:
    """Write sessions as JSON lines of chat messages: one session a line, with its task, outcome and reward."""
    lines = []
    for path in journals:
        for file in sorted(path.glob("*.journal")) if path.is_dir() else [path]:
            with Journal(file) as journal:
                summary = journal.summary()
                value = {
                    "session": summary.session_id, "task": summary.task_id, "profile": summary.profile,
                    "state": summary.state, "outcome": summary.outcome, "reward": summary.reward,
                    "messages": chat_messages(journal),
                }  # fmt: skip
                lines.append(json.dumps(value, ensure_ascii=False) + "\n")
    if out is None:
        sys.stdout.writelines(lines)
    else:
        out.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Run the command; known errors become one line and an exit code."""
    try:
        app(standalone_mode=True)
    except KeyboardInterrupt:
        errors.print(Text("interrupted"))
        sys.exit(130)
    except (TaskError, PolicyError, JournalFormatError, FileNotFoundError, FileExistsError, ValueError) as error:
        errors.print(Text(f"caretgym: {visible(str(error))}", style="red"))
        sys.exit(2)
    except InfrastructureError as error:
        errors.print(Text(f"caretgym: {visible(str(error))}", style="red"))
        sys.exit(3)
