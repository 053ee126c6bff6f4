"""Short builders for the tools' JSON schemas (draft-07, the subset that OpenAI function calling accepts).

``examples`` are hints for sampling: what a sampled call may use for a value that has to mean something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Schema = dict[str, Any]


def _field(kind: str, description: str, **extra: Any) -> Schema:
    return {
        "type": kind,
        "description": description,
        **{key: value for key, value in extra.items() if value is not None},
    }


def string(
    description: str,
    *,
    enum: Sequence[str] | None = None,
    examples: Sequence[str] | None = None,
    default: str | None = None,
    min_length: int | None = None,
) -> Schema:
    """Text."""
    return _field(
        "string",
        description,
        enum=list(enum) if enum else None,
        examples=list(examples) if examples else None,
        default=default,
        minLength=min_length,
    )


def integer(
    description: str,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
    examples: Sequence[int] | None = None,
    default: int | None = None,
) -> Schema:
    """A whole number."""
    return _field(
        "integer",
        description,
        minimum=minimum,
        maximum=maximum,
        examples=list(examples) if examples else None,
        default=default,
    )


def number(
    description: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    examples: Sequence[float] | None = None,
    default: float | None = None,
) -> Schema:
    """A finite number."""
    return _field(
        "number",
        description,
        minimum=minimum,
        maximum=maximum,
        examples=list(examples) if examples else None,
        default=default,
    )


def boolean(description: str, *, default: bool | None = None) -> Schema:
    """True or false."""
    return _field("boolean", description, default=default)


def array(description: str, items: Schema, *, min_items: int | None = None, max_items: int | None = None) -> Schema:
    """A list of equal items."""
    return _field("array", description, items=items, minItems=min_items, maxItems=max_items)


def object_of(properties: dict[str, Schema], required: Sequence[str], description: str | None = None) -> Schema:
    """An object; properties are listed in the order in which a model should write them."""
    unknown = set(required) - set(properties)
    if unknown:
        raise ValueError(f"required but not described: {sorted(unknown)}")
    schema: Schema = {"type": "object"}
    if description:
        schema["description"] = description
    return {**schema, "properties": properties, "required": list(required), "additionalProperties": False}
