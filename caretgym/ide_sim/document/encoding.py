"""Which encoding a file has, and its bytes again, without loss for any input."""

import codecs
import enum
from collections.abc import Mapping

PROBE = 4096
"""Bytes that the test for binary files looks at (RD-5)."""
CONTROL_SHARE = 0.05
"""A file with this share of control characters among them is binary (RD-5)."""
_CONTROL = bytes(b for b in range(32) if b not in b"\t\n\r\f\x08\x1b") + b"\x7f"


class Encoding(enum.StrEnum):
    """Encodings that files are kept in. ``utf-8-sig`` and the UTF-16 forms have a byte order mark."""

    UTF8 = "utf-8"
    UTF8_BOM = "utf-8-sig"
    UTF16_LE = "utf-16-le"
    UTF16_BE = "utf-16-be"
    CP1252 = "cp1252"
    LATIN1 = "latin-1"


BOMS: Mapping[Encoding, bytes] = {
    Encoding.UTF8_BOM: codecs.BOM_UTF8,
    Encoding.UTF16_LE: codecs.BOM_UTF16_LE,
    Encoding.UTF16_BE: codecs.BOM_UTF16_BE,
}


class BinaryFileError(ValueError):
    """The bytes are not a text file's (RD-5)."""


class EncodingError(ValueError):
    """The text has characters that the file's encoding lacks."""


def is_binary(data: bytes) -> bool:
    """Whether a file is binary: NUL, or too many control characters, at its start (RD-5). UTF-16 with a mark is text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    probe = data[:PROBE]
    if b"\0" in probe:
        return True
    controls = len(probe) - len(probe.translate(None, _CONTROL))
    return controls > 0 and controls >= CONTROL_SHARE * len(probe)


def decode(data: bytes) -> tuple[str, Encoding]:
    """The text and the encoding that gives the same bytes back.

    Raises:
        BinaryFileError: it is not text.

    """
    if is_binary(data):
        raise BinaryFileError("the file is binary")
    for encoding, mark in BOMS.items():
        if data.startswith(mark):
            body = data[len(mark) :]
            name = "utf-8" if encoding is Encoding.UTF8_BOM else encoding.value
            try:
                text = body.decode(name)
            except UnicodeDecodeError:
                continue
            if text.encode(name, "surrogatepass") == body:
                return text, encoding
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" in data[:PROBE]:
        raise BinaryFileError("the file has a UTF-16 mark but is not valid UTF-16")
    try:
        return data.decode("utf-8"), Encoding.UTF8
    except UnicodeDecodeError:
        pass  # one of the one-byte encodings then
    try:
        return data.decode("cp1252"), Encoding.CP1252
    except UnicodeDecodeError:  # five bytes have no meaning in cp1252; latin-1 has all 256
        return data.decode("latin-1"), Encoding.LATIN1


def encode(text: str, encoding: Encoding) -> bytes:
    """The file's bytes.

    Raises:
        EncodingError: a character is not in the encoding; the message names it.

    """
    name = "utf-8" if encoding is Encoding.UTF8_BOM else encoding.value
    try:
        return BOMS.get(encoding, b"") + text.encode(name)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise EncodingError(
            f"the file is encoded in {encoding.value}, which can't hold U+{ord(character):04X} "
            f"(character {error.start + 1} of the text); use other characters or convert the file to UTF-8 first"
        ) from error
