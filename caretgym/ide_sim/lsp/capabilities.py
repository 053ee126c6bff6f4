"""What our client announces (LSP 3.17, ``ClientCapabilities``)."""

from typing import Any


def client_capabilities(*, dynamic_diagnostics: bool) -> dict[str, Any]:
    """The capabilities. ``dynamic_diagnostics``: let the server register for pull diagnostics later (pyright does)."""
    return {
        "general": {
            "positionEncodings": ["utf-8", "utf-16", "utf-32"],
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
