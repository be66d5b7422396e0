"""The letters of a lecture on the equations of motion, where the system has not taken them."""

from __future__ import annotations

from collections.abc import Iterable

from routh.language.system import System
from routh.lecture.free_letters import FreeLetters, Role, taken_names

_ROLES = {
    "q": Role("the column of the coordinates", ("q_all",)),
    "T": Role("the kinetic energy", ("T_kin",), numbered=True),
    "V": Role("the potential energy", ("V_pot",)),
    "L": Role("the Lagrangian", ("Lag",), numbered=True),
    "Lbar": Role("the augmented Lagrangian", ("Lag_bar",), r"\bar{L}"),
    "D": Role("the Rayleigh function", ("D_loss",)),
    "E": Role("the energy", ("E_tot",)),
    "A": Role("the matrix of T2", ("A(q)",)),
    "B": Role("the column of T1", ("B(q)",)),
    "C": Role("twice T0", ("C(q)",)),
    "G": Role("the gyroscopic matrix", ("G(q)",)),
    "M": Role("the mass matrix", ("M(q)",)),
    "h": Role("the column of terms without accelerations", ("h(q,q')",)),
    "Q": Role("a generalized force", ("Q_gen",)),
    "F": Role("a force at a point", ("F_at",), numbered=True),
    "p": Role("a point", ("p_at",), numbered=True),
    "s": Role("the angle or length along which a force acts", ("s_at",), numbered=True),
    "tau": Role("a torque", ("tau_at",), numbered=True),
    "phi": Role("a constraint", ("Phi", "phi_con"), r"\varphi", numbered=True),
    "J": Role("the Jacobian of the constraints", ("J(q)",)),
    "gamma": Role(
        "the constraints' accelerations without those of the coordinates", ("Gamma", "gamma_con")
    ),
    "lambda": Role("the column of the multipliers", ("lambda_all",)),
    "alpha": Role("a gain", ("a_s",)),
    "beta": Role("a gain", ("b_s",)),
}


class Letters(FreeLetters):
    """A letter for each thing that a lecture on a system talks of.

    Arguments:
        system: whose letters are not to be used.
        names: others that a model file has.
    """

    def __init__(self, system: System, names: Iterable[str] = ()) -> None:
        taken = {*taken_names(system), *names}
        if len(system.coordinates) == 1:  # a column of one is no other thing
            taken -= {system.coordinates[0].name} & {"q"}
        super().__init__(_ROLES, taken)
