"""The root of what is the machine's fault and not the agent's."""


class InfrastructureError(Exception):
    """The environment failed: the episode becomes an ``infra_error``, never a zero reward."""
