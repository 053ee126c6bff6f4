"""What a language server said of a file, as a record that carries its own certificate."""

from typing import Any, Literal

import msgspec

LintState = Literal["fresh", "unversioned", "timed_out", "unsupported", "restarted", "crashed"]
"""Where the items come from, or why there are none.

- ``fresh``: the server's answer for exactly this text.
- ``unversioned``: the server does not say for which text; it came after our change and a quiet time.
- ``restarted``: fresh, from a server that had to be started again for it.
- ``timed_out``: no answer within the deadline. Nothing is known.
- ``unsupported``: no server here answers for such a file.
- ``crashed``: the server died of it, twice. Nothing is known.
"""
ANSWERED: frozenset[str] = frozenset({"fresh", "unversioned", "restarted"})
SEVERITIES = ("error", "warning", "information", "hint")
"""By LSP's numbers, from 1."""


class Lint(msgspec.Struct, frozen=True, order=True):
    """One diagnostic. Lines and characters from 0, characters in UTF-16 units of the text that was checked.

    ``repaired``: the server gave a range that the text does not have; it was put inside.
    """

    line: int
    character: int
    end_line: int
    end_character: int
    severity: int
    message: str
    source: str = ""
    code: str = ""
    repaired: bool = False


class LintReport(msgspec.Struct, frozen=True):
    """What one server said of one file.

    Attributes:
        path: Relative to the workspace.
        server: Its name.
        state: See :data:`LintState`.
        items: By place; empty where nothing is known.
        content_hash: SHA-256 of the text as UTF-8; empty if there was none to check.
        tree: The view's fingerprint where other files matter to the server; empty: the base tree, or they don't.
        version: The document's version that the server answered for; None: from the cache, or it has none.
        serial: The recorded message that it came from; 0: none.
        cached: Whether an earlier answer for the same text in the same tree was used.
        detail: Why, where there is no answer.

    """

    path: str
    server: str
    state: LintState
    items: tuple[Lint, ...] = ()
    content_hash: str = ""
    tree: str = ""
    version: int | None = None
    serial: int = 0
    cached: bool = False
    detail: str = ""

    @property
    def answered(self) -> bool:
        """Whether ``items`` is an answer; if not, nothing is known."""
        return self.state in ANSWERED


class Traffic(msgspec.Struct, frozen=True):
    """One message between us and a server. ``direction``: sent, received, or cached (an earlier answer, used again)."""

    server: str
    direction: str
    body: bytes


def lint_of(item: dict[str, Any], place: tuple[int, int, int, int], repaired: bool) -> Lint:
    """A ``Diagnostic`` of the protocol at an already checked place."""
    severity = item.get("severity")
    code = item.get("code")
    if isinstance(code, dict):  # some servers put an object there
        code = code.get("value", "")
    message = item.get("message")
    if isinstance(message, dict):  # MarkupContent (LSP 3.18)
        message = message.get("value", "")
    return Lint(
        *place,
        severity=severity if isinstance(severity, int) and 1 <= severity <= 4 else 1,
        message=str(message or ""),
        source=str(item.get("source") or ""),
        code="" if code is None else str(code),
        repaired=repaired,
    )
