"""``RecordedLanguage``: a session's language features answered from a record, without any server."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from caretgym.ide_sim.lsp.client import LanguageClient, text_hash
from caretgym.ide_sim.lsp.records import LintReport
from caretgym.ide_sim.lsp.service import (
    LanguageConfig,
    LanguageObserver,
    NoAnswer,
    SilentObserver,
    choose_specs,
    readable_text,
)
from caretgym.ide_sim.lsp.spec import ServerSpec
from caretgym.ide_sim.lsp.view import ViewKeeper
from caretgym.ide_sim.workspace import Workspace

MISSING = "not in the recording: the session that was recorded did not ask this of this text"


class RecordedLanguage:
    """See :class:`~caretgym.ide_sim.lsp.service.Language`.

    Args:
        workspace: The session's.
        keeper: What differs from the base tree: an answer is that of an equal tree.
        config: Of the recorded session.
        versions: The servers that had answered, by name.
        reports: All reports of the record, in its order.
        answers: All other answers, as (question, answer).
        observer: Is told of what is answered.

    """

    def __init__(
        self,
        workspace: Workspace,
        keeper: ViewKeeper,
        config: LanguageConfig,
        versions: Mapping[str, str],
        reports: Iterable[LintReport],
        answers: Iterable[tuple[dict[str, Any], Any]],
        observer: LanguageObserver | None = None,
    ) -> None:
        self._workspace, self._keeper = workspace, keeper
        self._observer: LanguageObserver = observer or SilentObserver()
        self._specs = choose_specs(config)
        self.servers = dict(versions)
        self._reports: dict[tuple[str, str, str, str], LintReport] = {}
        for report in reports:
            key = (report.path, report.server, report.content_hash, report.tree)
            if key not in self._reports or report.answered:
                self._reports[key] = report
        self._answers = {msgspec.json.encode(q, order="sorted"): answer for q, answer in answers}
        self._before_asking: Callable[[], Any] = lambda: None

    def before_asking(self, action: Callable[[], Any]) -> None:
        """See :class:`Language`."""
        self._before_asking = action

    def specs_for(self, path: str) -> list[ServerSpec]:
        """See :class:`Language`."""
        return [spec for spec in self._specs if spec.language_of(path) is not None]

    def files_below(self, path: str = "") -> list[str]:
        """See :class:`Language`."""
        return [e.path for e in self._workspace.walk(path) if e.kind == "file" and self.specs_for(e.path)]

    def text_of(self, path: str) -> str | None:
        """See :class:`Language`."""
        return readable_text(self._workspace, path)

    async def lints(self, paths: Sequence[str]) -> list[LintReport]:
        """The recorded reports; ``unsupported`` for what was not asked then."""
        self._before_asking()
        fingerprint = self._keeper.view().fingerprint
        out = []
        for path in dict.fromkeys(paths):
            text = self.text_of(path)
            digest = "" if text is None else text_hash(text)
            specs = self.specs_for(path)
            if not specs or text is None:
                detail = (
                    "it is not a text file, or can't be read" if specs else "no language server here is for such a file"
                )
                out.append(LintReport(path=path, server="", state="unsupported", detail=detail))
                continue
            for spec in specs:
                tree = fingerprint if spec.scope == "project" else ""
                known = self._reports.get((path, spec.name, digest, tree))
                if known is None:  # a server that was missing then left reports without a tree
                    known = self._reports.get((path, spec.name, "", ""))
                if known is None:
                    known = LintReport(
                        path=path, server=spec.name, state="unsupported", content_hash=digest, tree=tree, detail=MISSING
                    )
                out.append(msgspec.structs.replace(known, serial=0))
        out.sort(key=lambda r: (r.path, r.server))
        for report in out:
            self._observer.linted(report)
        return out

    async def ask(
        self,
        path: str,
        question: dict[str, Any],
        work: Callable[[LanguageClient], Awaitable[Any]],
        able: Callable[[Mapping[str, Any]], bool],
    ) -> Any:
        """The recorded answer. NoAnswer: there was none, or it was not asked."""
        self._before_asking()
        text = self.text_of(path)
        if text is None:
            raise NoAnswer("unsupported", f"{path} is not a text file, or can't be read")
        tree = self._keeper.view().fingerprint
        question = {**question, "path": path, "content_hash": text_hash(text), "tree": tree}
        key = msgspec.json.encode(question, order="sorted")
        if key not in self._answers:
            raise NoAnswer("unsupported", MISSING)
        answer = self._answers[key]
        self._observer.answered(question, answer)
        if isinstance(answer, dict) and set(answer) == {"state", "detail"}:
            raise NoAnswer(answer["state"], answer["detail"])
        return answer

    async def close(self) -> None:
        """See :class:`Language`."""
        self._keeper.close()
