"""Draws the two pictures of docs/design.md from the code: python docs/pictures.py

`rooms.svg` has every room with the number of its files, layer by layer; `ways.svg` the rooms that two
models pass, verb by verb, as `benchmarks/rooms.py` counts them.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "benchmarks"))

from rooms import HOUSE, WALKS, crossed, modules  # noqa: E402

LAYERS: list[tuple[str, list[list[str]]]] = [
    ("cli", [["cli"]]),
    ("studio", [["studio", "studio/answers"]]),
    ("display", [["display/report"], ["display/notebook"], ["display/pictures"]]),
    ("lecture", [
        ["studies", "exports", "data"],
        ["lecture/lagrangian", "lecture/linearized", "lecture/varied", "lecture/transformed"],
    ]),
    ("analysis", [
        ["analysis/branches", "analysis/search", "analysis/expansion", "analysis/paths",
         "analysis/fitting"],
        ["analysis/periodic"],
        ["analysis/control", "analysis/reduction", "analysis/stability"],
        ["analysis/linear"],
        ["analysis/rest", "analysis/motion"],
        ["analysis/sensitivities"],
        ["analysis/given"],
        ["analysis/time", "analysis/pieces"],
    ]),
    ("kernels", [
        ["kernels", "kernels/moving", "kernels/sums"],
        ["kernels/native", "kernels/graphs", "kernels/instructions"],
    ]),
    ("mechanics, models, files", [
        ["mechanics", "mechanics/transforms", "mechanics/ritz"],
        ["mechanics/fields", "mechanics/forms"],
        ["models", "files"],
    ]),
    ("language", [["language"]]),
    ("numerics", [
        ["numerics/curves", "numerics/exponential"],
        ["numerics/linear_systems", "numerics/solving", "numerics/spectra"],
        ["numerics"],
    ]),
]  # fmt: skip
"""The rooms as they are drawn, imports going down."""

INSIDE = {
    "exports": ("exports/fmu",),
    "analysis/motion": (
        "analysis/motion/integrators",
        "analysis/motion/rubbing",
        "analysis/motion/starts",
    ),
    "display/pictures": ("display/pictures/space",),
    "files": ("files/urdf",),
    "language": ("language/contact", "language/matter"),
    "mechanics/ritz": ("mechanics/ritz/bases",),
}
"""Rooms that are counted with the one they are in."""

COLOURS = {
    "cli": "#d9d2e9", "studio": "#c9daf8", "display": "#cfe2f3", "lecture": "#d0e0e3",
    "studies": "#d0e0e3", "exports": "#d0e0e3", "data": "#d0e0e3", "analysis": "#d9ead3",
    "kernels": "#fff2cc", "numerics": "#fce5cd", "mechanics": "#f4cccc",
    "models": "#ead1dc", "files": "#ead1dc", "language": "#e6e6e6",
}  # fmt: skip

WIDTH, MARGIN, ROW, GAP = 1040, 110, 50, 4


def sentence(room: str) -> str:
    """What the room says about itself."""
    text = ast.get_docstring(ast.parse((HOUSE / room / "__init__.py").read_text(encoding="utf-8")))
    return (text or "").split("\n")[0].rstrip(".")


def files(room: str) -> int:
    """How many modules stand in it, rooms inside drawn by themselves left out."""
    return sum(
        path.name != "__init__.py"
        for each in (room, *INSIDE.get(room, ()))
        for path in (HOUSE / each).glob("*.py")
    )


def text(x: float, y: float, words: str, size: int, more: str = "") -> str:
    """Words at a place."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" {more}>{escape(words)}</text>'


def wrapped(words: str, most: int) -> list[str]:
    """Words in lines of at most so many letters."""
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) >= most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def page(body: list[str], width: float, height: float) -> str:
    """A whole picture."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
            ' font-family="Helvetica, Arial, sans-serif" fill="#222">',
            f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
            *body,
            "</svg>\n",
        ]
    )


def rooms() -> str:
    """Every room with its files, layer by layer."""
    body, y = [], 12.0
    for name, rows in LAYERS:
        height = len(rows) * (ROW + GAP) - GAP
        body.append(text(12, y + height / 2 + 5, name.split(",")[0], 16, 'font-weight="bold"'))
        for k, other in enumerate(name.split(",")[1:]):
            body.append(text(12, y + height / 2 + 25 + 18 * k, other.strip(), 16, 'font-weight="bold"'))
        for row in rows:
            wide = (WIDTH - MARGIN - 12 - GAP * (len(row) - 1)) / len(row)
            for k, room in enumerate(row):
                x = MARGIN + k * (wide + GAP)
                body.append(
                    f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{ROW}" rx="5"'
                    f' fill="{COLOURS[room.split("/")[0]]}" stroke="#888"/>'
                )
                title = room.removeprefix(f"{name}/")
                body.append(text(x + 8, y + 17, f"{title}  ({files(room)})", 13, 'font-weight="bold"'))
                for n, line in enumerate(wrapped(sentence(room), int(wide / 5.6))[:2]):
                    body.append(text(x + 8, y + 31 + 13 * n, line, 11))
            y += ROW + GAP
        y += 8
    ground = (
        "Files of their own: results (what verbs return), energies (elements that are written often),"
        " disk (files written whole), errors, arrays, version."
    )
    body.append(text(MARGIN, y + 8, ground, 12))
    return page(body, WIDTH, y + 22)


def ways() -> str:
    """The rooms that two models pass, verb by verb."""
    every = [room for _, rows in reversed(LAYERS) for row in reversed(rows) for room in row]
    inner = {child: room for room, children in INSIDE.items() for child in children}
    found = {title: crossed(walk) for title, walk in WALKS.items()}
    names = modules()

    def room_of(module: str) -> str:
        place = "/".join(names[module].relative_to(HOUSE).parent.parts)
        return inner.get(place, place)

    met = {
        title: {verb: Counter(map(room_of, way)) for verb, way in verbs.items()}
        for title, verbs in found.items()
    }
    columns = [room for room in every if any(c[room] for v in met.values() for c in v.values())]
    verbs = list(dict.fromkeys(verb for v in reversed(list(met.values())) for verb in v))
    left, top, wide, high = 110, 140, 42, 48
    body = []
    for k, room in enumerate(columns):
        x = left + (k + 0.5) * wide
        body.append(text(x, top - 12, room, 13, f'transform="rotate(-50 {x:g} {top - 12})"'))
        body.append(
            f'<line x1="{x:g}" y1="{top}" x2="{x:g}" y2="{top + high * len(verbs)}" stroke="#eee"/>'
        )
    for n, verb in enumerate(verbs):
        y = top + (n + 0.5) * high
        body.append(text(left - 10, y + 5, verb, 14, 'text-anchor="end"'))
        for shift, (colour, counted) in zip(
            (-10, 10), zip(("#3d6fb5", "#d98032"), met.values(), strict=True), strict=True
        ):
            for k, room in enumerate(columns):
                count = counted.get(verb, Counter())[room]
                if count:
                    x = left + (k + 0.5) * wide
                    body.append(f'<circle cx="{x:g}" cy="{y + shift:g}" r="9" fill="{colour}"/>')
                    body.append(
                        text(x, y + shift + 4, str(count), 11, 'text-anchor="middle" fill="white"')
                    )
    below = top + high * len(verbs) + 24
    for k, (colour, (title, verbs_met)) in enumerate(
        zip(("#3d6fb5", "#d98032"), found.items(), strict=True)
    ):
        total = len(set().union(*verbs_met.values()))
        x = left + 330 * k
        body.append(f'<circle cx="{x}" cy="{below - 5}" r="7" fill="{colour}"/>')
        body.append(text(x + 14, below, f"{title}: {total} modules", 14))
    body.append(text(left, below + 22, "Numbers: modules of a room of which a function runs.", 12))
    return page(body, left + wide * len(columns) + 70, below + 34)


if __name__ == "__main__":
    (HERE / "rooms.svg").write_text(rooms(), encoding="utf-8")
    (HERE / "ways.svg").write_text(ways(), encoding="utf-8")
