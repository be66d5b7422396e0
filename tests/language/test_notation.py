"""Formulas carry nothing but mathematics, and text no marks: nothing a model says is executed by a paper."""

from __future__ import annotations

import random
import re

import pytest

import routh as rt
from routh.display.report.paper import tabular
from routh.language.notation import KNOWN, no_mathematics

GOOD = [
    r"\theta_1", r"\dot{x}", r"x_{\mathrm{c}}", "x'", r"\hat{\boldsymbol{e}}_{1}", r"m_\text{kg}",
    r"\frac{a}{b}", r"l_{1}^{2}", r"\overset{\circ}{x}", r"\vartheta", r"q_{1,2}", r"x_1^*", r"\bar x",
    r"R_{11}", r"p_{\theta}", r"a\,b", r"\sqrt2", "{x_1}_2", "é",
]  # fmt: skip

BAD = {
    r"\input{/etc/passwd}": r"`\input` is not known there",
    r"\text{$\input{a}$}": "The sign '$'",
    r"\write18{ls}": r"`\write` is not known there",
    r"\csname input\endcsname": r"`\csname` is not known there",
    r"\catcode`\%=12": r"`\catcode` is not known there",
    r"\def\x{}": r"`\def` is not known there",
    r"\href{http://a}{b}": r"`\href` is not known there",
    r"\begin{a}": r"`\begin` is not known there",
    r"\end{document}": r"`\end` is not known there",
    r"\vartheda": r"Did you mean `vartheta`?",
    "^^5cinput{a}": "`^` belongs to something before it",
    "$x$": "The sign '$'",
    "%x": "The sign '%'",
    "x#1": "The sign '#'",
    "x&y": "The sign '&'",
    "~": "The sign '~'",
    r"\\": "The sign '\\\\'",
    "<script>alert(1)</script>": "The sign '<'",
    "x\n\ny": "The sign '\\n'",
    "x\x00": "The sign '\\x00'",
    "x}{": "Its braces do not match",
    "x{": "Its braces do not match",
    "}": "Its braces do not match",
    "_1": "`_` belongs to something before it",
    "x_": "`_` needs something to act upon",
    r"\mathrm": r"`\mathrm` needs something to act upon",
    r"\frac{a}": r"`\frac` needs something to act upon",
    r"\dot_1": r"`\dot` needs something to act upon",
    "x_1_2": "Two `_` in a row need braces",
    "{" * 11 + "}" * 11: "more than 10 deep",
    " ": "It is empty",
}


@pytest.mark.parametrize("latex", GOOD)
def test_what_is_mathematics_is_taken_as_it_is(latex):
    assert no_mathematics(latex) == ""
    assert rt.coordinate("q", latex=latex)._latex_name == latex


@pytest.mark.parametrize("latex", BAD)
def test_what_is_no_mathematics_is_refused_where_a_symbol_is_made(latex):
    assert BAD[latex] in no_mathematics(latex)
    s = rt.space("s", 0, 1)
    for make in (rt.coordinate, rt.parameter, rt.input, lambda n, latex: rt.field(n, s, latex=latex),
                 lambda n, latex: rt.space(n, 0, 1, latex=latex)):  # fmt: skip
        with pytest.raises(rt.DeclarationError, match="The `latex` of `q` must be mathematics, like"):
            make("q", latex=latex)


MODEL = (
    "[coordinates]\nx = {{start = 1.0, latex = '''{}'''}}\n[parameters]\nm = 1\n"
    '[energy]\nkinetic = "m/2*x\'^2"\npotential = "x^2"\n'
)


@pytest.mark.parametrize("latex", [r"\input{/etc/passwd}", "$", "x}{", "<script>", r"\end{document}"])
def test_a_model_with_such_a_symbol_is_refused_with_its_place(latex):
    with pytest.raises(
        rt.DeclarationError, match=r"line 2: `coordinates\.x\.latex`: Expected mathematics"
    ):
        rt.load(MODEL.format(latex))


def test_what_is_saved_can_be_loaded(tmp_path):
    x, m = rt.coordinate("x", latex=r"\hat{x}_{\mathrm{a}}"), rt.parameter("m", 1, latex=r"\mu'")
    path = rt.save(rt.System(kinetic=m / 2 * rt.ddt(x) ** 2, potential=x**2), tmp_path / "a.toml")
    assert rt.load(path).system.coordinates[0]._latex_name == r"\hat{x}_{\mathrm{a}}"


HOSTILE = [
    r"\input{/etc/passwd} \end{document} $\write18{ls}$ %c #1 & ~ ^^5c {x",
    "<script>alert(1)</script> <!-- &lt; ![a](b) [c](d) `e` *f* _g_ | h",
    "one\n\n# two\n\n- three\n\n    four\n\n---\n\n$$\nfive\n$$\n\n~~~six",
    "1. seven\r\n= eight\x00\x1b\u2028nine",
]


@pytest.mark.parametrize(
    "text",
    ["\n\n".join(HOSTILE), *(pytest.param(text, marks=pytest.mark.slow) for text in HOSTILE)],
    ids=["all", "latex", "html", "markdown", "lists"],
)
def test_titles_and_descriptions_are_text(tmp_path, text):
    model = rt.load(SPRING)
    model = type(model)(**(vars(model) | {"name": text[:200], "description": text}))
    tex = rt.report(model, tmp_path / "a.tex").read_text(encoding="utf-8")
    head = tex[tex.index(r"\title") : tex.index(r"\section{Coordinates and parameters}")]
    assert_no_commands(head)
    assert tex.count(r"\end{document}") == 1
    md = rt.report(model, tmp_path / "a.md").read_text(encoding="utf-8")
    head = md[: md.index("## Coordinates and parameters")]
    assert [line for line in head.splitlines() if line] == head.splitlines()[::2]
    assert re.search(r"(?<!\\)[<>$`*_\[\]|~&]", head) is None
    assert not re.search(r"\n[#=+-]|\n\d+[.)]", head)


SPRING = (
    "[coordinates]\nx = {start = 1.0}\n[parameters]\nm = 1\n"
    '[energy]\nkinetic = "m/2*x\'^2"\npotential = "x^2"\n'
)
ALLOWED = {"title", "date", "maketitle", "textbackslash", "textless", "textgreater", "ensuremath"}


def assert_no_commands(tex):
    """No command but those of the page, no sign that TeX reads, braces that match."""
    commands = set(re.findall(r"\\([A-Za-z]+)", tex))
    assert commands <= ALLOWED
    rest = re.sub(r"\\[A-Za-z]+|\\[_%&#$^~{}]", "", tex)
    assert not set(rest) & set("%&#$^~\\\x00")
    depth = 0
    for sign in rest:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0


def test_rows_of_a_table_in_latex_are_text():
    text = tabular([("a", "b"), ("[1ex] \\input{x}", "* & 3")])
    assert r"{[}1ex] \textbackslash{}input\{x\} & {*} \& 3 \\" in text


def mixed(chance, pieces, count):
    return "".join(chance.choice(pieces) for _ in range(count))


@pytest.mark.parametrize(
    "count", [300, pytest.param(20_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_what_is_taken_has_known_commands_matching_braces_and_no_active_signs(count):
    """By a second route: what TeX sees in a text that was taken, from random pieces of formulas."""
    chance = random.Random(5)
    pieces = [
        *GOOD,
        *BAD,
        "{",
        "}",
        "_",
        "^",
        "x",
        "1",
        " ",
        "'",
        "\\",
        "$",
        *(f"\\{k}" for k in KNOWN),
    ]
    taken = 0
    for _ in range(count):
        text = mixed(chance, pieces, chance.randint(1, 4))
        if no_mathematics(text):
            continue
        taken += 1
        assert set(re.findall(r"\\([A-Za-z]+)", text)) <= KNOWN
        assert not set(text) & set('$%#&~<>`"\n\x00')
        assert text.count("{") == text.count("}")
        assert re.search(r"\\[^A-Za-z,;:! ]", text) is None
    assert taken > count / 100
