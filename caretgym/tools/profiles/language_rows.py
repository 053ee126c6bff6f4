"""Rows of ReadLints and of the tools behind the flag ``lsp``; the profiles differ in the former's name."""

from caretgym.tools import language as lang
from caretgym.tools.profile import ToolSpec
from caretgym.tools.profiles import language_texts as t
from caretgym.tools.read_lints import ReadLints
from caretgym.tools.schema import array, integer, object_of, string

_PATH = string("The file, absolute or relative to the workspace.", min_length=1)
_PLACE = {
    "path": _PATH,
    "line": integer("The line, from 1."),
    "symbol": string("The symbol's text on that line.", min_length=1),
}


def lints_row(name: str) -> ToolSpec:
    """ReadLints (RL-1)."""
    return ToolSpec(
        tool=ReadLints(), name=name, fact="RL-1", confidence="A", texts=t.LINTS_TEXTS, flag="lints",
        limits={"files": 1000},
        description="Read what the editor's language servers report of files. Old problems are reported like new ones, so "
        "look at files that you have edited. Without paths: the whole workspace.",
        parameters=object_of({"paths": array("Files or directories.", string("A path.", min_length=1))}, []),
    )  # fmt: skip


def language_rows(prefix: str) -> tuple[ToolSpec, ...]:
    """The ``lsp_*`` tools."""
    texts = t.language_texts(prefix)

    def row(tool: object, description: str, **parameters: object) -> ToolSpec:
        optional = {"query", "apply"}
        return ToolSpec(
            tool=tool, name=tool.name, fact="", confidence="own", texts=texts, flag="lsp", description=description,  # type: ignore[arg-type, attr-defined]
            parameters=object_of(parameters, [p for p in parameters if p not in optional]),  # type: ignore[arg-type]
        )  # fmt: skip

    return (
        row(lang.Definition(), "Find where a symbol is defined.", **_PLACE),
        row(lang.References(), "Find where a symbol is used.", **_PLACE),
        row(lang.HoverTool(), "Show a symbol's type and documentation.", **_PLACE),
        row(
            lang.SymbolsTool(), "List what a file defines; with a query, what its project defines under such names.",
            path=_PATH, query=string("Part of a name."),
        ),
        row(lang.Rename(), "Rename a symbol in all files.", **_PLACE, new_name=string("The new name.", min_length=1)),
        row(
            lang.CodeActions(), "List the quick fixes and refactorings for a line, or apply one.",
            path=_PATH, line=integer("The line, from 1."), apply=string("The title of the action to apply."),
        ),
    )  # fmt: skip
