"""Whatever acts in an episode; see the README beside this file."""

from caretgym.policy.base import Policy, PolicyContext, PolicyError, Reference
from caretgym.policy.make import make_policy

__all__ = ["Policy", "PolicyContext", "PolicyError", "Reference", "make_policy"]
