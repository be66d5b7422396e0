"""Writing model files: of a model that was read, or of a system that was made in Python."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import sympy

from routh.disk import write_text
from routh.errors import DeclarationError, a_kind, capital
from routh.files.contacts_of_files import written_friction
from routh.files.model import Model
from routh.files.stated_values import stated_values
from routh.files.writing import write
from routh.language.fields import Space
from routh.language.forces import Force
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import leaves, lets
from routh.recorded import Recorded

Document = dict[str, Any]


def save(what: Model | System, path: str | Path, *, values: Mapping[Any, float] | None = None) -> Path:
    """Write a model file, and give its path; `load` reads the same system again.

    It is written beside and renamed: if that fails, what was there before is as it was.

    Arguments:
        what: a `Model` that `load` gave, or a `System`.
        path: the file.
        values: numbers for parameters, by symbol or name; those of the model or the defaults are kept
            for the others.

    Raises:
        DeclarationError: it is nothing that model files hold, or there is no such folder.
        WriteError: the file could not be written.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import routh as rt
        >>> x, k = rt.coordinate("x"), rt.parameter("k")
        >>> system = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2, name="spring")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.save(system, Path(folder) / "spring.toml", values={"k": 4})
        ...     print(path.name, rt.load(path).values)
        ...
        spring.toml {'k': 4.0}
    """
    if not isinstance(path, (str, Path)):
        raise DeclarationError(f'A model is saved to a path, like "swing.toml". Got {a_kind(path)}.')
    if isinstance(what, Model):
        document = tomllib.loads(what.text)
        system = what.system
    elif isinstance(what, System):
        document = document_of(what)
        system = what
    elif isinstance(what, Recorded):
        raise DeclarationError(
            "save writes a Model or a System; a result writes itself: result.save(path). Got"
            f" {a_kind(what)}."
        )
    else:
        raise DeclarationError(f"save writes a Model or a System. Got {a_kind(what)}.")
    for name, value in stated_values(system, values).items():
        own = document.setdefault("parameters", {}).get(name)
        document["parameters"][name] = own | {"value": value} if isinstance(own, dict) else value
    return write_text(path, toml(document))


def model_text(system: System) -> str:
    """The model file of a system, as a text.

    Raises:
        DeclarationError: it is nothing that model files hold.
    """
    return toml(document_of(system))


def document_of(system: System) -> Document:
    """A system as the tables of a model file."""
    if system.shapes:
        raise DeclarationError(
            f"{capital(system.title)} is discretized. Save system.continuous; the file says how to"
            " discretize it."
        )
    given = _given(system)
    points = [e for f in given["forces"] for e in (*f.components, *f.at)]
    terms = [e for part, own in given.items() if part != "forces" for e in own]
    kept = [each.expression for each in system.requirements]
    every = [*terms, *points, *system.parts()["friction"], *kept]
    named = lets(every)
    taken = {x.name for x in (*named, *system.coordinates, *system.parameters, *system.inputs)}
    rates = {x: sympy.Symbol(_free(x.name, taken)) for x in named if "'" in x.name}

    def text(expression: Any) -> str:
        return write(expression.xreplace(rates))

    document: Document = {"name": system.name, "constraints": [text(e) for e in given["constraints"]]}
    document["coordinates"] = {q.name: _latex(q) for q in system.coordinates}
    document["parameters"] = {p.name: _parameter(p) for p in system.parameters}
    document["inputs"] = {u.name: _latex(u) for u in system.inputs}
    document["spaces"] = {
        x.name: {"from": write(x.bounds[0]), "to": write(x.bounds[1])}
        for x in _spaces(every, system.spaces)
    }
    document["fields"] = {w.name: {"space": w.space.name} | _latex(w) for w in system.fields}
    document["let"] = {rates.get(x, x).name: text(x.expression) for x in named}
    parts = ("kinetic", "potential", "lagrangian", "dissipation")
    document["energy"] = {part: [text(term) for term in given[part]] for part in parts if given[part]}
    document["friction"] = [
        {"slip": text(c.slip), **written_friction(c, text, taken), "name": c.name}
        for c in system.friction
    ]
    document["forces"] = [{"force": text(f.components), "at": text(f.at)} for f in given["forces"]]
    document["requirements"] = [
        {"positive" if each.strict else "nonnegative": text(each.expression), "what": each.what}
        | ({"then": each.then} if each.then else {})
        for each in system.requirements
    ]
    return {name: table for name, table in document.items() if table}


def _given(system: System) -> Mapping[str, tuple[Any, ...]]:
    """The parts as they were written; worked out where names of places stand for several things."""
    every = [x for part in system.as_written.values() for x in part]
    flat = [e for x in every for e in ((*x.components, *x.at) if isinstance(x, Force) else (x,))]
    others = (*system.coordinates, *system.parameters, *system.inputs, *system.fields)
    names = [x.name for x in (*_spaces(flat, system.spaces), *others)]
    if len(set(names)) == len(names):
        return system.as_written
    return {part: getattr(system, part) for part in system.as_written}


def _spaces(every: Iterable[sympy.Expr], own: Iterable[Space]) -> list[Space]:
    """The spaces of a system, each behind those that its bounds depend on."""
    found = {x for x in leaves(every) if isinstance(x, Space)} | set(own)
    return sorted(found, key=lambda x: x.serial)


def _free(name: str, taken: set[str]) -> str:
    """A name for the rate of an intermediate that nothing else has."""
    made = name.replace("'", "_dot")
    while made in taken:
        made += "_"
    taken.add(made)
    return made


def _parameter(p: Parameter) -> Document:
    given = {"value": p.default, "unit": p.unit} | ({p.sign: True} if p.sign else {})
    return {name: value for name, value in given.items() if value is not None} | _latex(p)


def _latex(symbol: Any) -> Document:
    return {} if symbol._latex_name is None else {"latex": symbol._latex_name}


def toml(document: Document) -> str:
    """A document as TOML: plain values first, then tables, one line for each entry of a table."""
    plain = [f"{name} = {_value(x)}" for name, x in document.items() if not _is_table(x)]
    blocks = ["\n".join(plain)] if plain else []
    for name, table in document.items():
        if isinstance(table, dict):
            lines = [f"{_key(key)} = {_value(x)}" for key, x in table.items()]
            blocks.append("\n".join([f"[{name}]", *lines]))
        elif _is_table(table):
            blocks += [
                "\n".join([f"[[{name}]]", *(f"{_key(k)} = {_value(x)}" for k, x in each.items())])
                for each in table
            ]
    return "\n\n".join(blocks) + "\n"


def _is_table(value: Any) -> bool:
    rows = isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)
    return isinstance(value, dict) or rows


def _key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "")
    return name if plain.isascii() and plain.isalnum() else _value(name)


def _value(value: Any) -> str:
    """One value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_value(x)}" for k, x in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(x) for x in value) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c for c in escaped) + '"'
    )
