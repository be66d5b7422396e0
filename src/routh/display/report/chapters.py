"""Derivations in a report: chapters of a lecture as sentences, formulas and tables."""

from __future__ import annotations

from routh.display.report.items import Cell, Equation, Heading, Item, Maths, Rows, Words
from routh.mechanics.forms.chapter import Chapter, Formula, Table


def chapter_items(chapter: Chapter) -> tuple[Item, ...]:
    """A derivation as sentences, formulas and tables, with its sections below."""
    found: list[Item] = []
    for section in chapter:
        found.append(Heading(section.title, 4))
        for step in section.steps:
            if isinstance(step, Formula):
                found.append(Equation(step.latex))
            elif isinstance(step, Table):
                found.append(
                    Rows(
                        tuple(map(_cell, step.head)), tuple(tuple(map(_cell, row)) for row in step.rows)
                    )
                )
            else:
                found.append(Words(step))
    return tuple(found)


def _cell(cell: str | Formula) -> Cell:
    return Maths(cell.latex) if isinstance(cell, Formula) else cell
