"""Kinds of entries that tables of model files are made of: numbers, texts, ranges."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from routh.language.notation import no_mathematics


def is_number(given: Any) -> bool:
    """Whether a value of a file is a number; true and false are none."""
    return isinstance(given, int | float) and not isinstance(given, bool)


Number = Annotated[float, Field(strict=True)]
Whole = Annotated[int, Field(strict=True)]
Truth = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Texts = Annotated[
    list[Text],
    Field(max_length=1000),
    BeforeValidator(
        lambda given: [given] if isinstance(given, str) else given,
        json_schema_input_type=Text | list[Text],
    ),
]
Bound = Annotated[
    Text,
    BeforeValidator(
        lambda given: repr(given) if is_number(given) else given, json_schema_input_type=float | Text
    ),
]


def _rising(given: tuple[float, float]) -> tuple[float, float]:
    if not given[0] < given[1]:
        raise ValueError("Expected the lower end of a range first")
    return given


def _mathematics(given: str) -> str:
    reason = no_mathematics(given)
    if reason:
        raise ValueError(f"Expected mathematics in LaTeX, like \\vartheta_{{1}}. {reason[:-1]}")
    return given


Latex = Annotated[str, Field(max_length=200), AfterValidator(_mathematics)]
Range = Annotated[tuple[Number, Number], AfterValidator(_rising)]


class Part(BaseModel):
    """A table of a model file; words it does not know are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)
