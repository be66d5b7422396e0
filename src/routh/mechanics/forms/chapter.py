"""A derivation in writing: sentences, formulas and tables, in sections with titles.

Formulas are kept as plain text and as LaTeX, so that a chapter can be printed, copied and shown without
asking anything of what it was made from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import sympy

from routh.errors import DeclarationError, did_you_mean, listed
from routh.mechanics.forms.printing import latex, text


@dataclass(frozen=True)
class Formula:
    """One formula, as plain text and as LaTeX."""

    text: str
    latex: str

    def __str__(self) -> str:
        return self.text

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


Side: TypeAlias = "Formula | sympy.Basic | str | int"
"""What stands on one side of an equals sign; a string is the same in text and in LaTeX."""


@dataclass(frozen=True)
class Table:
    """Rows of numbers, words or formulas under their heads."""

    head: tuple[str | Formula, ...]
    rows: tuple[tuple[str | Formula, ...], ...]

    def text(self) -> str:
        """The table with columns under each other."""
        lines = [[str(cell) for cell in row] for row in (self.head, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in lines
        )

    def latex(self) -> str:
        """The table in LaTeX."""
        rows = [" & ".join(map(_cell_latex, row)) for row in (self.head, *self.rows)]
        inside = r" \\ ".join([rows[0] + r" \\ \hline " + rows[1], *rows[2:]] if self.rows else rows)
        return rf"\begin{{array}}{{{'r' * len(self.head)}}} {inside} \end{{array}}"

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


Step = str | Formula | Table
"""A sentence, a formula or a table."""


@dataclass(frozen=True)
class Section:
    """Steps that belong together."""

    title: str
    steps: tuple[Step, ...]

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas, in order."""
        return tuple(step for step in self.steps if isinstance(step, Formula))

    def text(self) -> str:
        """The section as plain text."""
        return "\n".join([self.title, "-" * len(self.title), *map(_step_text, self.steps)])

    def latex(self) -> str:
        """The section as a fragment of a LaTeX document."""
        title = rf"\subsection*{{{_escaped(self.title)}}}"
        return "\n".join([title, *(_step_latex(step) for step in self.steps)])

    def markdown(self) -> str:
        """The section as Markdown, formulas between double dollars."""
        steps = (
            _marked(step) if isinstance(step, str) else f"$${_maths(step)}$$" for step in self.steps
        )
        return "\n\n".join([f"### {_marked(self.title)}", *steps])

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


@dataclass(frozen=True, repr=False)
class Chapter:
    """A derivation: print it, copy it as LaTeX or Markdown, or show it in a notebook.

    Example:
        >>> lines = ("The slope of", formula("V", sympy.Symbol("x")**2 / 2))
        >>> print(Chapter("A spring", (Section("Energy", lines),)))
        A spring
        ========
        <BLANKLINE>
        Energy
        ------
        The slope of
            V = x**2/2
    """

    title: str
    sections: tuple[Section, ...]

    def __getitem__(self, title: str) -> Section:
        """A section by its title."""
        for section in self.sections:
            if section.title == title:
                return section
        titles = [section.title for section in self.sections]
        raise DeclarationError(
            f"The chapter has no section `{title}`. Sections: {listed(titles)}."
            + did_you_mean(title, titles)
        )

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def text(self) -> str:
        """The chapter as plain text."""
        head = f"{self.title}\n{'=' * len(self.title)}"
        return "\n\n".join([head, *(section.text() for section in self.sections)])

    def latex(self) -> str:
        """The chapter as a fragment of a LaTeX document, with sections and displayed formulas."""
        head = rf"\section*{{{_escaped(self.title)}}}"
        return "\n".join([head, *(section.latex() for section in self.sections)])

    def markdown(self) -> str:
        """The chapter as Markdown, formulas between double dollars."""
        head = f"## {_marked(self.title)}"
        return "\n\n".join([head, *(section.markdown() for section in self.sections)])

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Chapter({self.title!r}, {len(self.sections)} sections)"

    def _repr_markdown_(self) -> str:
        return self.markdown()


def formula(*sides: Side, relation: str = "=") -> Formula:
    """Sides with a relation between them: `formula("T", T)` is T = ..., `formula(row, 0)` a row = 0.

    Example:
        >>> print(formula("V", sympy.Symbol("k") * sympy.Symbol("x") ** 2 / 2))
        V = k*x**2/2
    """
    in_latex = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "->": r"\to"}.get(relation, relation)
    written = [_side(side) for side in sides]
    return Formula(
        f" {relation} ".join(side.text for side in written),
        f" {in_latex} ".join(side.latex for side in written),
    )


def chapter(title: str, sections: Iterable[tuple[str, Iterable[Step]]]) -> Chapter:
    """A chapter of sections that have something in them."""
    made = [Section(name, tuple(steps)) for name, steps in sections]
    return Chapter(title, tuple(section for section in made if section.steps))


def _side(side: Side) -> Formula:
    if isinstance(side, Formula):
        return side
    if isinstance(side, sympy.Basic | sympy.MatrixBase):
        return Formula(text(side), latex(side))
    return Formula(str(side), str(side))


def _cell_latex(cell: str | Formula) -> str:
    return cell.latex if isinstance(cell, Formula) else rf"\text{{{_escaped(cell)}}}"


def _maths(step: Formula | Table) -> str:
    return step.latex if isinstance(step, Formula) else step.latex()


def _step_text(step: Step) -> str:
    if isinstance(step, str):
        return step
    inside = step.text if isinstance(step, Formula) else step.text()
    return "\n".join("    " + line for line in inside.splitlines())


def _step_latex(step: Step) -> str:
    return _escaped(step) if isinstance(step, str) else rf"\[ {_maths(step)} \]"


def _escaped(words: str) -> str:
    """Words as LaTeX takes them; names in backticks are set as code."""
    pieces = ["".join(_SPECIAL.get(s, s) for s in piece) for piece in _one_line(words).split("`")]
    if len(pieces) % 2 == 0:
        return "`".join(pieces)
    return "".join(rf"\texttt{{{piece}}}" if k % 2 else piece for k, piece in enumerate(pieces))


def _marked(words: str) -> str:
    """Words in which Markdown, HTML and dollars see no marks but the backticks of names."""
    pieces = _one_line(words).split("`")
    if len(pieces) % 2 == 0:
        return r"\`".join(map(_unmarked, pieces))
    return "`".join(piece if k % 2 else _unmarked(piece) for k, piece in enumerate(pieces))


def _one_line(words: str) -> str:
    return " ".join(words.split())


def _unmarked(words: str) -> str:
    return re.sub(r"([\\*_\[\]<>$#|&~^{}!])", r"\\\1", words)


_SPECIAL = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "<": r"\textless{}",
            ">": r"\textgreater{}", **{sign: "\\" + sign for sign in "&%$#_{}"}}  # fmt: skip
