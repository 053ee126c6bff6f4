"""The oracle: plays a task's reference solution through the tools, as a person would: looks, edits, runs the tests."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from caretgym.env.turn import ToolCall, Turn
from caretgym.ide_sim.document import find_occurrences, split_lines
from caretgym.policy.base import PolicyContext, PolicyError, Reference
from caretgym.tools import Profile

_MAX_CONTEXT = 40
_WHOLE_FILE = 50_000


class OraclePolicy:
    """Reads, edits by the smallest unique replacements, deletes, checks, and says what it did."""

    needs_reference = True

    def __init__(self) -> None:
        self._turns: Iterator[Turn] = iter(())

    async def start(self, context: PolicyContext) -> None:
        """Plan the session."""
        if context.reference is None:
            raise PolicyError("the oracle needs the task's reference solution")
        self._turns = _plan(context.reference, context.profile)

    async def act(self, observation: Mapping[str, Any]) -> Turn:
        """The next planned turn; a call that should have worked and did not is an error."""
        failed = [r for r in observation["results"] if not r["ok"]]
        if failed:
            raise PolicyError(f"the oracle's {failed[0]['name']} call failed: {failed[0]['text'][:500]}")
        return next(self._turns, Turn("Done."))

    async def close(self) -> None:
        """Nothing to close."""


def _call(profile: Profile, tool: str, **arguments: Any) -> ToolCall:
    """A call in the profile's names."""
    spec = profile.exposed(tool)
    if spec is None:
        raise PolicyError(f"profile {profile.name} has no {tool}")
    names = {canonical: exposed for exposed, canonical in spec.renames.items()}
    exposed = {names.get(name, name): value for name, value in arguments.items()}
    if "is_background" in spec.parameters["required"]:
        exposed["is_background"] = False
    return ToolCall(
        spec.name, {name: value for name, value in exposed.items() if name in spec.parameters["properties"]}
    )


def _plan(reference: Reference, profile: Profile) -> Iterator[Turn]:
    seen = list(dict.fromkeys(p for p in (*reference.explore, *_existing(reference)) if p))
    looks = [_call(profile, "Shell", command="ls", description="List the project")]
    yield Turn("Let me look at the project.", looks)
    if seen:
        yield Turn("Reading what matters here.", [_look(profile, path, reference) for path in seen])
    for path, (before, after) in reference.changed.items():
        calls = list(_edits(profile, path, before, after))
        yield Turn(f"Changing {path}." if before is not None else f"Adding {path}.", calls)
    if reference.deleted:
        yield Turn(
            "Removing what is not needed any more.", [_call(profile, "Delete", path=p) for p in reference.deleted]
        )
    if reference.check:
        yield Turn(
            "Checking the result.", [_call(profile, "Shell", command=reference.check, description="Run the checks")]
        )
    files = ", ".join([*reference.changed, *reference.deleted])
    yield Turn(f"Done: {files}." if files else "Done.")


def _look(profile: Profile, path: str, reference: Reference) -> ToolCall:
    """Read a file; of a long one the part around the first change."""
    before, after = reference.changed.get(path, (None, ""))
    if before is None or len(before) <= _WHOLE_FILE:
        return _call(profile, "Read", path=path)
    old, new = split_lines(before), split_lines(after)
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return _call(profile, "Read", path=path, offset=max(1, first - 40), limit=120)


def _existing(reference: Reference) -> list[str]:
    return [path for path, (before, _) in reference.changed.items() if before is not None]


def _edits(profile: Profile, path: str, before: str | None, after: str) -> Iterator[ToolCall]:
    if before is None or not before.strip():
        yield _call(profile, "Write", path=path, contents=after)
        return
    for old, new in unique_replacements(before, after):
        if not old:
            yield _call(profile, "Write", path=path, contents=after)
            return
        yield _call(profile, "StrReplace", path=path, old_string=old, new_string=new)


def unique_replacements(before: str, after: str) -> list[tuple[str, str]]:
    """Replacements that, one after the other, make ``after`` of ``before``; each old text occurs once when its turn comes.

    One pair with an empty old text means that there are none and the file has to be written as a whole.
    """
    old, new = split_lines(before), split_lines(after)
    hunks = [o for o in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if o[0] != "equal"]
    out: list[tuple[str, str]] = []
    text = before
    for _, a_from, a_to, b_from, b_to in reversed(hunks):  # from the end, so that lines above keep their numbers
        for context in range(_MAX_CONTEXT):
            low, high = max(0, a_from - context), min(len(old), a_to + context)
            # lines below are already the new ones, so context there is taken from the new file
            tail = new[b_to : b_to + (high - a_to)]
            head = old[low:a_from]
            pattern = "".join([*head, *old[a_from:a_to], *tail])
            replacement = "".join([*head, *new[b_from:b_to], *tail])
            if pattern.strip() and len(find_occurrences(text, pattern)) == 1 and pattern != replacement:
                text = text.replace(pattern, replacement, 1)
                out.append((pattern, replacement))
                break
        else:
            return [("", after)]
    return out if text == after else [("", after)]
