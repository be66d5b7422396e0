"""Tethers, drums, kites and masses that change in model files: what each brings into the system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

from routh.errors import DeclarationError, did_you_mean, listed
from routh.files.hanging import Strung
from routh.files.schema import (
    DragPart,
    DrumPart,
    KitePart,
    ModelPart,
    RequirementPart,
    TetherPart,
)
from routh.language.requirements import Requirement
from routh.language.rotations import Rotation
from routh.language.variable_mass import variable_mass
from routh.models import kite, tether, winch
from routh.models.parts import Parts

COEFFICIENTS = {"aerosonde": kite.AEROSONDE}
"""Coefficients of rigid kites by name."""

PIECES = ("density", "gravity")
"""What a tether in pieces needs beside its length."""


class Reading(Protocol):
    """What reads the texts of a model file, telling mistakes with their place."""

    def scalar(self, text: str, *path: str | int) -> Any: ...
    def vector(self, text: str, *path: str | int) -> Any: ...
    def rotation(self, text: str, *path: str | int) -> Rotation: ...
    def at(self, *path: str | int) -> Any: ...


def components(part: ModelPart, read: Reading) -> tuple[Parts, list[Strung]]:
    """What all of them bring, and the tethers with their nodes."""
    whole, strung = Parts(), []
    for k, mass in enumerate(part.variable_mass):
        path = ("variable_mass", k)
        m = read.scalar(mass.mass, *path, "mass")
        place = read.vector(mass.at, *path, "at")
        intake = None if mass.intake is None else read.vector(mass.intake, *path, "intake")
        with read.at(*path):
            made = variable_mass(m, place, accretion=mass.accretion, intake=intake)
        whole += Parts(kinetic=(made.kinetic,), forces=made.forces)
    for k, line in enumerate(part.tether):
        with read.at("tether", k):
            parts, own = _tether(line, k, read)
        whole += parts
        strung.append(own)
    for k, reel in enumerate(part.drum):
        with read.at("drum", k):
            whole += _drum(reel, k, read)
    for k, flyer in enumerate(part.kite):
        with read.at("kite", k):
            whole += _kite(flyer, k, read)
    for k, kept in enumerate(part.requirements):
        with read.at("requirements", k):
            whole += Parts(requirements=(_requirement(kept, k, read),))
    return whole, strung


def _tether(part: TetherPart, k: int, read: Reading) -> tuple[Parts, Strung]:
    a, b = (read.vector(getattr(part, end), "tether", k, end) for end in ("start", "end"))
    words = ("length", "stiffness", "damping", "mass", *PIECES)
    given = {
        word: read.scalar(getattr(part, word), "tether", k, word)
        for word in words
        if getattr(part, word) is not None
    }
    _refuse_unfit(part, given)
    nodes: tuple[Any, ...] = ()
    if part.pieces is not None:
        parts, nodes = tether.segmented(part.name, a, b, part.pieces, **given, rods=part.rods)
    elif "stiffness" in given:
        damping = given.get("damping", 0)
        parts = tether.elastic(a, b, given["length"], given["stiffness"], damping=damping)
    else:
        parts = tether.rigid(a, b, given["length"])
    if "mass" in given:
        parts += tether.rod(a, b, given["mass"], given["gravity"])
    parts += _drag(part, k, [a, *nodes, b], read)
    return parts, Strung(k, part.name, nodes, a, b, given["length"], part.nodes)


def _refuse_unfit(part: TetherPart, given: Mapping[str, Any]) -> None:
    """A tether in pieces has a density, a straight one a mass, an elastic one its damping."""
    if part.pieces is not None:
        lacking = [word for word in PIECES if word not in given]
        if lacking or "mass" in given:
            raise DeclarationError(
                "A tether in `pieces` has its `density`, mass per length, and `gravity`, and no `mass`."
                f" Got: {listed([*given, 'pieces'])}."
            )
    elif part.nodes or "density" in given or ("mass" in given) != ("gravity" in given):
        raise DeclarationError(
            "A straight tether has no mass, or `mass` with `gravity`; `density` and `nodes` belong to"
            f" one in `pieces`. Got: {listed(given)}."
        )
    if "damping" in given and "stiffness" not in given:
        raise DeclarationError("The `damping` of a tether belongs to its `stiffness`. Give both.")


def _drag(part: TetherPart, k: int, places: list[Any], read: Reading) -> Parts:
    """The drag of each piece; the wind is read once."""
    if part.drag is None:
        return Parts()
    words = ("diameter", "density", "coefficient")
    own = {w: read.scalar(getattr(part.drag, w), "tether", k, "drag", w) for w in words}
    own["wind"] = _wind(part.drag, read, "tether", k, "drag")
    found = Parts()
    for a, b in pairwise(places):
        found += tether.drag(a, b, **own)
    return found


def _drum(part: DrumPart, k: int, read: Reading) -> Parts:
    given = {word: text for word, text in part if text is not None}
    return winch.drum(**{word: read.scalar(text, "drum", k, word) for word, text in given.items()})


def _kite(part: KitePart, k: int, read: Reading) -> Parts:
    place = read.vector(part.at, "kite", k, "at")

    def scalars(*words: str) -> dict[str, Any]:
        return {
            word: read.scalar(getattr(part, word), "kite", k, word)
            for word in words
            if getattr(part, word) is not None
        }

    common = scalars("mass", "area", "density", "gravity")
    wind = _wind(part, read, "kite", k)
    common["wind"] = wind(place[2]) if callable(wind) else wind
    if part.name:
        common["name"] = part.name
    lacking = [w for w in _needed(part) if getattr(part, w) is None]
    unfit = [w for w in _others(part) if getattr(part, w) is not None]
    if lacking or unfit:
        raise DeclarationError(
            "A kite that is a point has `lift` and `drag`, and may have `roll` and `towards`; a rigid"
            " one has `rotation`, `inertia`, `span`, `chord` and `coefficients`, and may have"
            f" `elevator`, `aileron` and `rudder`. Missing: {listed(lacking)}; too much:"
            f" {listed(unfit)}."
        )
    if part.rotation is None:
        towards = None if part.towards is None else read.vector(part.towards, "kite", k, "towards")
        return kite.point_mass(place, **common, **scalars("lift", "drag", "roll"), towards=towards)
    inertia = [read.scalar(x, "kite", k, "inertia", j) for j, x in enumerate(part.inertia or ())]
    return kite.rigid(
        place,
        read.rotation(part.rotation, "kite", k, "rotation"),
        inertia=inertia,
        coefficients=_coefficients(part, k, read),
        **common,
        **scalars("span", "chord", "elevator", "aileron", "rudder"),
    )


def _requirement(part: RequirementPart, k: int, read: Reading) -> Requirement:
    given = {word: getattr(part, word) for word in ("positive", "nonnegative")}
    said = {word: text for word, text in given.items() if text is not None}
    if len(said) != 1:
        raise DeclarationError(
            "Something that is required is `positive` or `nonnegative`, and one of the two. Got:"
            f" {listed(said)}."
        )
    ((word, text),) = said.items()
    e = read.scalar(text, "requirements", k, word)
    return Requirement(e, part.what, word == "positive", part.then)


_POINT = ("lift", "drag")
_RIGID = ("inertia", "span", "chord", "coefficients")


def _needed(part: KitePart) -> tuple[str, ...]:
    return _POINT if part.rotation is None else _RIGID


def _others(part: KitePart) -> tuple[str, ...]:
    if part.rotation is None:
        return (*_RIGID, "elevator", "aileron", "rudder")
    return (*_POINT, "roll", "towards")


def _wind(part: KitePart | DragPart, read: Reading, *path: str | int) -> Any:
    """The velocity of the air: a vector, or by height a speed at a reference height with its shear."""
    shear = {
        word: read.scalar(getattr(part, word), *path, word)
        for word in ("reference", "exponent", "roughness")
        if getattr(part, word) is not None
    }
    if part.wind is not None and not part.wind.lstrip().startswith("["):
        return partial(_at_height, speed=read.scalar(part.wind, *path, "wind"), shear=shear)
    if shear:
        raise DeclarationError(
            "`reference`, `exponent` and `roughness` say how a wind grows with height: give its speed"
            " at the reference height as `wind`, a scalar."
        )
    return None if part.wind is None else read.vector(part.wind, *path, "wind")


def _at_height(height: Any, *, speed: Any, shear: Mapping[str, Any]) -> Any:
    return kite.wind(height, speed, **shear)


def _coefficients(part: KitePart, k: int, read: Reading) -> kite.Aerodynamics:
    given = part.coefficients
    if isinstance(given, str):
        if given not in COEFFICIENTS:
            raise DeclarationError(
                f"There are no coefficients {given!r}. Known: {listed(COEFFICIENTS)}; or write a table"
                " like {CL0 = 0.3, CLa = 4.5, CD0 = 0.03}." + did_you_mean(given, COEFFICIENTS)
            )
        return COEFFICIENTS[given]
    known = [f.name for f in fields(kite.Aerodynamics)]
    for name in given or {}:
        if name not in known:
            raise DeclarationError(
                f"A kite has no coefficient `{name}`. Known: {listed(known)}."
                + did_you_mean(name, known)
            )
    return kite.Aerodynamics(
        **{n: read.scalar(x, "kite", k, "coefficients", n) for n, x in (given or {}).items()}
    )
