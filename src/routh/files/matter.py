"""Rigid bodies of model files: a shape with its sizes, a region of a map, or others put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from routh.errors import DeclarationError, did_you_mean, listed
from routh.files.named_texts import NamedTexts
from routh.files.schema import BodyPart
from routh.language.fields import Space
from routh.language.matter.body import Body
from routh.language.rotations import rotation
from routh.models import rigid

_Kind = TypeVar("_Kind")


@dataclass(frozen=True)
class Shape:
    """How a body of some shape is made, and the sizes it has."""

    make: Callable[..., Body]
    sizes: tuple[str, ...]


SHAPES = {
    "rod": Shape(rigid.rod, ("length",)),
    "rectangle": Shape(rigid.rectangle, ("width", "height")),
    "disc": Shape(rigid.disc, ("radius",)),
    "ring": Shape(rigid.ring, ("radius",)),
    "box": Shape(rigid.box, ("length", "width", "height")),
    "cylinder": Shape(rigid.cylinder, ("radius", "height")),
    "sphere": Shape(rigid.sphere, ("radius",)),
    "spherical_shell": Shape(rigid.spherical_shell, ("radius",)),
    "cone": Shape(rigid.cone, ("radius", "height")),
}
"""The shapes that a model file may name, with the words of their sizes."""

SIZES = ("length", "width", "height", "radius")


def made_body(name: str, part: BodyPart, read: NamedTexts) -> Body:
    """The body that a table describes, turned and put where it says."""
    path = ("bodies", name)
    kinds = [word for word in ("shape", "place", "parts") if getattr(part, word)]
    if len(kinds) != 1 or (part.without and kinds != ["parts"]):
        raise DeclarationError(
            'A body has a `shape`, like "disc", a `place` in `spaces`, or `parts`, names of bodies that'
            f" make it up, which may have others cut out, `without`. Got: {listed(_given(part))}."
        )
    made = {"shape": _shaped, "place": _region, "parts": _composed}[kinds[0]](name, part, read)
    if part.angle is not None:
        made = made.turned(rotation(read.scalar(part.angle, *path, "angle"), [0, 0, 1]))
    if part.at is not None:
        made = made.shifted(read.vector(part.at, *path, "at"))
    return made


def _shaped(name: str, part: BodyPart, read: NamedTexts) -> Body:
    word = str(part.shape)
    if word not in SHAPES:
        raise DeclarationError(
            f"There is no shape {word!r}. Known: {listed(SHAPES)}." + did_you_mean(word, SHAPES)
        )
    shape = SHAPES[word]
    given = [size for size in SIZES if getattr(part, size) is not None]
    if set(given) != set(shape.sizes) or part.spaces:
        raise DeclarationError(
            f"The sizes of a {word} are {listed(shape.sizes)}. Got: {listed(_given(part))}."
        )
    sizes = [read.scalar(getattr(part, size), "bodies", name, size) for size in shape.sizes]
    return shape.make(*sizes, **_matter(name, part, read))


def _region(name: str, part: BodyPart, read: NamedTexts) -> Body:
    found = [_known(each, "spaces", Space, read) for each in part.spaces]
    place = read.vector(str(part.place), "bodies", name, "place")
    return rigid.region(place, found, **_matter(name, part, read))


def _composed(name: str, part: BodyPart, read: NamedTexts) -> Body:
    if part.mass is not None or part.density is not None:
        raise DeclarationError(
            f"The body `{name}` has its mass from its parts: give it no `mass` and no `density`."
        )

    def body(word: str) -> Body:
        return _known(word, "bodies", Body, read)

    whole = body(part.parts[0])
    for each in part.parts[1:]:
        whole += body(each)
    for hole in part.without:
        whole -= body(hole)
    return whole


def _matter(name: str, part: BodyPart, read: NamedTexts) -> dict[str, Any]:
    """The mass, or the density as a function of the place, whose components are x, y and z there."""
    found: dict[str, Any] = {}
    if part.mass is not None:
        found["mass"] = read.scalar(part.mass, "bodies", name, "mass")
    if part.density is not None:
        text = part.density

        def density(place: Any) -> Any:
            own: Mapping[str, Any] = dict(zip("xyz", place, strict=False))
            return read.parsed(text, "bodies", name, "density", names=own)

        found["density"] = density
    return found


def _known(name: str, table: str, kind: type[_Kind], read: NamedTexts) -> _Kind:
    value = read.names.get(name)
    if not isinstance(value, kind):
        known = [n for n, x in read.names.items() if isinstance(x, kind)]
        raise DeclarationError(
            f"`{name}` is none of the {table} declared before. Known: {listed(known)}."
            + did_you_mean(name, known)
        )
    return value


def _given(part: BodyPart) -> list[str]:
    return sorted(part.model_fields_set)
