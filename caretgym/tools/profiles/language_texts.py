"""Texts of ReadLints (RL-2) and of the tools behind the flag ``lsp`` (ours)."""

from collections import Counter

from caretgym.ide_sim.lsp.features import Place
from caretgym.tools import language as lang
from caretgym.tools.profile import Text, Texts
from caretgym.tools.read_lints import Lints, Unchecked

CLEAN = "No linter errors found."
_REASONS_SHOWN = 10


def lints_text(data: Lints) -> str:
    """RL-2; what was not checked is said after it, and never reads like a clean file."""
    parts = []
    if data.files:
        lines = [f"Found {data.count} linter error(s):"]
        for file in data.files:
            lines.append(f"**{file.path}:**")
            lines += [f"  Line {i.line}:{i.column}: {i.message}, severity: {i.severity}" for i in file.items]
        parts.append("\n".join(lines))
    elif data.checked and (data.unchecked or data.more):
        parts.append(f"No linter errors in the {data.checked} file(s) that were checked.")
    elif data.checked or not data.unchecked:
        parts.append(CLEAN if data.checked else "There are no files to check.")
    if data.unchecked:
        parts.append(_unchecked(data.unchecked))
    if data.more:
        parts.append(f"{data.more} more file(s) were not checked; name the paths that matter.")
    return "\n\n".join(parts)


def _unchecked(items: tuple[Unchecked, ...]) -> str:
    lines = ["Linter errors are not known for:"]
    reasons = Counter((i.state, i.detail) for i in items)
    for (state, detail), count in list(reasons.items())[:_REASONS_SHOWN]:
        first = next(i.path for i in items if (i.state, i.detail) == (state, detail))
        others = f" and {count - 1} more file(s)" if count > 1 else ""
        lines.append(f"  {first}{others} ({state.replace('_', ' ')}): {detail}")
    if len(reasons) > _REASONS_SHOWN:
        lines.append(f"  ... and {len(reasons) - _REASONS_SHOWN} more reasons")
    return "\n".join(lines)


def _at(place: Place) -> str:
    text = f": {place.text}" if place.text else ""
    return f"  {place.path}:{place.line + 1}:{place.character + 1}{text}"


def places_text(data: lang.Places) -> str:
    """One line for each place."""
    if not data.places:
        return f"No {data.what} of {data.symbol} found."
    word = "Definition" if data.what == "definition" else f"{len(data.places)} reference(s)"
    return f"{word} of {data.symbol}:\n" + "\n".join(_at(p) for p in data.places)


def symbols_text(data: lang.Symbols) -> str:
    """One line for each symbol; what lies in another is indented."""
    if not data.symbols:
        return f"No symbols named like {data.query} found." if data.query else f"{data.path} defines no symbols."
    if data.query:
        return "\n".join(f"{s.kind} {s.name}:{_at(s.place).removeprefix(' ')}" for s in data.symbols)
    return "\n".join(f"{'  ' * s.depth}{s.place.line + 1}: {s.kind} {s.name}" for s in data.symbols)


def actions_text(data: lang.Actions) -> str:
    """One line for each action."""
    offered = [a for a in data.actions if a.edit is not None]
    if not offered:
        return f"No code actions for line {data.line} of {data.path}."
    return "Code actions:\n" + "\n".join(f"  {a.title}{' (preferred)' if a.preferred else ''}" for a in offered)


def place_missing(data: lang.NoSuchPlace) -> str:
    """What is there instead."""
    if data.text is None:
        return f"{data.path} has {data.total} lines; there is no line {data.line}."
    return f"{data.symbol!r} is not on line {data.line} of {data.path}, which reads: {data.text.strip()}"


def action_missing(data: lang.NoSuchAction) -> str:
    """What is offered instead."""
    offered = "; ".join(data.offered) or "nothing"
    return f"There is no action {data.title!r} to apply. Offered: {offered}"


LINTS_TEXTS: Texts = {Lints: Text(lints_text, "RL-2", "A")}


def language_texts(prefix: str) -> Texts:
    """Texts of the ``lsp_*`` tools."""
    return {
        lang.Places: Text(places_text, "", "own"),
        lang.Hovered: Text(lambda d: d.text or f"Nothing is known of {d.symbol}.", "", "own"),
        lang.Symbols: Text(symbols_text, "", "own"),
        lang.Actions: Text(actions_text, "", "own"),
        lang.Refactored: Text(
            lambda d: f"{d.title}: changed {', '.join(d.paths)}" if d.paths else f"{d.title}: nothing to change",
            "",
            "own",
        ),
        lang.NoSuchPlace: Text(lambda d: prefix + place_missing(d), "", "own"),
        lang.LanguageUnknown: Text(prefix + "No answer from a language server ({state}): {detail}", "", "own"),
        lang.EditRefused: Text(prefix + "The edit can't be applied: {reason}", "", "own"),
        lang.NoSuchAction: Text(lambda d: prefix + action_missing(d), "", "own"),
    }
