"""The verb: the derivation of a system, or of a result, step by step.

Each chapter that is imported registers what it explains.
"""

from __future__ import annotations

from routh.lecture.kinds import chapter_of
from routh.lecture.lagrangian import (  # noqa: F401
    body_chapter,
    drift_chapter,
    lagrange_chapter,
    start_chapter,
)
from routh.lecture.linearized import (  # noqa: F401
    balance_chapter,
    linear_chapter,
    linear_numbers_chapter,
    moved_rest_chapter,
    rest_chapter,
    sensitivity_chapter,
    stability_chapter,
)
from routh.lecture.transformed import (  # noqa: F401
    action_chapter,
    appell_chapter,
    expansion_chapter,
    floquet_chapter,
    hamel_chapter,
    hamilton_chapter,
    legendre_chapter,
    normal_form_chapter,
    routhian_chapter,
)
from routh.lecture.varied import field_chapter  # noqa: F401
from routh.mechanics.forms.chapter import Chapter


def derive(result: object) -> Chapter:
    """The derivation as a lecturer would write it: print it, copy it as LaTeX, show it in a notebook.

    Arguments:
        result: a system, a model, or what a verb has returned.

    Of a system: positions and energies as they were written, the kinetic energy by degree, virtual
    work, constraints, Lagrange's equation term by term, the accelerations, and what is conserved.

    Example:
        >>> from routh import System, coordinate, ddt, parameters
        >>> x, (m, k) = coordinate("x"), parameters("m k")
        >>> lecture = derive(System(kinetic=m * ddt(x)**2 / 2, potential=k * x**2 / 2))
        >>> for step in lecture["Lagrange's equations"].formulas[:4]:
        ...     print(step)
        d/dt dL/dq_i' - dL/dq_i = 0
        dL/dx' = m*x'
        d/dt dL/dx' = m*x''
        dL/dx = -k*x
    """
    return chapter_of(result)
