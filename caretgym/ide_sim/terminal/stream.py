"""One pass over the bytes of a pseudo-terminal: text without escape sequences, and the shell-integration marks in it.

The parser follows ECMA-48 and xterm's control sequences: CSI, OSC, DCS, SOS, PM, APC, two-byte and charset escapes. It
never waits for the end of a sequence for ever: one longer than ``MAX_SEQUENCE`` is given up as text of no meaning.
"""

import codecs
import re
from dataclasses import dataclass

MAX_SEQUENCE = 1 << 16
"""Bytes of an unterminated sequence that are held back at most."""

_ESCAPE = re.compile(
    rb"\x1b(?:"
    rb"\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]"  # CSI
    rb"|\](?P<osc>[^\x07\x1b\x18\x1a]*)(?:\x07|\x1b\\|\x18|\x1a)"  # OSC; CAN and SUB abort it
    rb"|[PX^_][^\x1b\x18\x1a]*(?:\x1b\\|\x18|\x1a)"  # DCS, SOS, PM, APC
    rb"|[\x20-\x2f]+[\x30-\x7e]"  # charset and the like
    rb"|[\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x7e]"  # two bytes
    rb")"
)
_PARTIAL = re.compile(
    rb"\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*|\][^\x07\x1b\x18\x1a]*\x1b?|[PX^_][^\x1b\x18\x1a]*\x1b?|[\x20-\x2f]*)\Z"
)
_ALTERNATE = re.compile(rb"\x1b\[\?(?:1049|1047|47)([hl])\Z")


@dataclass(frozen=True)
class Mark:
    """An OSC 633 or 133 mark: ``kind`` is A, B, C, D, E or P; ``authentic`` if it carried the nonce."""

    kind: str
    arguments: tuple[str, ...]
    authentic: bool


class StreamParser:
    """Incremental parser of one shell's output.

    Args:
        nonce: What an authentic mark ends with. No program inside knows it.

    """

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._held = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.full_screen = False

    def feed(self, data: bytes) -> list[str | Mark]:
        """Return the text and marks in order. Bytes of an unfinished sequence or character are held back."""
        data = self._held + data if self._held else data
        self._held = b""
        if b"\x1b" not in data:
            text = self._decoder.decode(data)
            return [text] if text else []
        out: list[str | Mark] = []
        at = 0
        while True:
            start = data.find(b"\x1b", at)
            if start < 0:
                self._text(out, data[at:])
                return out
            self._text(out, data[at:start])
            match = _ESCAPE.match(data, start)
            if match is not None:
                self._sequence(out, match)
                at = match.end()
            elif len(data) - start <= MAX_SEQUENCE and _PARTIAL.match(data, start):
                self._held = data[start:]
                return out
            else:
                at = start + 1  # not a sequence, or one without end: drop the escape, keep what follows

    def finish(self) -> str:
        """The text of a character that never became whole (as U+FFFD); a held sequence is dropped."""
        self._held = b""
        text = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return text

    def _text(self, out: list[str | Mark], data: bytes) -> None:
        if data:
            text = self._decoder.decode(data)
            if text:
                out.append(text)

    def _sequence(self, out: list[str | Mark], match: re.Match[bytes]) -> None:
        payload = match["osc"]
        if payload is None:
            switch = _ALTERNATE.match(match[0])
            if switch is not None:
                self.full_screen = switch[1] == b"h"
            return
        number, _, rest = payload.partition(b";")
        if number not in (b"633", b"133"):
            return
        parts = rest.decode("utf-8", "replace").split(";")
        authentic = number == b"633" and len(parts) > 1 and parts[-1] == self._nonce
        if authentic:
            tail = self._decoder.decode(b"", final=True)  # a half character before a mark will not be completed
            self._decoder.reset()
            if tail:
                out.append(tail)
        out.append(Mark(parts[0][:1], tuple(parts[1:-1] if authentic else parts[1:]), authentic))
