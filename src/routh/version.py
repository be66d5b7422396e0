"""The version, as the metadata of the package has it."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def _version() -> str:
    """The version of the installed package, or of the checkout this file lies in."""
    try:
        return version("routh")
    except PackageNotFoundError:  # a checkout on the path that was never installed
        project = Path(__file__).parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


__version__ = _version()
