"""Published problems with published digits, and what Routh gives: `make verification` prints the table.

Each row says where its numbers come from: print, a closed form, or a characteristic equation that
anybody can solve again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from scipy.optimize import brentq

import routh as rt
from routh import at, cos, ddt, diff, integral, norm2, rotation, sin, t, vector


@dataclass(frozen=True)
class Published:
    """A problem: what is compared, the numbers in print, their source, how many digits must agree."""

    name: str
    what: str
    source: str
    numbers: Sequence[float]
    digits: float
    ours: Callable[[], Sequence[float]]


@dataclass(frozen=True)
class Row:
    """A problem that was run."""

    problem: Published
    found: tuple[float, ...]
    seconds: float

    @property
    def digits(self) -> float:
        """Significant digits in which all numbers agree; 15 at most."""
        print_, ours = np.asarray(self.problem.numbers, float), np.asarray(self.found, float)
        size = np.where(print_ == 0, 1.0, np.abs(print_))
        worst = float(np.max(np.abs(print_ - ours) / size))
        return min(15.0, -np.log10(worst)) if worst > 0 else 15.0

    @property
    def agrees(self) -> bool:
        """Whether as many digits agree as are asked for."""
        return self.digits >= self.problem.digits


def frequencies(system: rt.System, values: dict[str, object], count: int, **guess: float) -> np.ndarray:
    """The lowest frequencies about the rest near a guess, in rad/s."""
    return np.asarray(
        rt.modes(rt.linearize(rt.equilibrium(system, values, guess=guess))).frequencies[:count]
    )


# Motion ----------------------------------------------------------------------------------------------


def cartesian_pendulum() -> Sequence[float]:
    x, y = rt.coordinates("x y")
    bob = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=y, constraints=[(x**2 + y**2 - 1) / 2]
    )
    end = rt.simulate(bob, {}, {x: 1, ddt(y): 1}, [0, 1], rtol=1e-12)
    return [*end.q[-1], *end.v[-1]]


def swing_of_period_two() -> Sequence[float]:
    x, y = rt.coordinates("x y")
    g = 13.750371636040745654980191559621
    bob = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=g * y, constraints=[(x**2 + y**2 - 1) / 2]
    )
    end = rt.simulate(bob, {}, {x: 1}, [0, 30], rtol=1e-11)
    return [end.q[-1, 0], 1 + end.q[-1, 1]]


def iftomm_pendulum() -> Sequence[float]:
    x, y = rt.coordinates("x y")
    bob = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=9.81 * y, constraints=[(x**2 + y**2 - 1) / 2]
    )
    return list(rt.simulate(bob, {}, {x: -1}, [0, 10], rtol=1e-11).q[-1])


def heavy_top() -> Sequence[float]:
    e = rt.quaternion("e")
    omega = rt.angular_velocity(e)
    centre = e @ vector(0, 1, 0)
    turning = 0.234375 * omega[0] ** 2 + 0.46875 * omega[1] ** 2 + 0.234375 * omega[2] ** 2
    top = rt.System(
        kinetic=[15 * norm2(ddt(centre)) / 2, turning / 2],
        potential=15 * 9.81 * centre[2],
        constraints=e.constraints,
    )
    end = rt.simulate(top, {}, e.start(spin=(0, 150, -4.61538)), [0, 1], rtol=1e-10).q[-1]
    return list(end * np.sign(end[0]))


def car_axis() -> Sequence[float]:
    xl, yl, xr, yr = rt.coordinates("xl yl xr yr")
    k = 10 * 0.01**2 / 2
    yb = 0.1 * sin(10 * t)
    xb = rt.sqrt(1 - yb**2)
    left, right = rt.sqrt(xl**2 + yl**2), rt.sqrt((xr - xb) ** 2 + (yr - yb) ** 2)
    car = rt.System(
        kinetic=k / 2 * (ddt(xl) ** 2 + ddt(yl) ** 2 + ddt(xr) ** 2 + ddt(yr) ** 2),
        potential=[(left - 0.5) ** 2 / 2, (right - 0.5) ** 2 / 2, k * (yl + yr)],
        constraints=[xl * xb + yl * yb, (xl - xr) ** 2 + (yl - yr) ** 2 - 1],
    )
    start = {yl: 0.5, xr: 1, yr: 0.5, ddt(xl): -0.5, ddt(xr): -0.5}
    return list(rt.simulate(car, {}, start, [0, 3], rtol=1e-11).q[-1])


def double_pendulum() -> Sequence[float]:
    a, b = rt.coordinates("a b")
    r = vector(sin(a), -cos(a))
    p = r + vector(sin(b), -cos(b))
    double = rt.System(kinetic=(norm2(ddt(r)) + norm2(ddt(p))) / 2, potential=9.81 * (r[1] + p[1]))
    return list(rt.simulate(double, {}, {a: np.pi / 2, b: np.pi / 2}, [0, 10], rtol=1e-12).q[-1])


def henon_heiles() -> Sequence[float]:
    x, y = rt.coordinates("x y")
    stars = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=(x**2 + y**2) / 2 + x**2 * y - y**3 / 3,
    )
    end = rt.simulate(stars, {}, {x: 0.1, ddt(y): 0.5}, [0, 10], rtol=1e-12)
    return [*end.q[-1], *end.v[-1]]


def stick_slip() -> Sequence[float]:
    x = rt.coordinate("x")
    belt = rt.friction(ddt(x) - 0.2, law=lambda s: 1 / (1 + 3 * s))
    block = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, friction=belt)
    motion = rt.simulate(block, {}, {x: 1.1}, np.linspace(0, 40, 401), rtol=1e-12)
    caught = [each.t for each in motion.changes if each.state == 0]
    return [caught[-1] - caught[-2]]


def light_cart() -> Sequence[float]:
    X, th = rt.coordinates("X theta")
    bob = vector(X + sin(th), -cos(th))
    cart = rt.System(kinetic=1e-6 / 2 * ddt(X) ** 2 + norm2(ddt(bob)) / 2, potential=9.81 * bob[1])
    down = rt.event(th, direction=-1, stop=True)
    return [rt.simulate(cart, {}, {th: np.pi / 2}, [0, 1], events=down, rtol=1e-11).t[-1]]


def chain_from_a_heap() -> Sequence[float]:
    x, g = rt.coordinate("x"), 9.81
    end = rt.variable_mass(x, vector(x), accretion="momentum", intake=vector(0))
    chain = rt.System(kinetic=end.kinetic, potential=-g * x**2 / 2, forces=end.forces)
    # x'^2 x^2 = 2 g (x^3 - x0^3)/3: the speed at x, exactly, from rest at x0
    fall = rt.simulate(chain, {}, {x: 1.0}, [0, 1], rtol=1e-11)
    place = fall.q[-1, 0]
    return [fall.v[-1, 0] ** 2 * place**2 / (2 * g / 3 * (place**3 - 1))]


# Stability -------------------------------------------------------------------------------------------


def ziegler(damping: float) -> Sequence[float]:
    p, q = rt.coordinates("p q")
    P, d = rt.parameters("P d")
    a = vector(sin(p), cos(p))
    b = a + vector(sin(q), cos(q))
    column = rt.System(
        kinetic=norm2(ddt(a)) + norm2(ddt(b)) / 2,
        potential=(p**2 + (q - p) ** 2) / 2,
        dissipation=d / 2 * (ddt(p) ** 2 + (ddt(q) - ddt(p)) ** 2),
        forces=[rt.force(-P * vector(sin(q), cos(q)), at=b)],
    )
    branch = rt.follow(rt.equilibrium(column, {"P": 0, "d": damping}), P, 3)
    return [branch.points[0].value]


def hoop() -> Sequence[float]:
    theta, w = rt.coordinate("theta"), rt.parameter("omega")
    r = rotation(w * t, axis=vector(0, 0, 1)) @ (1.2 * vector(sin(theta), 0, -cos(theta)))
    bead = rt.System(kinetic=norm2(ddt(r)) / 2, potential=9.81 * r[2])
    return [rt.follow(rt.equilibrium(bead, {"omega": 0.5}), w, 6).points[0].value]


def hill() -> Sequence[float]:
    x, y = rt.coordinates("x y")
    g = 2.5
    top = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2 + g / 2 * (x * ddt(y) - y * ddt(x)),
        potential=-(x**2 + y**2) / 2,
    )
    return list(frequencies(top, {}, 2))


def accelerated() -> Sequence[float]:
    theta = rt.coordinate("theta")
    r = vector(1.2 * sin(theta) - 3 * t**2 / 2, -1.2 * cos(theta))
    base = rt.System(kinetic=norm2(ddt(r)), potential=2 * 9.81 * r[1])
    return [float(frequencies(base, {}, 1)[0] ** 2)]


def turning_table() -> Sequence[float]:
    x, y = rt.coordinates("x y")
    table = rt.System(
        kinetic=norm2(ddt(rotation(2 * t) @ vector(x, y))) / 2,
        potential=10 * x**2 + 15 * y**2,
        dissipation=ddt(x) ** 2 / 4,
    )
    s = rt.modes(rt.linearize(rt.equilibrium(table, {}))).eigenvalues
    return [s[0].real, abs(s[0].imag), s[2].real, abs(s[2].imag)]


# Bodies ----------------------------------------------------------------------------------------------

L, m, J, rho, EI, EA, P, R, Om = rt.parameters("L m J rho EI EA P R Omega")
s = rt.space("s", 0, L)
w = rt.field("w", s)
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]
BENDING = EI / 2 * diff(w, s, 2) ** 2
ONE = {"L": 1, "rho": 1, "EI": 1}


def body(
    count: int, values: dict[str, object], functions: int = 14, **parts: object
) -> Sequence[float]:
    """The lowest frequencies of a body that is made of these parts."""
    return list(frequencies(rt.discretize(rt.System(**parts), {w: functions}), values, count))


def cantilever() -> Sequence[float]:
    kinetic, potential = integral(rho / 2 * ddt(w) ** 2, s), integral(BENDING, s)
    return list(np.sqrt(body(4, ONE, 16, kinetic=kinetic, potential=potential, constraints=CLAMPED)))


def tip_mass() -> Sequence[float]:
    kinetic = [integral(rho / 2 * ddt(w) ** 2, s), m / 2 * ddt(at(w, s, L)) ** 2]
    return body(
        4, ONE | {"m": 1}, 16, kinetic=kinetic, potential=integral(BENDING, s), constraints=CLAMPED
    )


def rod() -> Sequence[float]:
    kinetic = [integral(rho / 2 * ddt(w) ** 2, s), m / 2 * ddt(at(w, s, L)) ** 2]
    stretching = integral(EA / 2 * diff(w, s) ** 2, s)
    values = {"L": 1, "rho": 1, "EA": 1, "m": 1}
    return body(3, values, 16, kinetic=kinetic, potential=stretching, constraints=[at(w, s, 0)])


def taper() -> Sequence[float]:
    slope = 1 - s / (2 * L)
    kinetic = integral(rho * slope / 2 * ddt(w) ** 2, s)
    return body(
        3, ONE, 16, kinetic=kinetic, potential=integral(slope * BENDING, s), constraints=CLAMPED
    )


def buckling(constraints: list[sympy.Expr], load: sympy.Expr, near: tuple[float, float]) -> float:
    """The load under which the lowest frequency vanishes, by halving."""
    column = rt.discretize(
        rt.System(
            kinetic=integral(rho / 2 * ddt(w) ** 2, s),
            potential=integral(BENDING - load / 2 * diff(w, s) ** 2, s),
            constraints=constraints,
        ),
        {w: 12},
    )

    def lowest(p: float) -> float:
        K = rt.linearize(rt.equilibrium(column, ONE | {"P": p})).K
        return float(np.linalg.eigvalsh(K)[0])

    return float(brentq(lowest, *near, xtol=1e-13))


def columns() -> Sequence[float]:
    hinged, clamped = [at(w, s, 0), at(w, s, L)], [*CLAMPED, at(w, s, L), at(diff(w, s), s, L)]
    return [
        buckling(hinged, P, (9, 10.5)),
        buckling(CLAMPED, P, (2, 3)),
        buckling(clamped, P, (38, 41)),
        buckling([*CLAMPED, at(w, s, L)], P, (19, 21)),
        buckling(CLAMPED, P * (L - s), (7, 8.5)),
    ]


def hub(values: dict[str, object], count: int) -> Sequence[float]:
    theta = rt.coordinate("theta")
    r = rotation(theta) @ vector(R + s, w)
    arm = rt.System(
        kinetic=[J / 2 * ddt(theta) ** 2, integral(rho / 2 * norm2(ddt(r)), s)],
        potential=integral(BENDING, s),
        constraints=CLAMPED,
    )
    return list(frequencies(rt.discretize(arm, {w: 14}), values, count + 1)[1:])


def rotating() -> Sequence[float]:
    r = rotation(Om * t) @ vector(s + rt.energies.foreshortening(w), w)
    beam = rt.System(
        kinetic=integral(rho / 2 * norm2(ddt(r)), s),
        potential=integral(BENDING, s),
        constraints=CLAMPED,
    )
    speeds = np.array([1.0, 2, 5, 10])
    modes = rt.modes(
        rt.linearize(rt.equilibrium(rt.discretize(beam, {w: 12}), ONE | {"Omega": speeds}))
    )
    return list(modes.frequencies[:, 0] ** 2)


PROBLEMS = (
    Published(
        "Pendulum in Cartesian coordinates",
        "state at t = 1",
        "test set of Hairer and Cash",
        (0.867348640600439322, 0.497701050479672929, -0.0337480180609545196, 0.0588130114652500075),
        9,
        cartesian_pendulum,
    ),
    Published(
        "Pendulum of period 2",
        "x, 1 + y after 15 periods",
        "SUNDIALS, cvPendulum_dns",
        (1.0, 1.0),
        6,
        swing_of_period_two,
    ),
    Published(
        "Simple pendulum",
        "x, y at t = 10",
        "IFToMM benchmark A01",
        (-0.275087462576117, -0.961419205099125),
        8,
        iftomm_pendulum,
    ),
    Published(
        "Heavy top",
        "quaternion at t = 1",
        "benchmark of Lie group integrators, 8 digits",
        (0.73294398, -0.27828572, 0.53182461, -0.32017614),
        6,
        heavy_top,
    ),
    Published(
        "Car axis",
        "positions at t = 3",
        "IVP test set",
        (0.04934557842755629, 0.4969894602303324, 1.041742524885400, 0.3739110272652214),
        7,
        car_axis,
    ),
    Published(
        "Double pendulum",
        "angles at t = 10",
        "own computation with 30 digits",
        (-0.568474664015950175, -0.526393727932404713),
        8,
        double_pendulum,
    ),
    Published(
        "Henon and Heiles",
        "state at t = 10",
        "own computation with 30 digits",
        (0.03670891970302608, 0.6826922399017149, 0.04716396717584516, -0.02530595881386305),
        9,
        henon_heiles,
    ),
    Published(
        "Stick-slip of a block on a belt",
        "period",
        "Leine 1998, computed to more digits",
        (12.001031294830,),
        10,
        stick_slip,
    ),
    Published(
        "Cart-pole with a light cart",
        "quarter period",
        "own computation with 30 digits",
        (0.451524535681659,),
        8,
        light_cart,
    ),
    Published(
        "Chain from a heap",
        "v^2 x^2/(2 g (x^3 - x0^3)/3)",
        "Pesce 2003: a = g/3",
        (1.0,),
        8,
        chain_from_a_heap,
    ),
    Published(
        "Ziegler's column",
        "flutter load P l/c",
        "7/2 - sqrt 2",
        (3.5 - np.sqrt(2),),
        9,
        lambda: ziegler(0),
    ),
    Published(
        "Ziegler's column, little damping",
        "flutter load P l/c",
        "41/28, in the limit",
        (41 / 28,),
        5,
        lambda: ziegler(1e-4),
    ),
    Published(
        "Bead on a turning hoop",
        "speed of the pitchfork",
        "sqrt(g/R)",
        (np.sqrt(9.81 / 1.2),),
        10,
        hoop,
    ),
    Published(
        "Mass on a hill, gyroscopic forces",
        "frequencies",
        "Thomson, Tait, Chetaev: 1/2 and 2",
        (0.5, 2.0),
        12,
        hill,
    ),
    Published(
        "Pendulum on an accelerating base",
        "omega^2",
        "sqrt(g^2 + A^2)/l",
        (np.hypot(9.81, 3) / 1.2,),
        12,
        accelerated,
    ),
    Published(
        "Turning table with a damper",
        "eigenvalues",
        "roots of s^4 + s^3/2 + 58 s^2 + 13 s + 416",
        (-0.106957670918338, 2.89577260810507, -0.143042329081662, 7.03714445307369),
        11,
        turning_table,
    ),
    Published(
        "Cantilever",
        "beta L",
        "1 + cos cosh = 0",
        (1.8751040687119611664, 4.6940911329741745764, 7.8547574382376125649, 10.995540734875466991),
        9,
        cantilever,
    ),
    Published(
        "Cantilever with a tip mass",
        "frequencies, mu = 1",
        "Hodges and Pierce",
        (1.55729786, 16.2500852, 50.8958428, 105.198276),
        7,
        tip_mass,
    ),
    Published(
        "Rod with a tip mass",
        "frequencies",
        "x tan x = 1",
        (0.86033358901938, 3.42561845948173, 6.43729817917195),
        10,
        rod,
    ),
    Published(
        "Tapered cantilever",
        "frequencies",
        "EI, m proportional to 1 - x/(2 l)",
        (4.3151703, 23.5192567, 63.1991964),
        7,
        taper,
    ),
    Published(
        "Columns that buckle",
        "P L^2/EI: hinged, cantilever, clamped, clamped-hinged, own weight",
        "Euler, Greenhill",
        (np.pi**2, np.pi**2 / 4, 4 * np.pi**2, 20.19072856, 7.837347438943484),
        9,
        columns,
    ),
    Published(
        "Hub with a flexible arm",
        "frequencies, R = 0, I = rho L^3",
        "characteristic equation",
        (4.04011336, 22.12568046, 61.72967631),
        8,
        lambda: hub(ONE | {"J": 1, "R": 0}, 3),
    ),
    Published(
        "Hub with a flexible arm",
        "frequencies, I = 0.5, R = 0.3, L = 1.5",
        "characteristic equation",
        (5.72035891239293, 19.9378009411611, 51.4088434964009),
        9,
        lambda: hub({"L": 1.5, "R": 0.3, "J": 0.5, "rho": 1.2, "EI": 4}, 3),
    ),
    Published(
        "Rotating beam",
        "omega_1^2 in the plane at Omega = 1, 2, 5, 10",
        "with centrifugal stiffening",
        (12.5545232627268, 13.1174132493387, 16.59662746379, 25.492147292),
        9,
        rotating,
    ),
)


def run(problem: Published) -> Row:
    """Compute a problem; its time is shown and decides nothing."""
    begun = time.perf_counter()
    found = tuple(float(x) for x in problem.ours())
    return Row(problem, found, time.perf_counter() - begun)


class Table:
    """All rows, which show themselves as a table."""

    def __init__(self) -> None:
        self.rows = [run(problem) for problem in PROBLEMS]

    @property
    def agrees(self) -> bool:
        """Whether every problem agrees in as many digits as it must."""
        return all(row.agrees for row in self.rows)

    def _cells(self) -> list[list[str]]:
        def listed(numbers: Sequence[float]) -> str:
            return ", ".join(f"{x:.10g}" for x in numbers)

        return [
            [
                row.problem.name,
                row.problem.what,
                row.problem.source,
                listed(row.problem.numbers),
                listed(row.found),
                f"{row.digits:.1f}",
                f"{row.seconds:.2f}",
            ]
            for row in self.rows
        ]

    def _repr_markdown_(self) -> str:
        head = ["problem", "what", "source", "published", "Routh", "digits that agree", "seconds"]
        lines = ["| " + " | ".join(each) + " |" for each in (head, ["---"] * len(head), *self._cells())]
        return "\n".join(lines)


if __name__ == "__main__":
    table = Table()
    print(table._repr_markdown_())
    sys.exit(0 if table.agrees else 1)
