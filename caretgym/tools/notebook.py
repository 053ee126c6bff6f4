"""Jupyter notebooks: cells as text for Read, and changes to one cell that leave the rest of the file alone (NB-1)."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from caretgym.tools.json_splice import Span, items, members, skip_space, value_span

# VS Code's own ids for the languages that the tool names differently.
_LANGUAGE_IDS = {"shell": "shellscript"}
_KERNELS = {"python": {"display_name": "Python 3", "language": "python", "name": "python3"}}


class NotebookError(ValueError):
    """The text is no notebook that can be edited, or there is no such cell."""


@dataclass(frozen=True)
class Splice:
    """Replace ``text[start:end]`` of the file by ``text``."""

    start: int
    end: int
    text: str


class Notebook:
    """A notebook's text with the places of its cells (nbformat 4).

    Raises NotebookError for anything else.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            value = json.loads(text)
            if not isinstance(value, dict) or not isinstance(value.get("cells"), list):
                raise NotebookError("it has no list of cells (nbformat 4 is needed)")
            self.value: dict[str, Any] = value
            root = value_span(text, skip_space(text, 0))
            self.cells_span = members(text, root)["cells"]
            self.cell_spans = items(text, self.cells_span)
        except NotebookError:
            raise
        except (ValueError, RecursionError) as error:
            raise NotebookError(f"it is not valid JSON: {error}") from error
        self.cells: list[dict[str, Any]] = value["cells"]
        for index, cell in enumerate(self.cells):
            if not isinstance(cell, dict) or not _is_source(cell.get("source")):
                raise NotebookError(f"cell {index} has no source text")

    @property
    def language(self) -> str:
        """The kernel's language, or empty."""
        metadata = self.value.get("metadata")
        for key, name in (("kernelspec", "language"), ("language_info", "name")):
            entry = metadata.get(key) if isinstance(metadata, dict) else None
            if isinstance(entry, dict) and isinstance(entry.get(name), str):
                return str(entry[name])
        return ""

    def cell(self, index: int) -> dict[str, Any]:
        """Return the cell, or raise NotebookError."""
        if not 0 <= index < len(self.cells):
            raise NotebookError(f"there is no cell {index}; the notebook has {len(self.cells)} cell(s)")
        return self.cells[index]

    def source(self, index: int) -> str:
        """Return a cell's source as one text."""
        return joined(self.cell(index)["source"])

    def replace_source(self, index: int, source: str) -> Splice:
        """Give the change that sets a cell's source, in the form (list or string) and layout it has now."""
        span = members(self.text, self.cell_spans[index])["source"]
        if isinstance(self.cell(index)["source"], str):
            return Splice(*span, json.dumps(source, ensure_ascii=self._ascii()))
        return Splice(*span, self._source_list(span, source))

    def insert_cell(self, index: int, source: str, language: str) -> Splice:
        """Give the change that puts a new cell before cell ``index``, or after the last one."""
        if not 0 <= index <= len(self.cells):
            raise NotebookError(f"a new cell can have index 0 to {len(self.cells)}, not {index}")
        spans = self.cell_spans
        if not spans:
            unit, indent = self._unit(), self._indent_at(self.cells_span.start)
            inner = self._dump(self._new_cell(index, source, language), indent + (unit or ""), pretty=unit is not None)
            around = ("", "") if unit is None else (f"{self._eol()}{indent}{unit}", f"{self._eol()}{indent}")
            return Splice(*self.cells_span, f"[{around[0]}{inner}{around[1]}]")
        at = spans[min(index, len(spans) - 1)]
        before_first = self.text[self.cells_span.start + 1 : spans[0].start]
        pretty = "\n" in before_first
        indent = self._indent_at(at.start) if pretty else ""
        inner = self._dump(self._new_cell(index, source, language), indent, pretty=pretty)
        gap = f",{self._eol()}{indent}" if pretty else self._separators()[0]
        return Splice(at.start, at.start, inner + gap) if index < len(spans) else Splice(at.end, at.end, gap + inner)

    def _new_cell(self, index: int, source: str, language: str) -> dict[str, Any]:
        taken = {cell.get("id") for cell in self.cells}
        with_id = (
            (self.value.get("nbformat"), self.value.get("nbformat_minor")) >= (4, 5) if self._has_format() else False
        )
        return new_cell(source, language, self.language, cell_id(taken, index, source) if with_id else None)

    def _has_format(self) -> bool:
        return all(isinstance(self.value.get(key), int) for key in ("nbformat", "nbformat_minor"))

    def _source_list(self, span: Span, source: str) -> str:
        old = items(self.text, span)
        raw = {json.loads(self.text[s.start : s.end]): self.text[s.start : s.end] for s in old}
        ascii_only = self._ascii()
        # A line that was there keeps its own spelling, escapes included.
        new = [raw.get(line) or json.dumps(line, ensure_ascii=ascii_only) for line in source_lines(source)]
        if not new:
            return "[]"
        opening = self.text[span.start + 1 : old[0].start] if old else ""
        closing = self.text[old[-1].end : span.end - 1] if old else ""
        if not old and (unit := self._unit()) is not None:
            indent = self._eol() + self._indent_at(span.start)
            opening, closing = indent + unit, indent
        gap = "," + opening if "\n" in opening else self._separators()[0]
        return f"[{opening}{gap.join(new)}{closing}]"

    def _dump(self, value: Any, indent: str, *, pretty: bool) -> str:
        separators = self._separators()
        if not pretty:
            return json.dumps(value, ensure_ascii=self._ascii(), separators=separators)
        text = json.dumps(
            value, ensure_ascii=self._ascii(), indent=self._unit() or " ", separators=(",", separators[1])
        )
        return text.replace("\n", self._eol() + indent)

    def _unit(self) -> str | None:
        """Return what one level is indented by; None for a file on one line."""
        match = re.match(r"\s*\{[ \t]*\r?\n([ \t]*)", self.text)
        return match[1] if match else None

    def _indent_at(self, index: int) -> str:
        line = self.text[self.text.rfind("\n", 0, index) + 1 : index]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _eol(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _separators(self) -> tuple[str, str]:
        tight = re.match(r'\s*\{\s*"[^"]*":\S', self.text) is not None
        return (",", ":") if tight else (", ", ": ")

    def _ascii(self) -> bool:
        """Tell whether the file's writer escapes what isn't ASCII; nbformat itself doesn't."""
        return self.text.isascii() and re.search(r"\\u(?!00[01])[0-9a-fA-F]{4}", self.text) is not None


def _is_source(source: object) -> bool:
    return isinstance(source, str) or (isinstance(source, list) and all(isinstance(line, str) for line in source))


def joined(text: Any) -> str:
    """Return nbformat's multi-line text (a string or a list of strings) as one string."""
    if isinstance(text, list):
        return "".join(part for part in text if isinstance(part, str))
    return text if isinstance(text, str) else ""


def source_lines(source: str) -> list[str]:
    """Split as nbformat does: each line keeps its line feed, no empty last line."""
    return [line for line in re.split(r"(?<=\n)", source) if line]


def cell_id(taken: set[Any], index: int, source: str) -> str:
    """Make a cell id (nbformat 4.5) that depends on nothing but the notebook and the call."""
    attempt = 0
    while True:
        name = hashlib.sha256(f"{attempt}\0{index}\0{source}".encode()).hexdigest()[:8]
        if name not in taken:
            return name
        attempt += 1


def new_cell(source: str, language: str, kernel_language: str, identifier: str | None) -> dict[str, Any]:
    """Make a cell with its keys in nbformat's order (sorted)."""
    kind = language if language in ("markdown", "raw") else "code"
    metadata: dict[str, Any] = {}
    if kind == "code" and language != "other" and kernel_language and language != kernel_language.lower():
        metadata = {"vscode": {"languageId": _LANGUAGE_IDS.get(language, language)}}
    cell: dict[str, Any] = {"cell_type": kind, "metadata": metadata, "source": source_lines(source)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    if identifier is not None:
        cell["id"] = identifier
    return dict(sorted(cell.items()))


def new_notebook(source: str, language: str) -> str:
    """Make the text of a notebook with one cell (nbformat 4.5), laid out as nbformat writes it."""
    metadata: dict[str, Any] = {}
    if language not in ("markdown", "raw", "other"):
        metadata["language_info"] = {"name": language}
    if language in _KERNELS:
        metadata = {"kernelspec": _KERNELS[language], **metadata}
    cell = new_cell(source, language, language, cell_id(set(), 0, source))
    value = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
