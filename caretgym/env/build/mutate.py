"""Faults as exact splices of the source, found with tree-sitter: everything outside of the splice stays as it is."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
from tree_sitter import Node
from tree_sitter_language_pack import get_parser

_COMPARISONS = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">", b"==": b"!=", b"!=": b"=="}
_ARITHMETIC = {b"+": b"-", b"-": b"+", b"*": b"+", b"//": b"/", b"%": b"//"}
_BOOLEANS = {b"and": b"or", b"or": b"and"}
_SKIPPED = frozenset({"type", "string", "comment", "decorator", "lambda_parameters"})


class Fault(msgspec.Struct, frozen=True):
    """Put ``new`` in place of bytes ``start`` to ``end``. ``function`` is the outermost function's (or method's) name."""

    kind: str
    function: str
    line: int
    start: int
    end: int
    new: bytes

    def apply(self, source: bytes) -> bytes:
        """The source with the fault."""
        return source[: self.start] + self.new + source[self.end :]


def faults(source: bytes) -> list[Fault]:
    """All faults that this module can put into the functions of a source, in order.

    Kinds: comparison, boolean, arithmetic, constant, condition, statement, result, arguments, loop, flag, slice.
    """
    tree = get_parser("python").parse(source)
    out: list[Fault] = []
    for function in _functions(tree.root_node):
        name = _text(function.child_by_field_name("name"))
        body = function.child_by_field_name("body")
        if body is not None:
            for node in _walk(body):
                for kind, start, end, new in _of_node(node):
                    out.append(Fault(kind, name, node.start_point[0] + 1, start, end, new))
    return [fault for fault in out if not get_parser("python").parse(fault.apply(source)).root_node.has_error]


def choose(source: bytes, generator: random.Random, names: frozenset[str]) -> list[Fault]:
    """Faults in random order, only in functions of these names, kinds and functions taking turns."""
    groups: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults(source):
        if fault.function in names:
            groups.setdefault((fault.function, fault.kind), []).append(fault)
    order = sorted(groups)
    generator.shuffle(order)
    used: dict[str, int] = {}
    picked: list[tuple[int, int, Fault]] = []
    for key in order:
        picked.append((used.get(key[0], 0), len(picked), generator.choice(groups[key])))
        used[key[0]] = used.get(key[0], 0) + 1
    return [fault for _, _, fault in sorted(picked, key=lambda item: item[:2])]


def _functions(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type == "function_definition":
            yield child
        elif child.type in (
            "class_definition",
            "decorated_definition",
            "block",
            "if_statement",
            "try_statement",
            "module",
        ):
            yield from _functions(child)


def _walk(node: Node) -> Iterator[Node]:
    if node.type in _SKIPPED:
        return
    yield node
    for child in node.children:
        yield from _walk(child)


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def _bytes(node: Node) -> bytes:
    return node.text or b""


Splice = tuple[str, int, int, bytes]


def _of_node(node: Node) -> Iterator[Splice]:
    match node.type:
        case "comparison_operator":
            yield from _swap("comparison", node, _COMPARISONS)
        case "boolean_operator":
            yield from _swap("boolean", node, _BOOLEANS)
        case "binary_operator":
            yield from _swap("arithmetic", node, _ARITHMETIC)
        case "augmented_assignment":
            yield from _swap("arithmetic", node, {b"+=": b"-=", b"-=": b"+="})
            yield ("statement", node.start_byte, node.end_byte, b"pass")
        case "integer":
            yield from _constant(node)
        case "if_statement" | "while_statement" | "elif_clause":
            condition = node.child_by_field_name("condition")
            if condition is not None:
                yield ("condition", condition.start_byte, condition.end_byte, _negated(condition))
        case "expression_statement" if node.children and node.children[0].type == "call":
            yield ("statement", node.start_byte, node.end_byte, b"pass")
        case "return_statement" if len(node.children) > 1 and _bytes(node.children[1]) not in (b"None", b"self"):
            yield ("result", node.start_byte, node.end_byte, b"return None")
        case "argument_list":
            yield from _arguments(node)
        case "break_statement":
            yield ("loop", node.start_byte, node.end_byte, b"continue")
        case "continue_statement":
            yield ("loop", node.start_byte, node.end_byte, b"break")
        case "true":
            yield ("flag", node.start_byte, node.end_byte, b"False")
        case "false":
            yield ("flag", node.start_byte, node.end_byte, b"True")
        case "slice":
            yield from _slice(node)


def _swap(kind: str, node: Node, table: dict[bytes, bytes]) -> Iterator[Splice]:
    for child in node.children:
        new = table.get(_bytes(child)) if not child.is_named else None
        if new is not None:
            yield (kind, child.start_byte, child.end_byte, new)


def _constant(node: Node) -> Iterator[Splice]:
    text = _bytes(node)
    if text.isdigit() and len(text) <= 4:
        yield ("constant", node.start_byte, node.end_byte, str(int(text) + 1).encode())


def _negated(condition: Node) -> bytes:
    if condition.type == "not_operator":
        argument: Any = condition.child_by_field_name("argument")
        return _bytes(argument)
    return b"not (" + _bytes(condition) + b")"


def _arguments(node: Node) -> Iterator[Splice]:
    plain = [
        child
        for child in node.named_children
        if child.type not in ("keyword_argument", "list_splat", "dictionary_splat", "comment")
    ]
    if len(plain) == 2 and _bytes(plain[0]) != _bytes(plain[1]):
        first, second = plain
        between = (node.text or b"")[first.end_byte - node.start_byte : second.start_byte - node.start_byte]
        yield ("arguments", first.start_byte, second.end_byte, _bytes(second) + between + _bytes(first))


def _slice(node: Node) -> Iterator[Splice]:
    if len(node.named_children) == 1 and node.named_children[0].type in ("integer", "identifier"):
        bound = node.named_children[0]
        yield ("slice", bound.end_byte, bound.end_byte, b" + 1")
