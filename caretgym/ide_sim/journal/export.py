"""A session's conversation as chat messages in OpenAI's form."""

import json
from typing import Any

from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.reader import Journal


def chat_messages(journal: Journal) -> list[dict[str, Any]]:
    """System, user, assistant (with tool calls) and tool messages in order."""
    out: list[dict[str, Any]] = []
    ids: list[str] = []
    for stored in journal.events():
        match stored.event:
            case ev.TurnTaken(turn=turn):
                calls = turn.get("tool_calls", [])
                message: dict[str, Any] = {"role": "assistant", "content": turn.get("text", "")}
                if turn.get("reasoning"):
                    message["reasoning_content"] = turn["reasoning"]
                if calls:
                    message["tool_calls"] = [_call(call) for call in calls]
                out.append(message)
                ids = []
            case ev.ToolFinished() as event:
                ids.append(event.call_id)
                _name_call(out, len(ids) - 1, event.call_id)
                out.append({"role": "tool", "tool_call_id": event.call_id, "content": event.text})
            case ev.MessageAdded(role=role, content=content):
                out.append({"role": role, "content": content})
    return out


def _call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call["arguments"]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": call.get("id", ""), "type": "function", "function": {"name": call["name"], "arguments": text}}


def _name_call(messages: list[dict[str, Any]], index: int, call_id: str) -> None:
    """Give a call the id under which its result came."""
    for message in reversed(messages):
        calls = message.get("tool_calls")
        if calls is not None:
            if index < len(calls) and not calls[index]["id"]:
                calls[index]["id"] = call_id
            return
