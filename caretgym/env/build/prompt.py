"""What a user would write, from the symptom: never what was changed, nor where."""

import random
import re

_EXPECTATION = re.compile(r"^E\s+(?:AssertionError: )?(.*\S)", re.MULTILINE)
_OPENINGS = (
    "{name} is broken, I think. {symptom} Please find out why and fix it.",
    "Something is off with {name} since the last refactoring. {symptom} Can you have a look?",
    "fix {name}. {symptom}",
    "A customer says {name} gives wrong results. {symptom} It worked in the last release.",
)
_NOTE = "The tests that cover it are not in this checkout, so go by the documentation."


def user_prompt(function: str, package: str, output: str, generator: random.Random) -> str:
    """The prompt.

    Args:
        function: Where the tests that fail look: a public name of the package, or a private one, which is not told.
        output: What pytest printed with the fault in place.

    """
    name = f"`{function}`" if not function.startswith("_") else f"a part of {package}"
    return f"{generator.choice(_OPENINGS).format(name=name, symptom=symptom(output))} {_NOTE}"


def symptom(output: str) -> str:
    """One sentence from the first failure."""
    lines = [line for line in _EXPECTATION.findall(output) if not line.startswith(("+", "-", "?", "First", "Second"))]
    if not lines:
        return "It does not do what it says."
    first = lines[0]
    if len(first) > 200:
        first = first[:200] + "…"
    kind = re.match(r"(\w+(?:Error|Exception|Stop\w+))\b:?\s*(.*)", first)
    if kind is not None:
        return f"I get {kind[1]}{': ' + kind[2] if kind[2] else ''}."
    if "!=" in first:
        got, _, wanted = re.sub(r"^\w+ differ: ", "", first).partition(" != ")
        return f"I get {got} where I expect {wanted}."
    equal = re.match(r"assert (.+) == (.+)", first)
    if equal is not None:
        return f"I get {equal[1]} where I expect {equal[2]}."
    return f"This does not hold: {first.removeprefix('assert ')}."
