"""What a result tells, as one text, to compare what two processes have of it."""

from __future__ import annotations

import pickle
import re
import sys
from dataclasses import fields, is_dataclass
from enum import Enum

import numpy as np
import sympy

import routh as rt


def told(value, depth=6):
    """Numbers bit by bit, expressions as they print, and the fields of results."""
    if isinstance(value, np.ndarray):
        inside = [told(each) for each in value.flat] if value.dtype == object else value.tobytes().hex()
        return f"{value.dtype} {value.shape} {inside}"
    if isinstance(value, float):
        return value.hex()
    if value is None or isinstance(value, (str, int, complex, np.generic, Enum)):
        return repr(value)
    if isinstance(value, (sympy.Basic, sympy.MatrixBase)):
        return f"{value} {sorted(map(str, value.atoms(sympy.Symbol)))}"
    if isinstance(value, rt.System):
        return f"{value} {told(value.as_written)} {told(tuple(value.parts().values()))}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(told(each, depth) for each in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {told(each, depth)}' for key, each in value.items())}}}"
    if is_dataclass(value) and depth:
        own = {each.name: getattr(value, each.name) for each in fields(value)}
        return f"{type(value).__name__} {told(own, depth - 1)}"
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value)) if depth else type(value).__name__


def used(value):
    """What comes of using it further: engines that it was sent without are made again."""
    if isinstance(value, rt.results.Trajectory) and not value.conditions.shape and value.t[0] == 0:
        middle = value.t[[0, len(value.t) // 3]]
        return told((value(middle).q, value.energy, value.a, value.message))
    if isinstance(value, rt.results.Equilibrium) and not value.conditions.shape:
        return told(rt.modes(rt.linearize(value)).eigenvalues)
    if isinstance(value, rt.results.Branch):
        return told((value.rest.q, [point.value for point in value.points]))
    return ""


if __name__ == "__main__":
    for name, sent in pickle.load(sys.stdin.buffer).items():  # in a fresh process
        print(repr((name, told(sent), used(sent))))
