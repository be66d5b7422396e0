"""What a study is about, in texts: told in the data, and by which a store of another one is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import CodeType
from typing import Any

import numpy as np
import sympy

from routh.language.system import System
from routh.language.walk import lets
from routh.studies.chunk import Job
from routh.version import __version__


def provenance(job: Job, how: Mapping[str, Any]) -> dict[str, str]:
    """What the numbers of a study depend on, by words that a message can name."""
    task, design = job.task, job.design
    return {
        "version": __version__,
        "system": told_system(task.system),
        "kind": task.kind,
        "values": _told({str(key): value for key, value in task.values.items()}),
        "options": _told({str(key): value for key, value in task.options.items()}),
        "over": _told(dict(zip(map(str, design.symbols), design.columns, strict=True))),
        "design": _told(dict(how)),
        "find": _told([(each.name, _function(each.function)) for each in job.variables]),
        "chunk": _told(list(design.block)),
    }


def told_system(system: System) -> str:
    """All that a system is made of; symbols by name, since their numbers are those of a process."""
    written = [e for part in system.parts().values() for e in part]
    parts = {
        **{name: list(map(str, part)) for name, part in system.parts().items()},
        "let": [f"{let} = {let.expression}" for let in lets(written)],
        "coordinates": list(map(str, system.coordinates)),
        "parameters": [f"{p} {p.default} {p.unit} {p.sign}" for p in system.parameters],
        "friction": list(map(repr, system.friction)),
        "sizes": {str(w): repr(size) for w, size in system.sizes.items()},
        "shapes": [f"{shape!r}" for shape in system.shapes],
    }
    return f"{system!r} {_digest(json.dumps(parts))}"


def _told(value: Any) -> str:
    """A value as text: short ones as they are, long ones by their digest."""
    text = json.dumps(_plain(value))
    return text if len(text) <= 400 else f"{text[:300]} ... {_digest(text)}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return [float(each) for each in value.flat] if value.size <= 8 else _of_array(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if callable(value) and not isinstance(value, sympy.Basic):
        return _function(value)
    return str(value)


def _of_array(value: np.ndarray[Any, Any]) -> str:
    flat = value.reshape(-1)
    ends = f"{flat[0]:.17g} ... {flat[-1]:.17g}"
    return f"{ends} {value.shape} {_digest(np.ascontiguousarray(value).tobytes())}"


def _function(function: Any) -> str | None:
    """A function by its name and what it does, as far as its own code tells."""
    if function is None:
        return None
    name = getattr(function, "__qualname__", type(function).__name__)
    code = getattr(function, "__code__", None)
    return f"{name} {_digest(_code(code))}" if isinstance(code, CodeType) else name


def _code(code: CodeType) -> bytes:
    inside = [_code(c).hex() if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code + repr((inside, code.co_names, code.co_varnames)).encode()


def _digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:32]
