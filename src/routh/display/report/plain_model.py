"""A system alone as a model: with the numbers of its parameters, and nothing to draw."""

from __future__ import annotations

from routh.files.drawn import Drawing
from routh.files.model import Model
from routh.files.schema import AnalysisPart
from routh.language.system import System

FUNCTIONS = 12
"""Polynomials that make a field, as in model files that do not say."""


def plain_model(system: System) -> Model:
    """The model of a system: motions start nowhere, inputs are zero, fields are made of polynomials."""
    units = {p.name: p.unit for p in system.parameters if p.unit}
    symbols = (*system.coordinates, *system.fields, *system.parameters, *system.inputs)
    return Model(
        name=system.name,
        description="",
        system=system,
        values={p.name: float(p.default) for p in system.parameters if p.default is not None},
        ranges={},
        inputs=dict.fromkeys(system.inputs, 0.0),
        laws=dict.fromkeys(system.inputs, 0.0),
        start={},
        guess={},
        within={},
        periodic={},
        sizes=dict.fromkeys(system.fields, ("functions", FUNCTIONS)),
        units=units,
        drawing=Drawing(),
        analysis=AnalysisPart(),
        made=(),
        constants={},
        names={x.name: x for x in symbols},
        text="",
    )
