r"""LaTeX of formulas as a tree whose parts know how wide they are.

It reads what printers and chapters write: letters, scripts, fractions, roots, `\left` and `\right`,
matrices and `aligned`. Widths are those of Computer Modern, in em of the formula's own size; spaces and
brackets are rounded up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

DISPLAY, TEXT, SCRIPT, SMALLEST = range(4)
"""Styles of TeX: displayed, in a line, in an index, in an index of an index."""

SCALE = (1.0, 1.0, 0.7, 0.5)
_IN_FRACTIONS = (TEXT, SCRIPT, SMALLEST, SMALLEST)
_IN_SCRIPTS = (SCRIPT, SCRIPT, SMALLEST, SMALLEST)

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ITALIC = dict(zip(_LETTERS, (
    75, 81, 79, 86, 80, 78, 79, 91, 52, 65, 92, 68, 108, 91, 79, 78, 79, 77, 67, 72, 79, 81, 108, 91,
    80, 75, 53, 43, 43, 52, 47, 60, 51, 58, 34, 47, 55, 32, 88, 60, 48, 50, 48, 48, 47, 36, 57, 52, 74,
    57, 53, 51,
), strict=True))  # fmt: skip
_UPRIGHT = dict(zip(_LETTERS, (
    75, 71, 72, 76, 68, 65, 78, 75, 36, 51, 78, 62, 92, 75, 78, 68, 78, 74, 56, 72, 75, 75, 103, 75, 75,
    61, 50, 56, 44, 56, 44, 31, 50, 56, 28, 31, 53, 28, 83, 56, 50, 56, 53, 39, 39, 39, 56, 53, 72, 53,
    53, 44,
), strict=True))  # fmt: skip
"""Hundredths of an em, from the metrics of the fonts: cmmi10 with its italic corrections, and cmr10."""

_PLAIN = {"(": 0.39, ")": 0.39, "[": 0.28, "]": 0.28, ".": 0.28, "'": 0.3, "|": 0.28, ":": 0.28}
_SPACES = {
    r"\,": 0.17, r"\;": 0.28, r"\:": 0.22, r"\!": -0.17, r"\ ": 0.25, r"\quad": 1.0, r"\qquad": 2.0,
}  # fmt: skip
_SIGNS = ("+", "-")
_RELATIONS = (
    "=", "<", ">", r"\le", r"\ge", r"\ne", r"\lt", r"\gt", r"\to", r"\approx", r"\equiv",
    r"\sim", r"\in",
)  # fmt: skip
_BINARY = (r"\cdot", r"\times", r"\pm", r"\mp")
_FUNCTIONS = (
    r"\sin", r"\cos", r"\tan", r"\sinh", r"\cosh", r"\tanh", r"\exp", r"\log", r"\max",
    r"\min", r"\det",
)  # fmt: skip
_FONTS = {
    r"\mathrm": 1.0, r"\text": 1.0, r"\operatorname": 1.0, r"\mathbf": 1.16, r"\mathcal": 1.3,
    r"\boldsymbol": 1.16, r"\mathit": 1.05, r"\mathtt": 1.2, r"\mathbb": 1.1,
}  # fmt: skip
_ACCENTS = (
    r"\dot", r"\ddot", r"\dddot", r"\hat", r"\bar", r"\tilde", r"\vec", r"\overline", r"\widehat",
)  # fmt: skip
_NO_WIDTH = (r"\limits", r"\nolimits", r"\displaystyle", r"\textstyle")
_WIDER = {r"\int": 1.1, r"\sum": 1.45, r"\ldots": 1.2, r"\cdots": 1.2, r"\infty": 1.0}

FENCE, TALL_FENCE, ROOT, NULL = 0.6, 0.9, 1.0, 0.24
"""Widths of a bracket, of one about something tall, of the sign of a root, of a fraction's ends."""

THIN, MEDIUM, THICK = 0.167, 0.222, 0.278
"""Spaces of TeX about functions and brackets, signs, and relations."""

_TOKEN = re.compile(r"\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)

Row = tuple["Node", ...]


@dataclass(frozen=True, eq=False)
class Node:
    """A piece of a formula.

    Attributes:
        kind: letter, sign, relation, times, comma, space, function, script, group, fraction, fence,
            root, array, align (the mark `&`).
        around: what is written before, between and behind the parts.
        parts: rows inside.
        em: the width of what has no parts.
        columns: of an array.
    """

    kind: str
    around: tuple[str, ...]
    parts: tuple[Row, ...] = ()
    em: float = 0.0
    columns: int = 0
    _widths: dict[int, float] = field(default_factory=dict)

    @property
    def latex(self) -> str:
        """The piece as it is written."""
        between = zip(map(latex_of, self.parts), self.around[1:], strict=True)
        return self.around[0] + "".join(own + behind for own, behind in between)

    def width(self, style: int) -> float:
        """How wide it is in a style, in em of the whole formula."""
        if style not in self._widths:
            self._widths[style] = _node_width(self, style)
        return self._widths[style]

    def with_parts(self, parts: tuple[Row, ...]) -> Node:
        """The piece with other rows inside."""
        return Node(self.kind, self.around, parts, self.em, self.columns)


def latex_of(row: Row) -> str:
    """A row as it is written."""
    return "".join(node.latex for node in row)


def read(latex: str) -> Row:
    """A formula as a row of pieces."""
    return tuple(_Reader(latex).row(()))


class _Reader:
    """Goes through a formula from left to right."""

    def __init__(self, latex: str) -> None:
        self._tokens = _TOKEN.findall(latex)[::-1]

    def row(self, until: tuple[str, ...]) -> Iterator[Node]:
        """Pieces up to one of some tokens, which is left."""
        while self._tokens and not self._tokens[-1].startswith(until or ("\0",)):
            yield self._node()

    def _node(self) -> Node:
        word = self._tokens.pop()
        if word.startswith(r"\begin"):
            return self._array(word)
        if word == r"\left":
            opening = word + self._delimiter()
            inside = tuple(self.row((r"\right",)))
            closing = (self._tokens.pop() if self._tokens else "") + self._delimiter()
            return Node("fence", (opening, closing), (inside,))
        if word == "{":
            return self._group("{")
        if word in ("_", "^"):
            return Node("script", (word, ""), (self._argument(),))
        if word == r"\frac":
            above = self._argument()
            return Node("fraction", (word, "", ""), (above, self._argument()))
        if word == r"\sqrt":
            index = self._optional()
            return Node("root", (word + index, ""), (self._argument(),))
        if word in _FONTS:
            return self._word(word)
        if word in _ACCENTS:
            return Node("group", (word, ""), (self._argument(),))
        return _leaf(word)

    def _group(self, opening: str) -> Node:
        inside = tuple(self.row(("}",)))
        closing = self._tokens.pop() if self._tokens else ""
        return Node("group", (opening, closing), (inside,))

    def _argument(self) -> Row:
        """What a command acts upon: a group, or one piece."""
        blank = self._blank()
        if not self._tokens:
            return ()
        return (Node("space", (blank,)), self._node()) if blank else (self._node(),)

    def _optional(self) -> str:
        if not self._tokens or self._tokens[-1] != "[":
            return ""
        found = ""
        while self._tokens and not found.endswith("]"):
            found += self._tokens.pop()
        return found

    def _blank(self) -> str:
        return self._tokens.pop() if self._tokens and self._tokens[-1].isspace() else ""

    def _delimiter(self) -> str:
        blank = self._blank()
        return blank + (self._tokens.pop() if self._tokens else "")

    def _word(self, font: str) -> Node:
        """A word, read letter by letter; what is no letter counts as one."""
        blank = self._blank()
        if not self._tokens or self._tokens[-1] != "{":
            return Node("letter", (font + blank,))
        found, depth = "", 0
        while self._tokens:
            word = self._tokens.pop()
            found += word
            depth += (word == "{") - (word == "}")
            if not depth:
                break
        inside = re.sub(r"\\[A-Za-z]+|\\(?=.)", "", found[1:-1])
        em = _FONTS[font] * sum(_UPRIGHT.get(x, 28 if x in " .,:;()-" else 60) for x in inside) / 100
        kind = "function" if font == r"\operatorname" else "letter"
        return Node(kind, (font + blank + found,), em=em)

    def _array(self, word: str) -> Node:
        name = word[7:-1]
        columns = self._columns() if name == "array" else ""
        around, parts, widest, count = [word + columns], list[Row](), 1, 1
        while True:
            parts.append(tuple(self.row(("&", r"\\", r"\end"))))
            mark = self._tokens.pop() if self._tokens else ""
            count = count + 1 if mark == "&" else 1
            widest = max(widest, count)
            around.append(mark)
            if mark not in ("&", r"\\"):
                return Node("array", tuple(around), tuple(parts), columns=widest)

    def _columns(self) -> str:
        found = ""
        while self._tokens and not found.endswith("}"):
            found += self._tokens.pop()
        return found


def _leaf(word: str) -> Node:
    if word.isspace() or word in _NO_WIDTH:
        return Node("space", (word,))
    if word in _SPACES:
        return Node("space", (word,), em=_SPACES[word])
    if word in _SIGNS:
        return Node("sign", (word,), em=0.78)
    if word in _RELATIONS:
        return Node("relation", (word,), em=0.78)
    if word in _BINARY:
        return Node("times", (word,), em=0.3 if word == r"\cdot" else 0.78)
    if word in (",", ";"):
        return Node("comma", (word,), em=0.28 + THIN)
    if word == "&":
        return Node("align", (word,))
    if word in _FUNCTIONS:
        return Node("function", (word,), em=sum(_UPRIGHT[x] for x in word[1:]) / 100)
    if word.startswith("\\"):
        return Node("letter", (word,), em=_WIDER.get(word, 0.78 if word[1:2].isupper() else 0.66))
    return Node("letter", (word,), em=_PLAIN.get(word, _ITALIC.get(word, 50) / 100))


def width(row: Row, style: int = DISPLAY) -> float:
    """How wide a row is, in em of the size around it."""
    total, low, before = 0.0, 0.0, ""
    for node in row:
        own = node.width(style)
        if node.kind == "script":  # an index stands below an exponent
            total, low = total + max(0.0, own - low), max(own, low)
            before = "letter"
            continue
        if node.kind == "space" and not node.em:
            continue
        total, low = total + own + _space(before, node.kind, style), 0.0
        before = node.kind
    return total


def _space(before: str, kind: str, style: int) -> float:
    """The space that TeX puts before a piece."""
    if style >= SCRIPT:
        return THIN * SCALE[style] if "function" in (before, kind) and before else 0.0
    if kind == "sign":
        return 0.0 if before in ("", "sign", "relation", "comma", "align") else 2 * MEDIUM
    if kind == "times":
        return 2 * MEDIUM
    if kind == "relation":
        return 2 * THICK
    if kind in ("fence", "function") or before in ("fence", "function"):
        return THIN if before not in ("", "sign", "relation") else 0.0
    return 0.0


def _node_width(node: Node, style: int) -> float:
    scale = SCALE[style]
    match node.kind:
        case "fraction":
            lower = _IN_FRACTIONS[style]
            return NULL * scale + max(width(part, lower) for part in node.parts)
        case "script":
            return width(node.parts[0], _IN_SCRIPTS[style]) + 0.05
        case "fence":
            bracket = TALL_FENCE if _is_tall(node.parts[0]) else FENCE
            return 2 * bracket * scale + width(node.parts[0], style)
        case "root":
            return ROOT * scale + width(node.parts[0], style)
        case "array":
            return _array_width(node, style)
    return node.em * scale + sum(width(part, style) for part in node.parts)


def cells(node: Node) -> list[list[int]]:
    """The numbers of the parts of an array, row by row."""
    rows: list[list[int]] = [[]]
    for k in range(len(node.parts)):
        rows[-1].append(k)
        if node.around[k + 1].strip() == r"\\":
            rows.append([])
    return rows


def column_widths(node: Node, style: int) -> list[float]:
    """How wide the columns of an array are."""
    inner = DISPLAY if "aligned" in node.around[0] else max(style, TEXT)
    found = [0.0] * node.columns
    for row in cells(node):
        for place, k in enumerate(row):
            found[place] = max(found[place], width(node.parts[k], inner))
    return found


def _array_width(node: Node, style: int) -> float:
    brackets = 1.4 if re.search(r"\{[bpvB]matrix", node.around[0]) else 0.0
    apart = (
        0.5 if "aligned" in node.around[0] else float(node.columns - 1 + ("{array" in node.around[0]))
    )
    return sum(column_widths(node, style)) + (apart + brackets) * SCALE[style]


def _is_tall(row: Row) -> bool:
    tall = ("fraction", "array", "root", "fence")
    return any(node.kind in tall or any(map(_is_tall, node.parts)) for node in row)


def height(row: Row) -> float:
    """About how high a row is, in em; rounded up."""
    return max((_node_height(node) for node in row), default=1.0)


def _node_height(node: Node) -> float:
    inside = [height(part) for part in node.parts]
    match node.kind:
        case "fraction":
            return sum(inside) + 0.5
        case "array":
            rows = [max(inside[k] for k in own) for own in cells(node)]
            return sum(max(own, 1.0) + 0.5 for own in rows)
        case "root" | "script":
            return inside[0] + 0.3
    return max(inside, default=1.0)
