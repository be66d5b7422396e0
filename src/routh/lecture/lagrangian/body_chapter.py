"""The chapter on a rigid body: its matter, its mass, its centre, its inertia, and Koenig's theorem."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from routh.language.matter.body import Body
from routh.lecture.kinds import chapter_of
from routh.lecture.lagrangian.expressions import column
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula

AXES = "123"


@chapter_of.register
def body_chapter(body: Body) -> Chapter:
    """From the density at every place to what a body that moves needs."""
    return chapter(
        "A rigid body",
        [
            ("Matter", list(_matter(body))),
            ("Mass", list(_mass(body))),
            ("Centre of mass", list(_centre(body))),
            ("Inertia", list(_inertia(body))),
            ("Kinetic energy", list(_koenig())),
        ],
    )


def _matter(body: Body) -> Iterator[Step]:
    several = len(body.pieces) > 1
    for k, piece in enumerate(body.pieces, 1):
        yield f"The places of piece {k} are" if several else "Its places are"
        yield formula(_word("place"), column(piece.place))
        ranges = [f"`{s}` from `{s.bounds[0]}` to `{s.bounds[1]}`" for s in reversed(piece.spaces)]
        yield f"with {', '.join(ranges)}."
        yield "The mass for a unit of these is the density times what it covers:"
        yield formula(_word("matter"), piece.density * piece.measure)
    if several:
        yield "What is cut out counts as matter below zero."


def _mass(body: Body) -> Iterator[Step]:
    yield "The mass is the integral of the matter:"
    yield formula(_word("mass"), _integral(body, ()), body.mass)


def _centre(body: Body) -> Iterator[Step]:
    yield "The integral of the matter times the place, divided by the mass, is the centre of mass:"
    for i, c in enumerate(body.centre):
        yield formula(_word(f"centre_{AXES[i]}"), _integral(body, (i,)) / body.mass, c)


def _inertia(body: Body) -> Iterator[Step]:
    yield (
        "About the origin of the axes of the body, moments of inertia are integrals of the squared"
        " distance from an axis, and products of inertia those of two components, with a minus sign:"
    )
    origin = body.about([0, 0, 0])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        squared = _integral(body, (j, j), (k, k))
        yield formula(_entry("origin", i, i), squared, origin[i, i])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if origin[i, j] != 0:
            product = _integral(body, (i, j))
            yield formula(_entry("origin", i, j), -product, origin[i, j])
    if all(c == 0 for c in body.centre):
        yield "The centre of mass is the origin: this is the inertia about the centre of mass."
        return
    yield (
        "By Steiner's theorem the inertia about the centre of mass is smaller by that of the whole mass"
        " at the centre, about the origin:"
    )
    c = [*body.centre, *([0] if body.flat else [])]
    for i in range(3):
        for j in range(i, 3):
            square = sum(x * x for x in c) if i == j else 0
            steiner = body.mass * (square - c[i] * c[j])
            if origin[i, j] != 0 or steiner != 0:
                sides = [origin[i, j] - steiner] if steiner != 0 else []
                yield formula(_entry("inertia", i, j), *sides, body.inertia[i, j])


def _koenig() -> Iterator[Step]:
    yield (
        "By Koenig's theorem the integral of half the matter times the squared velocity, over all"
        " places, is the kinetic energy of the whole mass at the centre of mass, and that of turning"
        " about it: half of the angular velocity, times the inertia about the centre of mass, times the"
        " angular velocity, along axes of the body."
    )


def _integral(body: Body, *products: tuple[int, ...]) -> sympy.Expr:
    """The integral of matter times a sum of products of components of the place, as it is written."""

    def function(place: sympy.MatrixBase) -> sympy.Expr:
        return sympy.Add(*(sympy.Mul(*(place[i] for i in each)) for each in products))

    return sympy.Add(*(piece.integral(function(piece.place)) for piece in body.pieces))


def _entry(word: str, i: int, j: int) -> Formula:
    return _word(f"{word}_{AXES[i]}{AXES[j]}")


def _word(name: str) -> Formula:
    """A word in the place of a letter, which the body may have taken."""
    stem, _, index = name.partition("_")
    return Formula(name, rf"\mathrm{{{stem}}}" + (f"_{{{index}}}" if index else ""))
