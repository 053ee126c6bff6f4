"""File names as text: lexical rules of paths, and how a name is shown that is not plain text."""

import posixpath

NAME_MAX = 255
"""Bytes in one name (Linux)."""
PATH_MAX = 4095
"""Bytes in one path without its NUL (Linux)."""


def visible(text: str) -> str:
    r"""`text` on one line with nothing hidden: undecodable bytes as `\xNN`, control characters and line separators escaped.

    Plain names come back as they are. A name with such a character cannot be typed back in this form.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape: byte NN is U+DCNN
        return f"\\x{code - 0xDC00:02x}"
    if character == "\u00a0" or code in (0x200C, 0x200D):  # joiners and the no-break space belong to ordinary names
        return character
    return character.encode("unicode_escape").decode("ascii")


def shorten(text: str, limit: int = 240) -> str:
    """`text` cut in the middle to about `limit` characters, saying how many are left out."""
    if len(text) <= limit:
        return text
    keep = limit // 2
    return f"{text[:keep]}[... {len(text) - 2 * keep} characters ...]{text[-keep:]}"


def invalid_reason(path: str) -> str | None:
    """Why no file can have the path `path`, or None. Checks what the kernel would refuse, before it is asked."""
    if "\x00" in path:
        return "the path contains a NUL character"
    try:
        encoded = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "the path is not valid Unicode"
    if len(encoded) > PATH_MAX:
        return f"the path is longer than {PATH_MAX} bytes"
    if any(len(name) > NAME_MAX for name in encoded.split(b"/")):
        return f"a name in the path is longer than {NAME_MAX} bytes"
    return None


def absolute(root: str, path: str) -> str:
    """`path` as a normal absolute path, relative ones taken from `root`; `.`, `..` and doubled slashes are resolved
    as text, as editors do, without looking at symbolic links.
    """  # noqa: D205
    return "/" + posixpath.normpath(posixpath.join(root, path)).lstrip("/")


def below(root: str, path: str) -> str | None:
    """The normal absolute `path` relative to the normal absolute `root` ("" for the root itself), or None outside."""
    if path == root:
        return ""
    prefix = root if root == "/" else root + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None
