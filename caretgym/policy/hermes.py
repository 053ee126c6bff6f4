"""Tool calls that a model writes into its text: ``<tool_call>{"name": …, "arguments": …}</tool_call>`` (Hermes, Qwen)."""

import json
import re

from caretgym.env.turn import ToolCall

_BLOCK = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_NAME = re.compile(r'"name"\s*:\s*"([^"]+)"')


def parse_text_calls(text: str) -> tuple[str, list[ToolCall]]:
    """The text without its call blocks, and the calls. A block that is no JSON keeps its raw text as arguments."""
    calls = []
    for match in _BLOCK.finditer(text):
        body = match[1]
        try:
            value = json.loads(body)
        except ValueError:
            value = None
        if isinstance(value, dict) and isinstance(value.get("name"), str):
            arguments = value.get("arguments", value.get("parameters", {}))
            calls.append(
                ToolCall(value["name"], arguments if isinstance(arguments, dict | str) else json.dumps(arguments))
            )
        else:
            name = _NAME.search(body)
            calls.append(ToolCall(name[1] if name else "", body))
    return _BLOCK.sub("", text).strip() if calls else text, calls
