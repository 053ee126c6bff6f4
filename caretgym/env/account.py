"""A session as plain text that a person reads: turns, calls, results. Nothing in it can act on a terminal."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from caretgym.env.turn import ToolCall, Turn

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str) -> str:
    """Show control characters, lone surrogates and direction marks as escapes; newline and tab stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or (unicodedata.category(c) not in ("Cc", "Cs") and c not in _BIDI) else f"\\x{ord(c):02x}"
        for c in text
    )


def shorten(text: str, lines: int = 20, width: int = 160) -> str:
    """At most that many lines of that width; says what is left out."""
    all_lines = text.split("\n")
    shown = all_lines
    if len(all_lines) > lines:
        head = lines * 2 // 3
        left_out = len(all_lines) - lines
        shown = [
            *all_lines[:head],
            f"... ({left_out} lines not shown) ...",
            *all_lines[len(all_lines) - (lines - head) :],
        ]
    return "\n".join(f"{line[:width]}... ({len(line) - width} more)" if len(line) > width else line for line in shown)


def call_line(call: ToolCall) -> str:
    """One line: the name and the arguments."""
    if isinstance(call.arguments, str):
        arguments = call.arguments
    else:
        arguments = ", ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in call.arguments.items())
    return visible(f"{call.name}({arguments})".replace("\n", "\\n"))


def turn_text(turn: Turn) -> str:
    """The turn: what was said, then one line for each call."""
    lines = [visible(turn.text)] if turn.text else []
    lines += [shorten(f"> {call_line(call)}", 1) for call in turn.tool_calls]
    return "\n".join(lines) or "(an empty turn: the agent is done)"


def observation_text(observation: Mapping[str, Any], lines: int = 20) -> str:
    """New messages and results."""
    parts = [f"[{m['role']}]\n{shorten(visible(m['content']), lines)}" for m in observation["messages"]]
    parts += [
        f"[{'ok' if r['ok'] else 'error'}: {visible(r['name'])}]\n{shorten(visible(r['text']), lines)}"
        for r in observation["results"]
    ]
    return "\n".join(parts)
