"""What our client announces (LSP 3.17, ``ClientCapabilities``)."""

from collections.abc import Sequence
from typing import Any


def client_capabilities(encodings: Sequence[str], *, dynamic_diagnostics: bool) -> dict[str, Any]:
    """The capabilities. ``encodings``: of positions, the preferred first. ``dynamic_diagnostics``: let the server register for pull diagnostics later (pyright does)."""
    return {
        "general": {
            "positionEncodings": list(encodings),
            "staleRequestSupport": {"cancel": True, "retryOnContentModified": []},
        },
        "workspace": {
            "applyEdit": False,
            "workspaceFolders": True,
            "configuration": True,
            "didChangeConfiguration": {"dynamicRegistration": True},
            "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
            "symbol": {"resolveSupport": {"properties": ["location.range"]}},
            "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
            "diagnostics": {"refreshSupport": True},
        },
        "textDocument": {
            "synchronization": {"dynamicRegistration": False, "didSave": True},
            "publishDiagnostics": {
                "relatedInformation": True, "versionSupport": True, "codeDescriptionSupport": True,
                "tagSupport": {"valueSet": [1, 2]},
            },
            "diagnostic": {"dynamicRegistration": dynamic_diagnostics, "relatedDocumentSupport": False},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "definition": {"linkSupport": True},
            "references": {},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
            "rename": {"prepareSupport": True},
            "codeAction": {
                "codeActionLiteralSupport": {
                    "codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source", "source.organizeImports"]}
                },
                "resolveSupport": {"properties": ["edit"]},
                "dataSupport": True,
                "isPreferredSupport": True,
            },
        },
        "window": {"workDoneProgress": True},
    }  # fmt: skip
