"""A profile: which tools a model is offered, under what names, and how their outcomes read (GEN-1).

Facts and wording live in the tables under ``profiles/``; this module only holds their shape.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from caretgym.tools.base import Data, Tool, ToolOutcome

Confidence = Literal["A", "B", "C", "D", "own"]
"""How well a text is known: the spec's letters; ``own`` is our wording where none is known."""


@dataclass(frozen=True)
class Text:
    """How one variant of data reads.

    ``template`` is a format string over the data's fields, or a function where a format string can't say it.
    """

    template: str | Callable[[Any], str]
    fact: str
    confidence: Confidence

    def render(self, data: Data) -> str:
        """Return the text. Values are inserted verbatim: they never act as a format string themselves."""
        if callable(self.template):
            return self.template(data)
        return self.template.format_map({name: getattr(data, name) for name in data.__struct_fields__})


Texts = Mapping[type[Data], Text]


@dataclass(frozen=True)
class ToolSpec:
    """One row of a profile: a tool as the model sees it."""

    tool: Tool[Any]
    name: str
    """The exposed name."""
    description: str
    """For the model, in our own words."""
    parameters: dict[str, Any]
    """JSON schema (draft-07 object) over the exposed argument names."""
    texts: Texts
    """A text for each variant of data that the profile's common texts don't cover or should not."""
    fact: str
    """Fact ids of the names and parameters."""
    confidence: Confidence
    renames: Mapping[str, str] = field(default_factory=dict)
    """Exposed argument name -> canonical name, where they differ."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Canonical name -> value taken when the model gives none, even for an argument that the schema requires."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """See `CallContext.limits`."""
    adapt: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """Turns renamed arguments into the tool's own where a rename can't (G2's ``is_background``)."""
    flag: str | None = None
    """The row is offered only when this flag is set (GEN-2)."""

    def canonical(self, argument: str) -> str:
        """Return the tool's own name of an exposed argument."""
        return self.renames.get(argument, argument)

    def schema(self) -> dict[str, Any]:
        """Return the row as an OpenAI function tool."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": self.parameters},
        }


@dataclass(frozen=True)
class Profile:
    """A named set of tools with their wording."""

    name: str
    tools: Mapping[str, ToolSpec]
    """Exposed name -> row, in the order in which the model is shown them."""
    common: Texts
    """Texts for variants that any tool can return (failures.py)."""
    base: str = ""
    """The name without flags."""
    flags: frozenset[str] = frozenset()
    """What is switched on."""
    edit_lints: bool = False
    """Whether the result of an edit names the lints that it brought (ED-7)."""
    result_cap: int = 100_000
    """Most characters (code points) of one result's text (ER-5)."""
    global_ignore: tuple[str, ...] = ()
    """See `CallContext.global_ignore`."""

    def tool_schemas(self) -> list[dict[str, Any]]:
        """All tools in OpenAI function format."""
        return [spec.schema() for spec in self.tools.values()]

    def render(self, spec: ToolSpec | None, outcome: ToolOutcome) -> str:
        """Return the outcome's text, before the result cap. KeyError: the tables lack a text for this variant."""
        kind = type(outcome.data)
        text = (spec.texts.get(kind) if spec else None) or self.common[kind]
        return text.render(outcome.data)

    def exposed(self, canonical: str) -> ToolSpec | None:
        """Return the row of the tool with that canonical name, if it is offered."""
        return next((spec for spec in self.tools.values() if spec.tool.name == canonical), None)

    def with_limits(self, canonical: str, **limits: int) -> Profile:
        """Return the same profile with other limits for one tool."""
        tools = {
            name: replace(spec, limits={**spec.limits, **limits}) if spec.tool.name == canonical else spec
            for name, spec in self.tools.items()
        }
        return replace(self, tools=MappingProxyType(tools))


def build_profile(name: str, rows: Iterable[ToolSpec], common: Texts, flags: Collection[str], **extra: Any) -> Profile:
    """Make a profile of the rows whose flag is unset or among ``flags``. Its name tells flags that are not as usual."""
    tools: dict[str, ToolSpec] = {}
    for row in rows:
        if row.flag is None or row.flag in flags:
            if row.name in tools:
                raise ValueError(f"profile {name}: two tools named {row.name}")
            tools[row.name] = row
    full = name + "".join(f"+{flag}" for flag in sorted(set(flags).difference(DEFAULT_FLAGS)))
    full += "".join(f"+no-{flag}" for flag in sorted(DEFAULT_FLAGS.difference(flags)))
    return Profile(
        name=full, tools=MappingProxyType(tools), common=common, base=name, flags=frozenset(flags),
        edit_lints="edit-lints" in flags, **extra,
    )  # fmt: skip


PROFILES = ("cursor-2026", "cursor-2.0")
DEFAULT_FLAGS = frozenset({"lints"})
"""On unless switched off: ``ReadLints`` (GEN-2)."""


def get_profile(name: str = "cursor-2026", *, flags: Collection[str] | None = None) -> Profile:
    """Return the profile of that name.

    The name may carry flags: ``cursor-2026+lsp``, ``cursor-2026+no-lints``. ``flags``, if given, are all that are on.

    - ``lints`` (on by default): ``ReadLints``.
    - ``edit-lints``: the result of an edit names the lints that it brought (ED-7).
    - ``lsp``: tools that ask language servers, named ``lsp_*``.
    - ``ls``: ``LS`` in cursor-2026.

    Raises ValueError for an unknown profile or flag; the message lists the known ones.
    """
    # The tables import every tool, so they are loaded when first asked for.
    from caretgym.tools.profiles import cursor_2_0, cursor_2026

    base, *named = name.split("+")
    if base not in PROFILES:
        raise ValueError(f"no profile named {base!r}; there are: {', '.join(PROFILES)}")
    on = set(DEFAULT_FLAGS if flags is None else flags)
    table: Any = cursor_2026 if base == "cursor-2026" else cursor_2_0
    known = {row.flag for row in table.ROWS if row.flag} | {"edit-lints"}
    for flag in named:
        plain = flag.removeprefix("no-")
        on = on - {plain} if flag.startswith("no-") else on | {flag}
        if plain not in known:
            on.add(plain)
    if unknown := sorted(on - known):
        raise ValueError(f"profile {base} has no flag {unknown[0]!r}; it has: {', '.join(sorted(known))}")
    profile: Profile = table.build(on)
    return profile
