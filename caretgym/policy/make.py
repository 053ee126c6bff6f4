"""A policy from its name: ``noop``, ``random``, ``oracle``, ``replay:FILE``, ``api:MODEL@URL``."""

from pathlib import Path

from caretgym.policy.base import Policy, PolicyError
from caretgym.policy.noop import NoopPolicy
from caretgym.policy.oracle import OraclePolicy
from caretgym.policy.random_policy import RandomPolicy
from caretgym.policy.replay import ReplayPolicy

NAMES = "noop, random[:TURNS], oracle, replay:FILE, api:MODEL@URL"


def make_policy(name: str) -> Policy:
    """Make a policy.

    Raises:
        PolicyError: there is none of that name, or its file or address is no good.

    """
    kind, _, rest = name.partition(":")
    if kind == "noop" and not rest:
        return NoopPolicy()
    if kind == "oracle" and not rest:
        return OraclePolicy()
    if kind == "random":
        if rest and not rest.isdigit():
            raise PolicyError(f"random:{rest}: TURNS must be a whole number")
        return RandomPolicy(int(rest)) if rest else RandomPolicy()
    if kind == "replay" and rest:
        return ReplayPolicy.from_file(Path(rest))
    if kind == "api" and rest:
        from caretgym.policy.api import ApiPolicy

        model, at, url = rest.rpartition("@")
        if not at or not url.startswith(("http://", "https://")):
            raise PolicyError(
                f"api:{rest}: expected api:MODEL@URL with an http address, as api:my-model@http://127.0.0.1:8000/v1"
            )
        return ApiPolicy(model, url)
    raise PolicyError(f"no policy named {name!r}; there are: {NAMES}")
