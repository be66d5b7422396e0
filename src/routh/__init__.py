"""Write the energy, get the dynamics: analytical mechanics from the Lagrangian.

    import routh as rt
    from routh import cos, ddt, norm2, sin, vector

    theta, (m, l, g) = rt.coordinate("theta"), rt.parameters("m l g")
    r = l * vector(sin(theta), -cos(theta))
    pendulum = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1])
    rest = rt.equilibrium(pendulum, dict(m=1, l=2, g=9.81))
    print(rt.modes(rt.linearize(rest)))

The verbs that compute load the numerical engine when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sympy import acos as acos
from sympy import asin as asin
from sympy import atan as atan
from sympy import atan2 as atan2
from sympy import cos as cos
from sympy import cosh as cosh
from sympy import exp as exp
from sympy import log as log
from sympy import pi as pi
from sympy import sin as sin
from sympy import sinh as sinh
from sympy import sqrt as sqrt
from sympy import tan as tan
from sympy import tanh as tanh

from routh.errors import DeclarationError as DeclarationError
from routh.errors import DerivationError as DerivationError
from routh.errors import NoEquilibrium as NoEquilibrium
from routh.errors import RouthError as RouthError
from routh.errors import SolveError as SolveError
from routh.errors import Status as Status
from routh.errors import did_you_mean
from routh.language import energies as energies
from routh.language.calculus import cross as cross
from routh.language.calculus import ddt as ddt
from routh.language.calculus import diff as diff
from routh.language.calculus import dot as dot
from routh.language.calculus import let as let
from routh.language.calculus import norm2 as norm2
from routh.language.calculus import rotation as rotation
from routh.language.calculus import vector as vector
from routh.language.domains import at as at
from routh.language.domains import integral as integral
from routh.language.energies import damper as damper
from routh.language.energies import rigid_body as rigid_body
from routh.language.energies import spring as spring
from routh.language.events import event as event
from routh.language.fields import field as field
from routh.language.fields import space as space
from routh.language.forces import force as force
from routh.language.forces import torque as torque
from routh.language.friction import friction as friction
from routh.language.rotations import angular_velocity as angular_velocity
from routh.language.rotations import euler_angles as euler_angles
from routh.language.rotations import quaternion as quaternion
from routh.language.rotations import rotation_matrix as rotation_matrix
from routh.language.symbols import coordinate as coordinate
from routh.language.symbols import coordinates as coordinates
from routh.language.symbols import input as input
from routh.language.symbols import inputs as inputs
from routh.language.symbols import parameter as parameter
from routh.language.symbols import parameters as parameters
from routh.language.symbols import t as t
from routh.language.system import System as System
from routh.language.variable_mass import variable_mass as variable_mass
from routh.mechanics.lagrange import equations as equations
from routh.mechanics.quadratic import linear_equations as linear_equations
from routh.mechanics.rest import equilibrium_equations as equilibrium_equations

if TYPE_CHECKING:
    from routh import models as models
    from routh.analysis.branches.follow import follow as follow
    from routh.analysis.branches.special_points import Kind as Kind
    from routh.analysis.expansion.expand import expand as expand
    from routh.analysis.expansion.normal_form import normal_form as normal_form
    from routh.analysis.linear.linearize import linearize as linearize
    from routh.analysis.linear.response import frequency_response as frequency_response
    from routh.analysis.linear.state_space import state_space as state_space
    from routh.analysis.motion.hamiltonian import hamiltonian as hamiltonian
    from routh.analysis.motion.simulate import simulate as simulate
    from routh.analysis.motion.starts.consistent import consistent as consistent
    from routh.analysis.periodic.floquet import floquet as floquet
    from routh.analysis.periodic.periodic_motion import periodic_motion as periodic_motion
    from routh.analysis.reactions import constraint_forces as constraint_forces
    from routh.analysis.rest.equilibrium import equilibrium as equilibrium
    from routh.analysis.rest.stick_zone import stick_zone as stick_zone
    from routh.analysis.search.equilibria import equilibria as equilibria
    from routh.analysis.stability.judge import stability as stability
    from routh.analysis.stability.modes import modes as modes
    from routh.analysis.stability.stability_map import stability_map as stability_map
    from routh.analysis.stability.verdict import Verdict as Verdict
    from routh.display.pictures.animate import animate as animate
    from routh.display.pictures.plot import plot as plot
    from routh.display.report.page import report as report
    from routh.files.reading import load as load
    from routh.files.saving import save as save
    from routh.mechanics.ritz.bases import Elements as Elements
    from routh.mechanics.ritz.discretize import discretize as discretize
    from routh.mechanics.transforms.appell import gibbs_appell as gibbs_appell
    from routh.mechanics.transforms.legendre import legendre as legendre
    from routh.mechanics.transforms.routhian import routhian as routhian

_WITH_ENGINE = {
    "animate": "routh.display.pictures.animate",
    "consistent": "routh.analysis.motion.starts.consistent",
    "constraint_forces": "routh.analysis.reactions",
    "simulate": "routh.analysis.motion.simulate",
    "equilibria": "routh.analysis.search.equilibria",
    "Elements": "routh.mechanics.ritz.bases",
    "discretize": "routh.mechanics.ritz.discretize",
    "equilibrium": "routh.analysis.rest.equilibrium",
    "expand": "routh.analysis.expansion.expand",
    "floquet": "routh.analysis.periodic.floquet",
    "frequency_response": "routh.analysis.linear.response",
    "follow": "routh.analysis.branches.follow",
    "gibbs_appell": "routh.mechanics.transforms.appell",
    "hamiltonian": "routh.analysis.motion.hamiltonian",
    "legendre": "routh.mechanics.transforms.legendre",
    "routhian": "routh.mechanics.transforms.routhian",
    "linearize": "routh.analysis.linear.linearize",
    "load": "routh.files.reading",
    "report": "routh.display.report.page",
    "save": "routh.files.saving",
    "modes": "routh.analysis.stability.modes",
    "normal_form": "routh.analysis.expansion.normal_form",
    "periodic_motion": "routh.analysis.periodic.periodic_motion",
    "plot": "routh.display.pictures.plot",
    "stability": "routh.analysis.stability.judge",
    "Kind": "routh.analysis.branches.special_points",
    "Verdict": "routh.analysis.stability.verdict",
    "stability_map": "routh.analysis.stability.stability_map",
    "stick_zone": "routh.analysis.rest.stick_zone",
    "state_space": "routh.analysis.linear.state_space",
}

__all__ = [
    "DeclarationError",
    "DerivationError",
    "Elements",
    "Kind",
    "NoEquilibrium",
    "RouthError",
    "SolveError",
    "Status",
    "System",
    "Verdict",
    "acos",
    "angular_velocity",
    "animate",
    "asin",
    "at",
    "atan",
    "atan2",
    "consistent",
    "constraint_forces",
    "coordinate",
    "coordinates",
    "cos",
    "cosh",
    "cross",
    "damper",
    "ddt",
    "diff",
    "discretize",
    "dot",
    "energies",
    "equations",
    "equilibria",
    "equilibrium",
    "equilibrium_equations",
    "euler_angles",
    "event",
    "exp",
    "expand",
    "field",
    "floquet",
    "follow",
    "force",
    "frequency_response",
    "friction",
    "gibbs_appell",
    "hamiltonian",
    "input",
    "inputs",
    "integral",
    "legendre",
    "let",
    "linear_equations",
    "linearize",
    "load",
    "log",
    "models",
    "modes",
    "norm2",
    "normal_form",
    "parameter",
    "parameters",
    "periodic_motion",
    "pi",
    "plot",
    "quaternion",
    "report",
    "rigid_body",
    "rotation",
    "rotation_matrix",
    "routhian",
    "save",
    "simulate",
    "sin",
    "sinh",
    "space",
    "spring",
    "sqrt",
    "stability",
    "stability_map",
    "state_space",
    "stick_zone",
    "t",
    "tan",
    "tanh",
    "torque",
    "variable_mass",
    "vector",
]


def __getattr__(name: str) -> Any:
    if name == "models":
        return import_module("routh.models")
    if name not in _WITH_ENGINE:
        hint = "" if name.startswith("_") else did_you_mean(name, __all__)
        raise AttributeError(f"module 'routh' has no attribute {name!r}.{hint}")
    found = getattr(import_module(_WITH_ENGINE[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
