"""Which language features a session has: live servers of the pool, a record's, or none."""

from pathlib import Path

from caretgym.env.prepare import Prepared
from caretgym.env.task import Task
from caretgym.ide_sim.ide import LanguageFactory, no_servers
from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.reader import Journal
from caretgym.ide_sim.lsp.recorded import RecordedLanguage
from caretgym.ide_sim.lsp.records import LintReport
from caretgym.ide_sim.lsp.service import Language, LanguageObserver, LanguageService, installed_versions
from caretgym.ide_sim.lsp.view import ViewKeeper
from caretgym.ide_sim.workspace import Workspace
from caretgym.tools import Profile, get_profile

POOL, NONE = "pool", "none"
LANGUAGE_FLAGS = ("lints", "lsp", "edit-lints")
"""What a profile offers only where there are language servers (GEN-2)."""


def check_servers(servers: str | Path) -> str | Path:
    """``pool``, ``none``, or the path of an existing journal. ValueError: something else."""
    if isinstance(servers, str) and servers in (POOL, NONE):
        return servers
    path = Path(servers)
    if not path.is_file():
        raise ValueError(f"servers is {str(servers)!r}; it is 'pool', 'none', or the path of a session's journal")
    return path


def offered(profile: Profile, servers: str | Path) -> Profile:
    """The profile without language tools where there are no servers."""
    if servers != NONE:
        return profile
    return get_profile(profile.base, flags=profile.flags.difference(LANGUAGE_FLAGS))


class Languages:
    """What a session needs to make its language features.

    Attributes:
        factory: For :class:`IDE`.
        versions: Server -> version.

    """

    def __init__(self, factory: LanguageFactory, versions: dict[str, str]) -> None:
        self.factory, self.versions = factory, versions


def languages(
    task: Task, prepared: Prepared, servers: str | Path, observer: LanguageObserver | None, site_packages: Path | None
) -> Languages:
    """Choose.

    Raises:
        ServerError: the task asks for a server or a version that is not there.
        JournalFormatError: ``servers`` names a file that is no journal.

    """
    if servers == NONE:
        return Languages(no_servers, {})
    config = task.file.lsp
    if servers == POOL:

        def live(workspace: Workspace) -> Language:
            return LanguageService(
                workspace, prepared.tree, prepared.key, config, site_packages=site_packages, observer=observer
            )

        return Languages(live, installed_versions(config))
    reports: list[LintReport] = []
    answers = []
    versions: dict[str, str] = {}
    with Journal(servers) as journal:
        for stored in journal.events(types=(ev.SessionStarted, ev.LintsReported, ev.LanguageAnswered)):
            match stored.event:
                case ev.SessionStarted(versions=found, base_tree=tree):
                    versions = {k.removeprefix("lsp:"): v for k, v in found.items() if k.startswith("lsp:")}
                    if tree != prepared.key:
                        raise ValueError(
                            f"{servers} was recorded on another tree than this task's; its lints don't apply"
                        )
                case ev.LintsReported(report=report):
                    reports.append(report)
                case ev.LanguageAnswered(question=question, answer=answer):
                    answers.append((question, answer))

    def recorded(workspace: Workspace) -> Language:
        keeper = ViewKeeper(workspace, prepared.tree)
        return RecordedLanguage(workspace, keeper, config, versions, reports, answers, observer)

    return Languages(recorded, versions)
