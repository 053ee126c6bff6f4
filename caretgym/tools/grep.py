"""Grep: search file contents with ripgrep (GR-1…4)."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from caretgym.ide_sim.workspace import NotFound, visible
from caretgym.tools.base import CallContext, Data, ErrorClass, Failure, Tool, ToolOutcome, failed, success
from caretgym.tools.ripgrep import Found, SearchFailed, decode_path, ripgrep

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

Mode = Literal["content", "files_with_matches", "count"]
LINE_CHARS = 1000
_GROUP = re.compile(rb"--\r?\n")
_NUMBERED = re.compile(rb"(\d+)([:-])")
_COUNTED = re.compile(rb"([^\0]+)\0(\d+)\r?\n")


class GrepArgs(msgspec.Struct, frozen=True):
    """``before``, ``after``, ``around``: lines of context; ``offset``: entries to skip."""

    pattern: str
    path: str | None = None
    glob: str | None = None
    type: str | None = None
    output_mode: Mode = "content"
    before: int | None = None
    after: int | None = None
    around: int | None = None
    ignore_case: bool = False
    multiline: bool = False
    head_limit: int | None = None
    offset: int = 0


class MatchLine(msgspec.Struct, frozen=True):
    """One line; ``match`` is false for context."""

    number: int
    text: str
    match: bool


class FileMatches(msgspec.Struct, frozen=True):
    """The lines of one file; ``count`` of its matching lines; ``breaks``: indices of lines that begin a new group."""

    path: str
    count: int
    lines: tuple[MatchLine, ...] = ()
    breaks: tuple[int, ...] = ()


class GrepResult(Data, frozen=True):
    """What was found. ``total`` counts matching lines, or files in the other modes; ``capped``: there is more."""

    mode: Mode
    root: str
    files: tuple[FileMatches, ...]
    total: int
    capped: bool


class BadRegex(Failure, frozen=True):
    """ripgrep does not take the pattern, glob or type; ``reason`` is what it said."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    reason: str


class SearchError(Failure, frozen=True):
    """The search could not run."""

    error_class: ClassVar[ErrorClass] = "UnexpectedEnvironment"
    reason: str


class Grep(Tool[GrepArgs]):
    """Limit ``entries``: lines (content) or files that a result has at most (GR-4)."""

    name = "Grep"
    readonly = True
    Args = GrepArgs

    async def run(self, ide: IDE, args: GrepArgs, call: CallContext) -> ToolOutcome:
        """Search."""
        target = args.path or ide.workspace.root
        workspace, path = ide.read_roots(target)
        status = workspace.stat(path)
        absolute = workspace.display(path)
        directory, file = (absolute, None) if status.kind == "directory" else posixpath.split(absolute)
        if status.kind == "other":
            raise NotFound(target, "not a regular file or directory")
        try:
            found = await ripgrep(ide, _arguments(args, file), directory)
        except SearchFailed as error:
            return failed(SearchError(str(error)))
        if found.exit_code not in (0, 1) and b"\0" not in found.output:
            said = found.output.decode("utf-8", "replace").strip()
            if said:
                return failed(BadRegex(said.removeprefix("rg: ")))
            if found.complete:
                return failed(SearchError(f"ripgrep ended with code {found.exit_code}"))
        files = _parse(args, found)
        shown = []
        for item in files:
            full = posixpath.join(directory, item.path)
            if workspace is ide.workspace:
                relative = workspace.relative(full)
                if workspace.ignore.blocked(relative) is not None:
                    continue
                shown.append(msgspec.structs.replace(item, path=visible(relative)))
            else:
                shown.append(msgspec.structs.replace(item, path=visible(full)))
        shown.sort(key=lambda f: f.path)
        return success(_limit(args, shown, ide.workspace.root, call.limits.get("entries", 2000), found.complete))


def _arguments(args: GrepArgs, file: str | None) -> list[str]:
    out = ["--null", "--hidden", "--glob=!.git", "--with-filename"]
    if args.output_mode == "files_with_matches":
        out.append("--files-with-matches")
    elif args.output_mode == "count":
        out.append("--count")
    else:
        out += ["--line-number", "--no-heading", "--crlf"]
        context = [("--before-context", args.before), ("--after-context", args.after), ("--context", args.around)]
        out += [f"{name}={value}" for name, value in context if value]
    if args.ignore_case:
        out.append("--ignore-case")
    if args.multiline:
        out += ["--multiline", "--multiline-dotall"]
    if args.glob:
        out.append(f"--glob={args.glob}")
    if args.type:
        out.append(f"--type={args.type}")
    return [*out, "-e", args.pattern, "--", "./" if file is None else f"./{file}"]


def _parse(args: GrepArgs, found: Found) -> list[FileMatches]:
    if args.output_mode == "files_with_matches":
        return [FileMatches(decode_path(name), 0) for name in found.output.split(b"\0") if name]
    if args.output_mode == "count":
        return [FileMatches(decode_path(name), int(count)) for name, count in _COUNTED.findall(found.output)]
    return _parse_content(found.output)


def _parse_content(output: bytes) -> list[FileMatches]:
    """``name NUL number mark text`` for each line; ``--`` between groups. A name may hold a line feed."""
    files: dict[bytes, tuple[list[MatchLine], list[int]]] = {}
    at = 0
    while (end := output.find(b"\0", at)) >= 0:
        name, group = output[at:end], False
        while (separator := _GROUP.match(name)) is not None:
            name, group = name[separator.end() :], True
        stop = output.find(b"\n", end)
        stop = len(output) if stop < 0 else stop
        found = _NUMBERED.match(output, end + 1, stop)
        at = stop + 1
        if found is None:
            continue  # a note of ripgrep's about a binary file
        lines, breaks = files.setdefault(name, ([], []))
        if group and lines:
            breaks.append(len(lines))
        lines.append(MatchLine(int(found[1]), _line(output[found.end() : stop]), found[2] == b":"))
    return [
        FileMatches(decode_path(name), sum(line.match for line in lines), tuple(lines), tuple(breaks))
        for name, (lines, breaks) in files.items()
    ]


def _line(data: bytes) -> str:
    text = data.removesuffix(b"\r").decode("utf-8", "replace")
    if len(text) <= LINE_CHARS:
        return text
    return f"{text[:LINE_CHARS]}... ({len(text) - LINE_CHARS} more characters)"


def _limit(args: GrepArgs, files: list[FileMatches], root: str, most: int, complete: bool) -> GrepResult:
    content = args.output_mode == "content"
    limit = most if args.head_limit is None or args.head_limit <= 0 else min(args.head_limit, most)
    total = sum(f.count for f in files) if content else len(files)
    if not content:
        chosen = files[args.offset : args.offset + limit]
        capped = len(files) > args.offset + limit
        return GrepResult(args.output_mode, root, tuple(chosen), total, capped or not complete)
    skip, room, out = args.offset, limit, []
    capped = not complete
    for item in files:
        lines = item.lines[skip:] if skip else item.lines
        dropped = len(item.lines) - len(lines)
        skip = max(0, skip - len(item.lines))
        if not lines:
            continue
        if room <= 0:
            capped = True
            break
        if len(lines) > room:
            capped = True
        kept = lines[:room]
        breaks = tuple(b - dropped for b in item.breaks if dropped < b < dropped + len(kept))
        out.append(FileMatches(item.path, sum(line.match for line in kept), kept, breaks))
        room -= len(kept)
    return GrepResult("content", root, tuple(out), sum(f.count for f in out) if capped else total, capped)
