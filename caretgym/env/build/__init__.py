"""Tasks made from real packages; see the README beside this file."""

from caretgym.env.build.build import BuildReport, build_sdist
from caretgym.env.build.sdist import BuildError

__all__ = ["BuildError", "BuildReport", "build_sdist"]
