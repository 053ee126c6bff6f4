"""From what a model sent to a tool's typed arguments, leniently where Cursor is lenient (ER-1).

Accepted beyond the schema: ``"true"``/``"false"`` for a boolean, a numeric string for a number, a whole float for an
integer, one value for an array, null for an optional argument that isn't given. An argument that the schema doesn't
have is left out and reported by name (what Cursor does is unknown; see DEVIATIONS.md). Everything else is a problem,
and all problems of a call are reported together.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import msgspec

from caretgym.tools.base import Failure
from caretgym.tools.failures import InvalidArguments, InvalidJson
from caretgym.tools.profile import ToolSpec
from caretgym.tools.schema import Schema

_NUMBER = re.compile(r"\s*[+-]?\d{1,300}(\.\d{0,300})?([eE][+-]?\d{1,3})?\s*")
_MISSING = object()


@dataclass
class _Reader:
    problems: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    defaulted: frozenset[str] = frozenset()
    """Top-level names that the schema requires and the harness fills in when they are missing."""

    def problem(self, path: str, message: str) -> Any:
        self.problems.append(f"{path}: {message}")
        return _MISSING

    def read(self, schema: Schema, value: Any, path: str) -> Any:
        match schema["type"]:
            case "object":
                return self.read_object(schema, value, path)
            case "array":
                return self.read_array(schema, value, path)
            case "boolean":
                return self.read_boolean(value, path)
            case "integer" | "number" as kind:
                return self.read_number(schema, value, path, whole=kind == "integer")
            case "string":
                return self.read_string(schema, value, path)
            case kind:
                raise ValueError(f"schema type {kind!r} is not supported")

    def read_object(self, schema: Schema, value: Any, path: str) -> Any:
        if not isinstance(value, Mapping):
            return self.problem(path, f"must be an object, got {type_name(value)}")
        inside = f"{path}." if path else ""
        properties: dict[str, Schema] = schema["properties"]
        # Given names are shown escaped: they are the model's text, and may hold line breaks.
        self.ignored += [inside + str(key).encode("unicode_escape").decode() for key in value if key not in properties]
        result = {}
        for name, inner in properties.items():
            if value.get(name) is None:
                if name in schema["required"] and inside + name not in self.defaulted:
                    self.problem(inside + name, "is required")
                continue
            result[name] = self.read(inner, value[name], inside + name)
        return result

    def read_array(self, schema: Schema, value: Any, path: str) -> Any:
        items = list(value) if isinstance(value, list | tuple) else [value]
        if len(items) < schema.get("minItems", 0):
            return self.problem(path, f"must have at least {schema['minItems']} item(s), got {len(items)}")
        if len(items) > schema.get("maxItems", math.inf):
            return self.problem(path, f"must have at most {schema['maxItems']} item(s), got {len(items)}")
        return [self.read(schema["items"], item, f"{path}.{index}") for index, item in enumerate(items)]

    def read_boolean(self, value: Any, path: str) -> Any:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        return self.problem(path, f"must be true or false, got {type_name(value)}")

    def read_number(self, schema: Schema, value: Any, path: str, *, whole: bool) -> Any:
        kind = "an integer" if whole else "a number"
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            text = value.strip()
            value = int(text) if text.lstrip("+-").isdigit() else float(text)
        if isinstance(value, bool) or not isinstance(value, Real):
            return self.problem(path, f"must be {kind}, got {type_name(value)}")
        number: int | float = int(value) if isinstance(value, Integral) else float(value)
        if isinstance(number, float) and not math.isfinite(number):
            return self.problem(path, f"must be {kind}, and finite")
        if whole and number != int(number):
            return self.problem(path, f"must be an integer, got {number}")
        if "minimum" in schema and number < schema["minimum"]:
            return self.problem(path, f"must be at least {schema['minimum']}, got {number}")
        if "maximum" in schema and number > schema["maximum"]:
            return self.problem(path, f"must be at most {schema['maximum']}, got {number}")
        if whole:
            number = int(number)
            if abs(number) >= 2**63:
                return self.problem(path, "is too large")
        return number

    def read_string(self, schema: Schema, value: Any, path: str) -> Any:
        if not isinstance(value, str):
            return self.problem(path, f"must be a string, got {type_name(value)}")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            return self.problem(path, f"holds half a surrogate pair at character {error.start}, which is no text")
        if "enum" in schema and value not in schema["enum"]:
            return self.problem(path, f"must be one of {', '.join(schema['enum'])}")
        if len(value) < schema.get("minLength", 0):
            return self.problem(path, "must not be empty")
        return value


def type_name(value: object) -> str:
    """Name a value's type as JSON does."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case Real():
            return "a number"
        case list() | tuple():
            return "an array"
        case Mapping():
            return "an object"
        case _:
            return type(value).__name__


def parse_json(text: str) -> dict[str, Any] | InvalidJson:
    """Read an argument text. Empty text is no arguments. NaN and infinities are not JSON."""
    if not text.strip():
        return {}

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not JSON")

    try:
        value = json.loads(text, parse_constant=refuse)
    except RecursionError:
        return InvalidJson("nested too deeply")
    except ValueError as error:
        return InvalidJson(str(error))
    if not isinstance(value, dict):
        return InvalidJson(f"expected an object, got {type_name(value)}")
    return value


class ReadArguments(msgspec.Struct, frozen=True):
    """Typed arguments, or the failure that takes their place, and the names that were ignored."""

    args: msgspec.Struct | Failure
    ignored: tuple[str, ...] = ()


def read_arguments(spec: ToolSpec, arguments: Mapping[str, Any] | str) -> ReadArguments:
    """Read a call's arguments for the tool of ``spec``."""
    given: Any = parse_json(arguments) if isinstance(arguments, str) else arguments
    if isinstance(given, InvalidJson):
        return ReadArguments(given)
    if not isinstance(given, Mapping):
        return ReadArguments(InvalidJson(f"expected an object, got {type_name(given)}"))
    reader = _Reader(
        defaulted=frozenset(n for n in spec.parameters["properties"] if spec.canonical(n) in spec.defaults)
    )
    values = reader.read_object(spec.parameters, given, "")
    ignored = tuple(reader.ignored)
    if reader.problems:
        return ReadArguments(InvalidArguments(tuple(reader.problems)), ignored)
    canonical = {spec.canonical(name): value for name, value in values.items()}
    if spec.adapt is not None:
        canonical = spec.adapt(canonical)
    # The schema has passed: a mismatch with the struct is a fault in the profile's table and may raise.
    return ReadArguments(msgspec.convert({**spec.defaults, **canonical}, spec.tool.Args), ignored)
