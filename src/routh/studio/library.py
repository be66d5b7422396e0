"""What a page starts from: the examples, the functions of the language, the schema of model files."""

from __future__ import annotations

import tomllib
from typing import Any

from routh.errors import DeclarationError
from routh.files.calls import CALLS
from routh.files.examples import example_names, example_text
from routh.files.schema import ModelPart
from routh.studio.bench import Bench

FUNCTIONS = {
    "sin": "sine", "cos": "cosine", "tan": "tangent", "asin": "arc sine", "acos": "arc cosine",
    "atan": "arc tangent", "sinh": "hyperbolic sine", "cosh": "hyperbolic cosine",
    "tanh": "hyperbolic tangent", "exp": "exponential", "log": "natural logarithm",
    "sqrt": "square root", "abs": "absolute value", "sign": "sign: -1, 0 or 1",
    "atan2": "angle of the direction (x, y)", "min": "the least of several",
    "max": "the greatest of several", "ddt": "time derivative, written x' for short",
    "norm2": "squared length of a vector", "dot": "scalar product", "cross": "vector product",
    "rotate": "vector turned by an angle, about an axis, or by a rotation",
    "angular_velocity": "angular velocity of a rotation",
    "rigid_body": "kinetic energy of a rigid body",
    "reaction": "force of a constraint", "mass": "mass of a body", "centre": "centre of mass of a body",
    "moment": "moment of inertia of a body", "diff": "partial derivative of a field",
    "at": "value of a field at an end of its space", "integral": "integral over a space",
}  # fmt: skip
"""What each function of the language gives."""


def lore(_: Bench, __: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on a desk: examples, functions, schema."""
    return {
        "examples": [_about_example(name, about) for name, about in example_names().items()],
        "functions": [
            {"name": name, "signature": call.example, "about": FUNCTIONS.get(name, "")}
            for name, call in CALLS.items()
        ],
        "schema": ModelPart.model_json_schema(),
    }


def example(_: Bench, about: dict[str, Any]) -> dict[str, Any]:
    """The text of an example."""
    name = about.get("name")
    if not isinstance(name, str):
        raise DeclarationError(f"An example is asked for by its `name`. Got {name!r}.")
    return {"text": example_text(name)}


def _about_example(name: str, about: str) -> dict[str, str]:
    document = tomllib.loads(example_text(name))
    title = str(document.get("name", name.replace("_", " ")))
    return {"name": name, "title": title, "about": about, "kind": _kind(document)}


def _kind(document: dict[str, Any]) -> str:
    """Under which heading an example is shown."""
    parts = document.keys()
    for kind, tables in {
        "fields": {"fields"},
        "friction and contacts": {"friction"},
        "tethers and kites": {"tether", "drum", "kite"},
        "in space": {"rotations"},
        "constraints": {"constraints"},
    }.items():
        if parts & tables:
            return kind
    if document.get("analysis", {}).get("period"):
        return "driven"
    return "inputs" if "inputs" in parts else "plain"
