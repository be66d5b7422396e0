"""What variables of a unit depend on, as far as the steps that compute them tell."""

from __future__ import annotations

from routh.exports.fmu.variables import Variables
from routh.kernels.neutral_steps import Result, Steps


def dependencies(variables: Variables) -> dict[int, tuple[int, ...]]:
    """For the place of each state, derivative and output the states and inputs that it depends on.

    Those that are missing here may depend on all.
    """
    own, states = variables.functions, variables.places("states")
    rates, n = variables.places("rates"), variables.functions.n
    found: dict[int, tuple[int, ...]] = {k: (k,) for k in states}
    found |= {rates[k]: (states[n + k],) for k in range(n)}
    if own.direct:
        rows = _rows(variables, own.steps("rate"), "rate")
        found |= {rates[k]: rows[k] for k in range(n, 2 * n)}
    rows = _rows(variables, own.steps("energies"), "energies")
    found |= dict(zip(variables.places("energies"), rows, strict=True))
    if variables.asked and not variables.asks_solved:
        rows = _rows(variables, own.steps("outputs"), "outputs")[len(variables.checks) :]
        found |= dict(zip(variables.places("ends"), rows, strict=False))
        found |= dict(zip(variables.places("watched"), rows[len(variables.ends) :], strict=False))
    return found


def _rows(variables: Variables, function: Steps, name: str) -> list[tuple[int, ...]]:
    """The same for each row of a result."""
    first = {"x": variables.places("states").start, "u": variables.places("inputs").start}
    reads: list[frozenset[int]] = []
    for step in function.steps:
        if step.word == "argument":
            own = {first[step.argument] + step.entry} if step.argument in first else ()
            reads.append(frozenset(own))
        else:
            reads.append(frozenset().union(*(reads[k] for k in step.of)))
    result = next(each for each in function.results if each.name == name)
    return [tuple(sorted(_row(result, row, reads))) for row in range(result.rows)]


def _row(result: Result, row: int, reads: list[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*(reads[step] for at, _, step in result.entries if at == row))
