"""Write the energy, get the dynamics: analytical mechanics from the Lagrangian.

    import routh as rt
    from routh import cos, ddt, norm2, sin, vector

    theta, (m, l, g) = rt.coordinate("theta"), rt.parameters("m l g")
    r = l * vector(sin(theta), -cos(theta))
    pendulum = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1])
    rest = rt.equilibrium(pendulum, dict(m=1, l=2, g=9.81))
    print(rt.modes(rt.linearize(rest)))

Names are loaded when they are first used: SymPy with the language, the numerical engine with the verbs
that compute. Which names there are, and where each lives, is said once, in `__init__.pyi`, which type
checkers read too (SPEC 1 of Scientific Python). What verbs return is named in `routh.results`.
"""

from typing import Any

from lazy_loader import attach_stub

from routh.recorded import Outlets, recorded_by
from routh.shown import View, answered_by

_loaded, __dir__, __all__ = attach_stub(__name__, __file__)


def _tables() -> View:
    """What shows results in tables in notebooks, loaded when one asks."""
    from routh.display.notebook.table_views import html  # noqa: PLC0415

    return html


def _formulas() -> View:
    """What shows results in formulas, likewise."""
    from routh.display.notebook.formula_views import markdown  # noqa: PLC0415

    return markdown


def _outlets() -> Outlets:
    """What writes results to files, loaded when one is to be written."""
    from routh.data.outlets import OUTLETS  # noqa: PLC0415

    return OUTLETS


answered_by(html=_tables, markdown=_formulas)
recorded_by(_outlets)


def __getattr__(name: str) -> Any:
    """A public name, loaded; what is none of them gets the nearest one."""
    if name in __all__:
        return _loaded(name)
    from routh.errors import no_attribute  # noqa: PLC0415  # only who errs pays for it

    raise no_attribute("routh", name, __all__)
