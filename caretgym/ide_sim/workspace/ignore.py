"""Ignore rules of a tree: ``.gitignore``, ``.cursorignore``, the default list and the user's global list (IG-1…3)."""

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import pathspec

IgnoreSource = Literal["gitignore", "cursorignore", "default", "globalIgnore"]

DEFAULT_PATTERNS: tuple[str, ...] = (
    *("package-lock.json", "pnpm-lock.yaml", "yarn.lock", "composer.lock", "Gemfile.lock", "bun.lockb", ".env*"),
    *(".git/", ".svn/", ".hg/", ".bzr/", "*.lock", "*.bak", "*.tmp", "*.bin", "*.exe", "*.dll", "*.so", "*.lockb"),
    *("*.doc", "*.docx", "*.xls", "*.xlsx", "*.ppt", "*.pptx", "*.odt", "*.ods", "*.odp"),
    *("*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.bmp", "*.ico", "*.tiff", "*.mp3", "*.wav", "*.flac", "*.ogg"),
    *("*.mp4", "*.mov", "*.avi", "*.mkv", "*.webm", "*.wmv", "*.flv", "*.m4v", "*.zip", "*.tar", "*.gz", "*.bz2"),
    *("*.xz", "*.7z", "*.rar", "*.ttf", "*.otf", "*.woff", "*.woff2", "*.eot", "*.csv", "*.pdf", "*.svg", "*.parquet"),
    *("*.vsix", "*.rlib", "*.rmeta", ".venv/", "node_modules/", "__pycache__/", ".next/", ".nuxt/", ".cache/"),
    *(".gradle/", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", ".tox/", ".ipynb_checkpoints/", ".yarn/"),
)
"""The editor's default list (IG-2)."""


@dataclass(frozen=True)
class IgnoreMatch:
    """Why a path is ignored. ``source`` is what an error names (ED-5): a ``.cursorignore``'s folder, or the list's name."""

    kind: IgnoreSource
    source: str
    pattern: str


class _Rules:
    """The patterns of one file, for paths below its folder."""

    def __init__(self, lines: Sequence[str], folder: str, *, fold: bool) -> None:
        self.folder, self._fold = folder, fold
        self._lines = [line.casefold() for line in lines] if fold else list(lines)
        self._spec = pathspec.GitIgnoreSpec.from_lines(self._lines)

    def check(self, path: str, *, is_dir: bool) -> tuple[bool | None, str]:
        """(ignored, un-ignored or not mentioned; the pattern that decided)."""
        local = path[len(self.folder) + 1 :] if self.folder else path
        if self._fold:
            local = local.casefold()
        result = self._spec.check_file(local + "/" if is_dir else local)
        if result.include is None or result.index is None:
            return None, ""
        return result.include, self._lines[result.index]


class IgnoreRules:
    """All ignore rules of a workspace.

    Args:
        read: Returns a file's text by its path in the tree, or None; called once for each ignore file until ``reload``.
        root: The workspace's path as the agent sees it.

    """

    def __init__(self, read: Callable[[str], str | None], root: str) -> None:
        self._read, self._root = read, root
        self._default = _Rules(DEFAULT_PATTERNS, "", fold=True)
        self._global: _Rules | None = None
        self.global_patterns: tuple[str, ...] = ()
        self._files: dict[str, _Rules | None] = {}
        self._directories: dict[str, IgnoreMatch | None] = {}

    def set_global(self, patterns: Sequence[str]) -> None:
        """The user's own list, empty by default (IG-1)."""
        self.global_patterns = tuple(patterns)
        self._global = _Rules(patterns, "", fold=True) if patterns else None
        self._directories.clear()

    def reload(self) -> None:
        """Forget what was read: an ignore file has changed."""
        self._files.clear()
        self._directories.clear()

    def _rules(self, folder: str, name: str) -> _Rules | None:
        path = posixpath.join(folder, name)
        if path not in self._files:
            text = self._read(path)
            fold = name == ".cursorignore"
            self._files[path] = None if text is None else _Rules(text.splitlines(), folder, fold=fold)
        return self._files[path]

    def match(self, path: str, is_dir: bool = False) -> IgnoreMatch | None:
        """Why a path (relative to the workspace) is ignored, or None. A path below an ignored folder is ignored."""
        parent = posixpath.dirname(path)
        if parent:
            if parent not in self._directories:
                self._directories[parent] = self.match(parent, True)
            found = self._directories[parent]
            if found is not None:
                return found
        return self._match_one(path, is_dir) if path else None

    def blocked(self, path: str) -> IgnoreMatch | None:
        """Why an agent may not touch a path: a ``.cursorignore`` or the global list says so (ED-5, IG-3)."""
        found = self.match(path)
        return found if found is not None and found.kind in ("cursorignore", "globalIgnore") else None

    def _match_one(self, path: str, is_dir: bool) -> IgnoreMatch | None:
        folders = [""]
        at = path.find("/")
        while at >= 0:
            folders.append(path[:at])
            at = path.find("/", at + 1)
        unignored = False
        for folder in reversed(folders):  # the nearest file that mentions the path decides
            rules = self._rules(folder, ".cursorignore")
            if rules is not None:
                verdict, pattern = rules.check(path, is_dir=is_dir)
                if verdict:
                    return IgnoreMatch("cursorignore", posixpath.join(self._root, folder).rstrip("/"), pattern)
                if verdict is False:
                    unignored = True
                    break
        if unignored:
            return None
        if self._global is not None:
            verdict, pattern = self._global.check(path, is_dir=is_dir)
            if verdict:
                return IgnoreMatch("globalIgnore", "globalIgnore", pattern)
        for folder in reversed(folders):
            rules = self._rules(folder, ".gitignore")
            if rules is not None:
                verdict, pattern = rules.check(path, is_dir=is_dir)
                if verdict is False:
                    return None
                if verdict:
                    return IgnoreMatch("gitignore", "gitignore", pattern)
        verdict, pattern = self._default.check(path, is_dir=is_dir)
        return IgnoreMatch("default", "default", pattern) if verdict else None
