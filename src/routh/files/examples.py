"""The models that come with Routh."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from routh.disk import write_text
from routh.errors import DeclarationError, did_you_mean, listed


def _folder() -> Traversable:
    """Where the models are: in the package, or beside it in a checkout."""
    inside = files("routh.files").joinpath("models")
    return inside if inside.is_dir() else Path(__file__).parents[3] / "examples" / "models"


def _models() -> dict[str, Traversable]:
    found = sorted(_folder().iterdir(), key=lambda path: path.name)
    return {path.name.removesuffix(".toml"): path for path in found if path.name.endswith(".toml")}


def example_names() -> dict[str, str]:
    """Each model with the first sentence about it."""
    return {
        name: str(tomllib.loads(path.read_text(encoding="utf-8")).get("description", ""))
        for name, path in _models().items()
    }


def example_text(name: str) -> str:
    """The text of a model that comes with Routh."""
    models = _models()
    if name not in models:
        raise DeclarationError(
            f"There is no example {name!r}. There are: {listed(models)}." + did_you_mean(name, models)
        )
    return models[name].read_text(encoding="utf-8")


def copied(name: str) -> Path:
    """Copy a model into the present folder."""
    text = example_text(name)
    target = Path(f"{name}.toml")
    if target.exists():
        raise DeclarationError(f"{str(target)!r} is there already.")
    return write_text(target, text)
