"""Modelica: read by a parser of the part of the language that is written, and carried out from its tree.

OpenModelica is not among what can be installed here. The grammar is that of the Modelica Language
Specification 3.6, appendix A, cut to what a model without classes and algorithms has, read by Lark; the
equations of the tree are then held to `dynamics`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from rounds import given_subject, numbers, points

import routh as rt
from routh import ddt, sin
from routh.exports.modelica import modelica_text
from ten_systems import SOME, ten

lark = pytest.importorskip("lark")

GRAMMAR = r"""
model: "model" IDENT [STRING] element* ["protected" element*] "equation" equation* "end" IDENT ";"
element: [PREFIX] "Real" IDENT [modification] ["=" expression] [STRING] ";"
modification: "(" argument ("," argument)* ")"
argument: IDENT "=" (expression | STRING | BOOLEAN)
equation: simple "=" expression ";"
?expression: simple
  | "if" expression "then" expression ("elseif" expression "then" expression)* "else" expression -> choice
?simple: logical
?logical: term_and ("or" term_and)*
?term_and: relation ("and" relation)*
?relation: arithmetic [RELATION arithmetic]
?arithmetic: [SIGN] term (SIGN term)*
?term: factor (MUL factor)*
?factor: primary ["^" primary]
?primary: NUMBER -> number
  | IDENT "(" expression ("," expression)* ")" -> call
  | IDENT -> name
  | "(" expression ")"
PREFIX: "parameter" | "input"
BOOLEAN: "true" | "false"
RELATION: "<=" | ">=" | "<>" | "==" | "<" | ">"
SIGN: "+" | "-"
MUL: "*" | "/"
NUMBER: /\d+(\.\d*)?([eE][+-]?\d+)?/
IDENT: /(?!(if|then|else|elseif|and|or|not|end|equation|protected|model|parameter|input|true|false)\b)[A-Za-z_]\w*/
STRING: /"[^"\\]*"/
COMMENT: /\/\/[^\n]*/
%ignore COMMENT
%import common.WS
%ignore WS
"""
PARSER = lark.Lark(GRAMMAR, start="model", parser="lalr", maybe_placeholders=False)
CALLS = {
    name: getattr(math, name)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp",
                 "log", "sqrt", "floor", "ceil")
} | {"abs": abs, "min": min, "max": max}  # fmt: skip


def value(tree, at):
    """The number that an expression has."""
    if tree.data == "number":
        return float(tree.children[0])
    if tree.data == "name":
        return at[str(tree.children[0])]
    if tree.data == "call":
        name, *rest = tree.children
        if name == "der":
            return at[f"der({rest[0].children[0]})"]
        return CALLS[str(name)](*(value(each, at) for each in rest))
    if tree.data == "choice":
        *pairs, last = tree.children
        for asked, then in zip(pairs[::2], pairs[1::2], strict=True):
            if value(asked, at):
                return value(then, at)
        return value(last, at)
    if tree.data == "relation":
        left, word, right = tree.children
        a, b = value(left, at), value(right, at)
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "<>": a != b}[
            str(word)
        ]
    if tree.data in ("logical", "term_and"):
        found = [value(each, at) for each in tree.children]
        return any(found) if tree.data == "logical" else all(found)
    if tree.data == "factor":
        return value(tree.children[0], at) ** value(tree.children[1], at)
    return chain(tree.children, at)


def chain(parts, at):
    """Sums and products, from left to right."""
    found, word = None, "+"
    for part in parts:
        if isinstance(part, lark.Token):
            word = str(part)
            continue
        x = value(part, at)
        if found is None:
            found = -x if word == "-" else x
        else:
            found = {
                "+": found + x,
                "-": found - x,
                "*": found * x,
                "/": found / x if word == "/" else 0,
            }[word]
    return found


def read(text):
    """The declared names with their kinds, and the equations."""
    tree = PARSER.parse(text)
    kinds = {}
    for element in tree.find_data("element"):
        tokens = [each for each in element.children if isinstance(each, lark.Token)]
        kind = next((str(x) for x in tokens if x.type == "PREFIX"), "Real")
        kinds[str(next(x for x in tokens if x.type == "IDENT"))] = kind
    first, last = [str(x) for x in tree.children if isinstance(x, lark.Token) and x.type == "IDENT"]
    assert first == last
    return kinds, [each.children for each in tree.children if getattr(each, "data", "") == "equation"]


@pytest.mark.parametrize("name", SOME)
def test_the_equations_are_those_of_dynamics(name):
    given, system = given_subject(name), ten(name).system
    text = modelica_text(given, "plant", "rt.export")
    kinds, equations = read(text)
    words = list(kinds)
    parameters = [w for w in words if kinds[w] == "parameter"]
    inputs = [w for w in words if kinds[w] == "input"]
    n, c = len(system.coordinates), len(system.constraints)
    rest = [w for w in words if kinds[w] == "Real"]
    states, multipliers, named = rest[: 2 * n], rest[2 * n : 2 * n + c], rest[2 * n + c :]
    assert len(equations) == 2 * n + c + len(named)  # as many as unknowns
    for t, x, u, _, rate, forces in points(name):
        at = {"time": t} | dict(zip(parameters, numbers(name), strict=True))
        at |= dict(zip(inputs, u, strict=True)) | dict(zip(states, x, strict=True))
        at |= dict(zip(multipliers, np.ravel(forces), strict=True))
        at |= {f"der({w})": slope for w, slope in zip(states, rate, strict=True)}
        for left, right in equations:
            if left.data == "name":
                at[str(left.children[0])] = value(right, at)
        for left, right in equations:
            parts = [value(left, at), value(right, at)]
            assert abs(parts[0] - parts[1]) < 1e-8 * (1 + max(map(abs, parts)) + np.abs(rate).max())


def test_names_units_and_starts_are_told(tmp_path):
    theta, end = rt.coordinate("θ"), rt.coordinate("end")
    k, F = rt.parameter("der", 2.0, unit="N*m/rad"), rt.input("model")
    system = rt.System(
        kinetic=(ddt(theta) ** 2 + ddt(end) ** 2) / 2,
        potential=k * (sin(theta) ** 2 + end**2),
        forces={theta: F},
        name='a "plant"',
    )
    path = rt.export(system, tmp_path / "plant.mo", start={"θ": 0.5, "end'": -1.0})[0]
    text = path.read_text("utf-8")
    assert list(read(text)[0])[:6] == ["der_", "model_", "theta", "end_", "theta_dot", "end_dot"]
    assert 'parameter Real der_(unit = "N.m/rad") = 2.0 "der";' in text
    assert 'Real theta(start = 0.5, fixed = true) "θ";' in text
    assert 'Real end_dot(start = -1.0, fixed = true) "end\'";' in text
    with pytest.raises(rt.DeclarationError, match="means something else there"):
        rt.export(system, tmp_path / "block.mo")
