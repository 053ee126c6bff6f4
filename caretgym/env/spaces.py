"""Gymnasium spaces of turns and observations.

A sample is drawn from the tools' JSON schemas with the space's own generator alone, so that the same seed gives the same
sample in every process, whatever ``PYTHONHASHSEED`` is. Any Unicode is legal in texts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from caretgym.env.turn import turn_from_action
from caretgym.tools import Profile, ToolSpec

_WORDS = (
    "def", "class", "import", "return", "test", "TODO", "value", "name", "README", "naïve", "界", "🙂", "x = 1", "a b",
)  # fmt: skip
_PATHS = (
    "README.md", "src", "tests", "pyproject.toml", ".", "src/main.py", "docs/index.md", "no/such/file.txt", "notes.txt",
    "/workspace/README.md", "ünïcode.txt",
)  # fmt: skip
_COMMANDS = (
    "true", "false", "pwd", "ls", "echo hello", "printf 'a\\tb\\n'", "git status --short", "cd src && pwd", "exit 3",
    "export A=1", "echo \"$A\"", "cat README.md | head -n 3", "seq 1 20", "echo oops >&2; (exit 4)",
)  # fmt: skip
_GLOBS = ("*.py", "**/*.md", "src/**", "*.toml", "*.nothing")
_TEXT_CHOICES: Mapping[str, tuple[str, ...]] = {
    "command": _COMMANDS,
    "path": _PATHS,
    "file_path": _PATHS,
    "target_file": _PATHS,
    "target_directory": _PATHS,
    "target_notebook": ("analysis.ipynb", "README.md"),
    "working_directory": ("/workspace", "/workspace/src", "/workspace/tests", "/tmp"),  # noqa: S108 - the sandbox's
    "relative_workspace_path": _PATHS,
    "glob_pattern": _GLOBS,
    "glob": _GLOBS,
    "pattern": ("def ", "import", r"\w+_\w+", "TODO", "- [ ]", "界", "[", "^$"),
    "type": ("py", "md", "toml"),
    "id": ("1", "2", "3"),
}
_NUMBER_CHOICES: Mapping[str, tuple[float, ...]] = {
    # a background job ends when it likes: its end would show at a step that depends on the machine's speed
    "block_until_ms": (30000,),
    "timeout": (30000,),
    "shell_id": (1, 123456),
}
_SKIPPED_OPTIONAL = frozenset({"is_background", "notify_on_output"})
_MAX_CALLS = 3


class SchemaSampler:
    """Draws values of JSON schemas.

    Args:
        random: The generator.

    """

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random

    def chance(self, probability: float) -> bool:
        """True that often."""
        return bool(self._random.random() < probability)

    def pick(self, values: Sequence[Any]) -> Any:
        """One of them."""
        return values[int(self._random.integers(len(values)))]

    def text(self) -> str:
        """A few words."""
        return " ".join(self.pick(_WORDS) for _ in range(int(self._random.integers(1, 4))))

    def value(self, schema: Mapping[str, Any], name: str = "") -> Any:
        """A value that the schema allows.

        Raises:
            ValueError: the schema uses something that no tool's does.

        """
        if "enum" in schema:
            return self.pick(schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self.value(self.pick(schema[key]), name)
        kind = schema.get("type", "string")
        if isinstance(kind, list):
            kind = self.pick(kind)
        match kind:
            case "string":
                return self.pick(_TEXT_CHOICES[name]) if name in _TEXT_CHOICES else self.text()
            case "boolean":
                return self.chance(0.5)
            case "integer" | "number":
                return self._number(schema, name, whole=kind == "integer")
            case "array":
                low = int(schema.get("minItems", 0))
                high = int(schema.get("maxItems", low + 2))
                count = int(self._random.integers(low, high + 1))
                return [self.value(schema.get("items", {}), name) for _ in range(count)]
            case "object":
                return self.object(schema)
            case "null":
                return None
        raise ValueError(f"can't sample a schema of type {kind!r}")

    def _number(self, schema: Mapping[str, Any], name: str, *, whole: bool) -> int | float:
        if name in _NUMBER_CHOICES:
            return int(self.pick(_NUMBER_CHOICES[name]))
        low = int(schema.get("minimum", 0))
        high = int(schema.get("maximum", low + 20))
        number = int(self._random.integers(low, high + 1))
        return number if whole or self.chance(0.9) else float(number)

    def object(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """An object with all required properties and some of the others."""
        required = set(schema.get("required", ()))
        out = {}
        for name, part in schema.get("properties", {}).items():
            if name in required or (name not in _SKIPPED_OPTIONAL and self.chance(0.3)):
                out[name] = False if name in _SKIPPED_OPTIONAL else self.value(part, name)
        return out


class TurnSpace(gym.Space[dict[str, Any]]):
    """All turns: ``{"text": str, "tool_calls": [{"name": str, "arguments": dict | str, "id"?: str}]}``.

    A turn that names an unknown tool or has wrong arguments is a legal action too: models do that, and it is answered
    with an error result. Samples are valid calls.
    """

    def __init__(self, profile: Profile, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)
        self.profile = profile
        self._specs: tuple[ToolSpec, ...] = tuple(profile.tools.values())

    @property
    def is_np_flattenable(self) -> bool:
        """Turns have no fixed size."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> dict[str, Any]:
        """A turn with one to three valid random calls; one in ten has none and so ends the episode.

        Raises:
            ValueError: a mask or probability is given; this space has none.

        """
        if mask is not None or probability is not None:
            raise ValueError("TurnSpace has no masks or probabilities")
        sampler = SchemaSampler(self.np_random)
        calls = []
        if not sampler.chance(0.1):
            for _ in range(int(self.np_random.integers(1, _MAX_CALLS + 1))):
                spec = sampler.pick(self._specs)
                calls.append({"name": spec.name, "arguments": sampler.object(spec.parameters)})
        return {"text": sampler.text(), "tool_calls": calls}

    def contains(self, x: Any) -> bool:
        """Whether it has a turn's shape."""
        if not isinstance(x, Mapping):
            return False
        try:
            turn_from_action(x)
        except TypeError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TurnSpace) and self.profile.name == other.profile.name

    def __hash__(self) -> int:
        return hash(("TurnSpace", self.profile.name))

    def __repr__(self) -> str:
        return f"TurnSpace({self.profile.name!r})"


_MESSAGE_KEYS = {"role": str, "content": str}
_RESULT_KEYS = {"id": str, "name": str, "ok": bool, "text": str}


def _list_of(value: Any, keys: Mapping[str, type]) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and item.keys() == keys.keys() and all(type(item[k]) is t for k, t in keys.items())
        for item in value
    )


class ObservationSpace(gym.Space[dict[str, Any]]):
    """``{"messages": [{"role", "content"}], "results": [{"id", "name", "ok", "text"}]}``."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Observations have no fixed size."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> dict[str, Any]:
        """A random observation of the right shape.

        Raises:
            ValueError: a mask or probability is given; this space has none.

        """
        if mask is not None or probability is not None:
            raise ValueError("ObservationSpace has no masks or probabilities")
        sampler = SchemaSampler(self.np_random)
        count = int(self.np_random.integers(0, _MAX_CALLS + 1))
        return {
            "messages": [{"role": "user", "content": sampler.text()}] if sampler.chance(0.3) else [],
            "results": [
                {"id": f"call_{n}", "name": "Shell", "ok": sampler.chance(0.7), "text": sampler.text()}
                for n in range(count)
            ],
        }

    def contains(self, x: Any) -> bool:
        """Whether it has an observation's shape."""
        return (
            isinstance(x, dict)
            and x.keys() == {"messages", "results"}
            and _list_of(x["messages"], _MESSAGE_KEYS)
            and _list_of(x["results"], _RESULT_KEYS)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObservationSpace)

    def __hash__(self) -> int:
        return hash("ObservationSpace")

    def __repr__(self) -> str:
        return "ObservationSpace()"
