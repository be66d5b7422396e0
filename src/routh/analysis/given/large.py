"""Systems of very many coordinates, as elements make them: what takes them.

Nothing of size n x n is ever dense for them, so memory grows with n: a rest is found by
`rest/descent`, its matrices are `linear/sparse_matrices`, and `stability/lowest` has their modes. What
needs dense matrices (stability, state spaces, following branches) is asked of the same system with
fewer functions.
"""

from __future__ import annotations

from routh.errors import DerivationError, capital
from routh.kernels.engine import Kernel
from routh.language.make import MANY, Make
from routh.language.system import System


def refuse_large(system: System) -> None:
    """Refuse a system with sparse matrices for a verb that needs dense ones."""
    if system.make is Make.SPARSE:
        raise DerivationError(
            f"{capital(system.title)} has {len(system.coordinates)} coordinates, and above {MANY}"
            " matrices are sparse: equilibrium, linearize, modes(linear, count=...) and pictures work"
            " on it. For everything else discretize it with fewer functions."
        )


def refuse_other_sums(engine: Kernel) -> None:
    """Refuse a large system whose parts are no plain sums, or which has constraints."""
    system = engine.system
    if not engine.is_sum or system.constraints:
        raise DerivationError(
            f"{capital(system.title)} has {len(system.coordinates)} coordinates, and above {MANY}"
            " matrices are sparse. This works for energies that are sums of densities, with linear"
            " conditions at the ends whose factors are numbers. Expected fewer functions, or an energy"
            " without running integrals and functions of integrals."
        )
