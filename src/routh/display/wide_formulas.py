"""Formulas in lines that fit a page.

A wide row is broken before its relations and signs, and behind its commas. A term that is still too
wide has its brackets, fractions, roots and matrices set in several lines inside; a product that nothing
of this makes narrow is broken between its factors. What is left, like a large matrix of numbers, is
told by its size, so that a page can set it smaller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from routh.display.formula_tree import (
    DISPLAY,
    TEXT,
    Node,
    Row,
    cells,
    column_widths,
    height,
    latex_of,
    read,
    width,
)

PAGE = 38.0
"""What fits a line of A4 beside the number of the equation, in em."""

ROUNDING = 0.6
"""Lines under each other may be this much wider than each of them was."""

INDENT = 1.0
"""How far lines after the first of a formula stand in."""

HIGH = 60.0
"""What fits a page from top to bottom, in em."""

LEAST = 8.0
"""A left side that is narrower stays beside what it is equal to."""

NARROWEST = 7.0
"""What is set in several lines is not narrower."""

_HOLLOW = ("fence", "fraction", "root", "group", "array")


def lines(latex: str, limit: float = PAGE) -> list[str]:
    """The lines of one formula in LaTeX; those after the first are further in."""
    found = [latex_of(row).strip() for row in _lines(read(latex), limit)]
    return [found[0], *(rf"\quad {line}" for line in found[1:])]


def fitted(formulas: Iterable[str], limit: float = PAGE) -> str:
    """Formulas under each other, in lines that fit; one that fits alone as it is.

    Rows that are aligned at an `&` stay so, where they leave enough room behind it.
    """
    given = [row for each in formulas for row in _rows(each)]
    if len(given) == 1 and width(read(given[0])) <= limit:
        return "".join(_parted(given[0]))
    found = _aligned(given, limit)
    if len(found) == 1:
        return "".join(_parted(found[0])).strip()
    inside = r" \\ ".join(found)
    return rf"\begin{{aligned}} {inside} \end{{aligned}}"


def blocks(latex: str) -> list[str]:
    """A formula that fits, in one piece; one that is higher than a page line by line."""
    written = fitted([latex])
    if height(read(written)) <= HIGH:
        return [written]
    return ["".join(_parted(row)) for row in _rows(written)]


def too_large(latex: str) -> float:
    """How wide a line must be for a formula that does not fit a page, in em; 0 for one that does."""
    row = read(latex)
    wide, high = width(row), PAGE * height(row) / HIGH
    return max(wide, high) if wide > PAGE + ROUNDING or high > PAGE else 0.0


def _rows(latex: str) -> list[str]:
    """The rows of a formula that is nothing but aligned ones."""
    row = [node for node in read(latex) if node.kind != "space"]
    if len(row) != 1 or row[0].kind != "array" or "{aligned}" not in row[0].around[0]:
        return [latex]
    node = row[0]
    return ["&".join(latex_of(node.parts[k]) for k in own).strip() for own in cells(node)]


def _aligned(given: list[str], limit: float) -> list[str]:
    """Lines with the mark at which they are aligned."""
    parted = [_parted(row) for row in given]
    left = max(width(read(before)) for before, _ in parted)
    if left > limit / 3:
        parted, left = [("", " ".join(pair)) for pair in parted], 0.0
    return [
        (before if k == 0 else "") + _marked(line)
        for before, behind in parted
        for k, line in enumerate(lines(behind, limit - left))
    ]


def _marked(line: str) -> str:
    """A line behind its mark; a minus there is a sign, no difference."""
    return f"&{line}" if line.startswith("=") else "& " + re.sub(r"^-", "{-}", line)


def _parted(row: str) -> tuple[str, str]:
    """What stands before and behind the first mark outside of matrices."""
    pieces = read(row)
    for k, node in enumerate(pieces):
        if node.kind == "align":
            rest = (each for each in pieces[k + 1 :] if each.kind != "align")
            return latex_of(pieces[:k]), latex_of(tuple(rest))
    return "", row


def _lines(row: Row, limit: float, style: int = DISPLAY) -> list[Row]:
    """A row in lines of some width, as far as it can be broken: a list between what it lists."""
    if width(row, style) <= limit:
        return [row]
    listed = _behind_commas(row)
    found: list[Row] = []
    for chunk in listed if len(listed) > 1 else _before_signs(row):
        room = limit - (INDENT if found else 0.0)
        last = limit - (INDENT if len(found) > 1 else 0.0)
        if found and width(found[-1] + chunk, style) <= last:
            found[-1] += chunk
        elif width(chunk, style) <= room:
            found.append(chunk)
        else:
            found += _lines(chunk, room, style) if len(listed) > 1 else _narrowed(chunk, room, style)
    return found


def _behind_commas(row: Row) -> list[Row]:
    """A row cut behind its commas and the spaces that follow them."""
    found: list[list[Node]] = [[]]
    is_open = False
    for node in row:
        if is_open and node.kind != "space":
            found.append([])
            is_open = False
        found[-1].append(node)
        is_open = is_open or node.kind == "comma"
    return [tuple(chunk) for chunk in found]


def _before_signs(row: Row) -> list[Row]:
    """A row cut before its relations and signs; a short left side is not alone."""
    found: list[list[Node]] = [[]]
    before = ""
    for node in row:
        after_term = before not in ("", "sign", "relation", "times")
        if after_term and node.kind in ("relation", "sign"):
            alone = len(found) == 1 and node.kind == "relation"
            if not (alone and width(tuple(found[0])) < LEAST):
                found.append([])
        found[-1].append(node)
        before = node.kind if node.kind != "space" else before
    return [tuple(chunk) for chunk in found]


def _narrowed(chunk: Row, limit: float, style: int) -> list[Row]:
    """A term made narrower from inside, or broken between its factors, or left as it is."""
    inside = _stacked_inside(chunk, limit, style)
    if width(inside, style) <= limit:
        return [inside]
    return _broken_product(chunk, limit, style) or [inside]


def _stacked_inside(chunk: Row, limit: float, style: int) -> Row:
    """A term whose widest pieces are set in several lines each."""
    wide = {k: width((node,), style) for k, node in enumerate(chunk) if node.kind in _HOLLOW}
    fixed = width(chunk, style) - sum(wide.values())
    most = shared(list(wide.values()), limit - fixed)
    if most < NARROWEST:
        return chunk
    return tuple(
        _stacked(node, most, style) if wide.get(k, 0.0) > most else node for k, node in enumerate(chunk)
    )


def shared(widths: list[float], room: float) -> float:
    """What each piece may take at most, so that together they take the room; small ones take less."""
    left = sorted(widths)
    while left and left[0] <= room / len(left):
        room -= left.pop(0)
    return room / len(left) if left else room


def _stacked(node: Node, limit: float, style: int) -> Node:
    """A piece with its rows in several lines."""
    if node.kind == "array":
        return _narrow_array(node, limit, style)
    own = width((node,), style) - max(width(part, style) for part in node.parts)
    lower = style if node.kind != "fraction" else min(style + 1, 3)
    room = limit - max(own, 0.0) if node.kind != "fraction" else limit - 0.3
    return node.with_parts(tuple(_stack(part, room, lower) for part in node.parts))


def _stack(row: Row, limit: float, style: int) -> Row:
    """A row as a pile of lines; braces about it stay outside."""
    if width(row, style) <= limit:
        return row
    if len(row) == 1 and row[0].kind == "group":
        return (row[0].with_parts((_stack(row[0].parts[0], limit, style),)),)
    found = _lines(row, limit - ROUNDING, DISPLAY)  # aligned sets its lines as displayed ones
    if len(found) == 1:
        return found[0]
    indent = (Node("space", (r"\quad ",), em=INDENT),)
    parts = [part for k, line in enumerate(found) for part in ((), (indent if k else ()) + line)]
    around = [r"\begin{aligned} ", *(["& ", r" \\ "] * len(found))]
    around[-1] = r"\end{aligned}"
    return (Node("array", tuple(around), tuple(parts), columns=2),)


def _narrow_array(node: Node, limit: float, style: int) -> Node:
    """A matrix whose wide entries are set in several lines."""
    columns = column_widths(node, style)
    most = shared(columns, limit - (width((node,), style) - sum(columns)))
    if most < NARROWEST:
        return node
    return node.with_parts(tuple(_stack(part, most, TEXT) for part in node.parts))


def _broken_product(chunk: Row, limit: float, style: int) -> list[Row]:
    """A product in lines, a dot before those after the first; none where it is no plain product."""
    if re.search(r"\\int|\\sum|\\partial|\\frac\{d", latex_of(chunk)):
        return []
    factors = _factors(chunk)
    if len(factors) < 2:
        return []
    dot = (Node("times", (r"\cdot ",), em=0.3),)
    found: list[Row] = []
    for factor in factors:
        if found and width(found[-1] + factor, style) <= limit - INDENT:
            found[-1] += factor
            continue
        own = factor if not found or factor[0].kind == "times" else dot + factor
        fits = width(own, style) <= limit - INDENT
        found.append(own if fits else _stacked_inside(own, limit - INDENT, style))
    return found


def _factors(chunk: Row) -> list[Row]:
    """A term cut before and behind its brackets and fractions; scripts and functions stay whole."""
    found: list[list[Node]] = [[]]
    for node in chunk:
        last = next((each.kind for each in reversed(found[-1]) if each.kind != "space"), "")
        ends = last in ("fence", "fraction", "script", "letter", "group", "root")
        starts = node.kind in ("fence", "fraction", "letter", "root", "function")
        beside = node.kind in ("fence", "fraction") or last in ("fence", "fraction")
        if (ends and starts and beside) or (node.kind == "times" and last):
            found.append([])
        found[-1].append(node)
    return [tuple(factor) for factor in found]
