"""What the client answers when a server asks, and what it keeps of that."""

from collections.abc import Mapping
from typing import Any

from caretgym.ide_sim.lsp.connection import ResponseError

MAX_REGISTRATIONS = 1000
"""Capabilities that a server may have registered at one time; more are answered with an error."""
METHOD_NOT_FOUND = -32601
_REFUSED = -32803
_REFRESHES = ("diagnostic", "codeLens", "semanticTokens", "inlayHint", "inlineValue", "foldingRange")


class ServerRequests:
    """Answers requests of one server.

    Args:
        settings: The server's configuration, nested by section.
        root_uri: Of the workspace.

    """

    def __init__(self, settings: Mapping[str, Any], root_uri: str) -> None:
        self._settings, self._root_uri = settings, root_uri
        self.registrations: dict[str, tuple[str, Any]] = {}
        """Registration id -> (method, options)."""
        self.refresh_asked = 0
        """How often the server said that its diagnostics are out of date."""

    def answer(self, method: str, params: Any) -> Any:
        """The result. ResponseError: we don't do that."""
        params = params if isinstance(params, dict) else {}
        if method == "workspace/configuration":
            return [self.section(item.get("section")) for item in _dicts(params.get("items"))]
        if method == "client/registerCapability":
            return self._register(_dicts(params.get("registrations")))
        if method == "client/unregisterCapability":
            for item in _dicts(params.get("unregisterations")):  # the protocol's own spelling
                self.registrations.pop(str(item.get("id")), None)
            return None
        if method == "workspace/workspaceFolders":
            return [{"uri": self._root_uri, "name": "workspace"}]
        if method == "workspace/applyEdit":
            return {"applied": False, "failureReason": "this client applies only the edits that it asked for"}
        if method == "window/showDocument":
            return {"success": False}
        if method in ("window/workDoneProgress/create", "window/showMessageRequest"):
            return None
        if method in [f"workspace/{kind}/refresh" for kind in _REFRESHES]:
            self.refresh_asked += method == "workspace/diagnostic/refresh"
            return None
        raise ResponseError(METHOD_NOT_FOUND, f"this client does not do {method}")

    def section(self, name: Any) -> Any:
        """The configuration under a dotted name; None where there is none; everything for no name."""
        value: Any = self._settings
        for part in str(name).split(".") if name else ():
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def _register(self, items: list[dict[str, Any]]) -> None:
        for item in items:
            if len(self.registrations) >= MAX_REGISTRATIONS:
                raise ResponseError(_REFUSED, f"more than {MAX_REGISTRATIONS} registrations")
            self.registrations[str(item.get("id"))] = (str(item.get("method")), item.get("registerOptions"))

    def registered(self, method: str) -> bool:
        """Whether the server has registered for a method."""
        return any(name == method for name, _ in self.registrations.values())


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
