"""Find values inside a JSON text, so that one of them can be replaced without touching any other character."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Span(NamedTuple):
    """Where a value is: ``text[start:end]``, in code points."""

    start: int
    end: int


def skip_space(text: str, index: int) -> int:
    """Return the index of the next character that isn't JSON white space."""
    match = _SPACE.match(text, index)
    assert match is not None
    return match.end()


def members(text: str, span: Span) -> dict[str, Span]:
    """Return the spans of an object's values by key; of equal keys the last, which is the one that parsers take.

    ValueError: there is no valid object at the span.
    """
    found: dict[str, Span] = {}
    for index in _elements(text, span, "{", "}"):
        key, after = _DECODER.raw_decode(text, index)
        colon = skip_space(text, after)
        if not isinstance(key, str) or text[colon : colon + 1] != ":":
            raise ValueError(f"no object member at character {index}")
        found[key] = value_span(text, skip_space(text, colon + 1))
    return found


def items(text: str, span: Span) -> list[Span]:
    """Return the spans of an array's items. ValueError: there is no valid array at the span."""
    return [value_span(text, index) for index in _elements(text, span, "[", "]")]


def value_span(text: str, index: int) -> Span:
    """Return the span of the value that starts at ``index``."""
    return Span(index, _DECODER.raw_decode(text, index)[1])


def load(text: str, span: Span) -> Any:
    """Return the value at the span."""
    return _DECODER.raw_decode(text, span.start)[0]


def _elements(text: str, span: Span, opening: str, closing: str) -> Iterator[int]:
    """Yield where each element starts. Elements are skipped whole, so the caller may read them as it likes."""
    if text[span.start : span.start + 1] != opening:
        raise ValueError(f"expected {opening} at character {span.start}")
    index = skip_space(text, span.start + 1)
    while text[index : index + 1] != closing:
        yield index
        _, index = _DECODER.raw_decode(text, index)
        index = skip_space(text, index)
        if opening == "{":  # that was the key; the caller has checked the colon
            _, index = _DECODER.raw_decode(text, skip_space(text, index + 1))
            index = skip_space(text, index)
        if text[index : index + 1] == ",":
            index = skip_space(text, index + 1)
