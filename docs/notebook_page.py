"""What a notebook shows of every result, as one page: `python docs/notebook_page.py page.html`.

Each noun of `routh.results` is made from a small system and shown as it shows itself. Markdown and
formulas are set as notebooks set them, here by markdown-it and KaTeX. `--dark` is a dark page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from markdown_it import MarkdownIt

import routh as rt
from routh import cos, ddt, norm2, sin, t, vector

MODELS = Path(__file__).parents[1] / "examples" / "models"


@cache
def double() -> rt.System:
    """Two links, each angle from the vertical."""
    th1, th2 = rt.coordinates("theta1 theta2")
    m1, m2, l1, l2 = (rt.parameter(f"{x}{k}", default) for x, k, default in
                      (("m", 1, 1.0), ("m", 2, 0.5), ("l", 1, 1.2), ("l", 2, 0.8)))  # fmt: skip
    g = rt.parameter("g", 9.81, unit="m/s^2")
    r1 = l1 * vector(sin(th1), -cos(th1))
    r2 = r1 + l2 * vector(sin(th2), -cos(th2))
    return rt.System(
        kinetic=[m1 / 2 * norm2(ddt(r1)), m2 / 2 * norm2(ddt(r2))],
        potential=[m1 * g * r1[1], m2 * g * r2[1]],
        name="double pendulum",
    )


@cache
def hoop() -> rt.System:
    """A bead on a hoop that turns, with a little damping."""
    theta, (g, omega, c) = rt.coordinate("theta"), rt.parameters("g omega c")
    T = (ddt(theta) ** 2 + omega**2 * sin(theta) ** 2) / 2
    return rt.System(
        kinetic=T, potential=-g * cos(theta), dissipation=c * ddt(theta) ** 2 / 2, name="bead"
    )


@cache
def cart() -> rt.System:
    """A cart that is pushed, with a mass on a spring."""
    (x, y), (k, c), F = rt.coordinates("x y"), rt.parameters("k c"), rt.input("F")
    return rt.System(
        kinetic=ddt(x) ** 2 + ddt(y) ** 2 / 2,
        potential=k * (y - x) ** 2 / 2 + k * x**2 / 4,
        dissipation=c * (ddt(y) - ddt(x)) ** 2 / 2,
        forces={x: F},
        name="cart",
    )


@cache
def rod() -> rt.System:
    """A pendulum in Cartesian coordinates."""
    (x, y), (l, g) = rt.coordinates("x y"), rt.parameters("l g")
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=g * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
        name="rod",
    )


@cache
def skate() -> rt.System:
    """A skate on the plane."""
    (x, y, phi), (m, J) = rt.coordinates("x y phi"), rt.parameters("m J")
    return rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + J * ddt(phi) ** 2 / 2,
        constraints=[ddt(x) * sin(phi) - ddt(y) * cos(phi)],
        name="skate",
    )


@cache
def beam() -> rt.System:
    """A cantilever under its weight."""
    L, rho, EI, g = rt.parameters("L rho EI g")
    s = rt.space("s", 0, L)
    w = rt.field("w", over=s)
    return rt.System(
        kinetic=rt.integral(rho / 2 * ddt(w) ** 2, s),
        potential=rt.integral(EI / 2 * rt.diff(w, s, 2) ** 2 + rho * g * w, s),
        constraints=[rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)],
        name="beam",
    )


@cache
def bent() -> Any:
    """The cantilever at rest."""
    body = rt.discretize(beam(), {"w": 6})
    return rt.equilibrium(body, {"L": 1.0, "rho": 1.0, "EI": 2.0, "g": 9.81})


@cache
def block() -> rt.System:
    """A block on a belt."""
    x, (k, mu, u) = rt.coordinate("x"), rt.parameters("k mu u")
    slip = rt.friction(ddt(x) - u, static=mu, kinetic=mu / 2, stribeck=1, name="belt")
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, friction=slip, name="block")


@cache
def swing() -> rt.System:
    """A pendulum without damping."""
    theta = rt.coordinate("theta")
    return rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta), name="pendulum")


@cache
def mathieu() -> rt.System:
    """An oscillator whose stiffness changes in time."""
    x, (k, e) = rt.coordinate("x"), rt.parameters("k e")
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=(k + e * cos(2 * t)) * x**2 / 2, name="Mathieu")


@cache
def orbit() -> rt.System:
    """A mass in the plane about a centre."""
    (r, phi), (m, k) = rt.coordinates("r phi"), rt.parameters("m k")
    return rt.System(
        kinetic=m * (ddt(r) ** 2 + r**2 * ddt(phi) ** 2) / 2, potential=-k / r, name="orbit"
    )


LINKS = {"m1": 1.0, "m2": 0.5, "l1": 1.2, "l2": 0.8, "g": 9.81}
BEAD = {"g": 9.0, "omega": 2.0, "c": 0.2}
PUSHED = {"k": 4.0, "c": 0.3}


def q(system: rt.System, name: str) -> Any:
    """A coordinate by its name."""
    return next(each for each in system.coordinates if each.name == name)


@cache
def hanging() -> Any:
    """The double pendulum at rest."""
    return rt.equilibrium(double(), LINKS)


@cache
def pushed() -> Any:
    """The linear model of the cart."""
    return rt.linearize(rt.equilibrium(cart(), PUSHED))


@cache
def driven() -> Any:
    """The cart, let go."""
    times = np.linspace(0, 1, 21)
    return rt.simulate(cart(), PUSHED, {"x": 0.1}, times, inputs={"F": 0.0}, progress=False)


@cache
def motion() -> Any:
    """The double pendulum let go."""
    times = np.linspace(0, 4, 201)
    event = rt.event("theta1", direction=1, name="first link through the vertical")
    start = {"theta1": 1.0}
    return rt.simulate(double(), LINKS, start, times, events=[event], progress=False)


@cache
def slipping() -> Any:
    """The block on the belt."""
    given = {"k": 4.0, "mu": 2.0, "u": 0.5}
    return rt.simulate(block(), given, {"x": 0.0}, np.linspace(0, 6, 121), progress=False)


@cache
def branch() -> Any:
    """The bead as the hoop turns faster."""
    return rt.follow(rt.equilibrium(hoop(), BEAD), "omega", 4.0)


@cache
def swinging() -> Any:
    """A periodic motion of the pendulum."""
    return rt.periodic_motion(swing(), {}, {"theta": 1.0}, 6.5)


@cache
def backbone() -> Any:
    """Its family."""
    return rt.follow(swinging(), "amplitude", 1.3)


@cache
def every() -> Any:
    """All equilibria of the bead, proven."""
    return rt.equilibria(hoop(), BEAD | {"omega": 4.0}, certify=True)


@cache
def normal() -> Any:
    """Modes of the double pendulum beyond the linear model."""
    return rt.normal_form(hanging())


def resonance() -> Any:
    """Two equal pendulums."""
    x, y = rt.coordinates("x y")
    twins = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=-cos(x) - cos(y))
    return rt.normal_form(rt.equilibrium(twins, {})).resonances[0]


def forward() -> dict[str, Any]:
    """Quasi-velocities of the skate."""
    x, y, phi = (q(skate(), name) for name in ("x", "y", "phi"))
    return {"u": ddt(x) * cos(phi) + ddt(y) * sin(phi), "omega": ddt(phi)}


def oscillation() -> Any:
    """An onset as `follow` locates it."""
    return rt.results.Oscillation(rt.Kind.HOPF, 3, 0.5, 2.0)


def doubling() -> Any:
    """A special point of periodic motions."""
    return rt.results.PeriodicPoint(rt.Kind.PERIOD_DOUBLING, "amplitude", 1.0, swinging())


def spring_of_k() -> Any:
    """A spring of unknown stiffness."""
    x, k = rt.coordinate("x"), rt.parameter("k")
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2)


def sweep(values: Any) -> Any:
    """The bead for several speeds of the hoop."""
    return rt.equilibrium(hoop(), BEAD | {"omega": values})


@cache
def saved() -> Any:
    """The motion of the two links, written to a file and read again."""
    with TemporaryDirectory() as folder:
        return rt.load_result(
            motion().save(Path(folder) / "motion.npz", expressions=[sin(q(double(), "theta1"))])
        )


RESULTS: dict[str, Callable[[], Any]] = {
    "System": double,
    "System with fields": beam,
    "System, discretized": lambda: bent().system,
    "Discretization": lambda: bent().system.discretization,
    "Model": lambda: rt.load(MODELS / "double_pendulum.toml"),
    "Drawing": lambda: rt.load(MODELS / "double_pendulum.toml").drawing,
    "Event": lambda: motion().watched[0],
    "Force": lambda: rt.force(vector(1, 2), at=vector(q(cart(), "x"), 0)),
    "Friction": lambda: block().friction[0],
    "VariableMass": lambda: rt.variable_mass(
        q(swing(), "theta"), vector(q(swing(), "theta")), accretion="momentum", intake=vector(0)
    ),
    "Body": lambda: rt.models.rigid.cone(*rt.parameters("R h"), mass=rt.parameter("m")),
    "Equations": lambda: rt.equations(double()),
    "Equations with a constraint": lambda: rt.equations(rod()),
    "Conserved": lambda: rt.equations(orbit()).conserved[0],
    "FieldEquations": lambda: rt.equations(beam()),
    "Row": lambda: rt.equations(beam()).partial[0],
    "EquilibriumEquations": lambda: rt.equilibrium_equations(hoop()),
    "FieldEquilibriumEquations": lambda: rt.equilibrium_equations(beam()),
    "LinearEquations": lambda: rt.linear_equations(cart(), {"x": 0, "y": 0}),
    "LinearFieldEquations": lambda: rt.linear_equations(beam(), {"w": 0}),
    "Hamiltonian": lambda: rt.hamiltonian(orbit()),
    "CanonicalPoint": lambda: rt.hamiltonian(orbit())({"m": 1.0, "k": 1.0}, {"r": 1.0}, {"phi": 1.2}),
    "Drift": lambda: rt.drift(rod(), {"l": 1.0, "g": 9.81}, {"x": 1.0}, [0.0, 1.0, 2.0], step=0.02),
    "Dynamics": lambda: rt.dynamics(swing(), {}, {"theta": 0.5}),
    "Routhian": lambda: rt.routhian(orbit(), "phi"),
    "Legendre": lambda: rt.legendre(cosh_energy(), q(swing(), "theta")),
    "AppellEquations": lambda: rt.gibbs_appell(skate(), forward()),
    "HamelEquations": lambda: rt.gibbs_appell(skate(), forward()).hamel,
    "Expansion": lambda: rt.expand(swing(), {"theta": 0}, order=3),
    "FieldExpansion": lambda: rt.expand(beam(), {"w": 0}),
    "Taylor": lambda: rt.expand(rt.equilibrium(swing(), {}), order=3),
    "NormalForm": normal,
    "Resonance": resonance,
    "Equilibrium": hanging,
    "Equilibrium with a constraint": lambda: rt.equilibrium(
        rod(), {"l": 1.0, "g": 9.81}, guess={"y": -1}
    ),
    "Equilibrium of a beam": bent,
    "Equilibrium, a sweep": lambda: sweep(np.linspace(1, 4, 13)),
    "Steady motion": lambda: rt.equilibrium(
        orbit(), {"m": 1.0, "k": 1.0}, guess={"r": 1.1}, speeds={"phi": 1.0}
    ),
    "RestSensitivity": lambda: rt.equilibrium(
        rod(), {"l": 1.0, "g": 9.81}, guess={"y": -1}
    ).sensitivity(),
    "Conditions": lambda: hanging().conditions,
    "Equilibria": every,
    "Equilibria of two coordinates": lambda: rt.equilibria(double(), LINKS),
    "Certificate": lambda: every().certificate,
    "StickZone": lambda: rt.stick_zone(block(), {"k": 4.0, "mu": 2.0, "u": 0.0}),
    "Start": lambda: rt.consistent(rod(), {"l": 1.0, "g": 9.81}, {"x": 0.6, "y": -0.7}),
    "LinearModel": pushed,
    "LinearModel with a constraint": lambda: rt.linearize(
        rt.equilibrium(rod(), {"l": 1.0, "g": 9.81}, guess={"y": -1})
    ),
    "LinearAlong": lambda: rt.linearize(motion()),
    "CanonicalModel": lambda: rt.linearize(hanging()).canonical,
    "Descriptor": lambda: rt.linearize(
        rt.equilibrium(rod(), {"l": 1.0, "g": 9.81}, guess={"y": -1})
    ).descriptor,
    "StateSpace": lambda: rt.state_space(pushed()),
    "Reach": lambda: rt.controllability(rt.state_space(pushed())),
    "Regulator": lambda: rt.lqr(rt.state_space(pushed()), {"x": 1.0, "y": 10.0}, 0.1),
    "RegulatorAlong": lambda: rt.lqr(rt.linearize(driven()), {"x": 1.0, "y": 10.0}, 0.1),
    "Observer": lambda: rt.observer(rt.state_space(pushed(), ["x"]), {"x'": 1.0, "y'": 1.0}, 0.01),
    "ObserverLoop": lambda: rt.observer(
        rt.state_space(pushed(), ["x"]), {"x'": 1.0, "y'": 1.0}, 0.01
    ).loop(rt.lqr(rt.state_space(pushed(), ["x"]), {"x": 1.0, "y": 10.0}, 0.1)),
    "ReducedModel": lambda: rt.reduce(pushed(), modes=1),
    "BalancedModel": lambda: rt.reduce(rt.state_space(pushed()), order=2),
    "FrequencyResponse": lambda: rt.frequency_response(
        pushed(), "F", ["x", "y"], np.geomspace(0.1, 10, 200)
    ),
    "ResponseSensitivity": lambda: rt.frequency_response(
        pushed(), "F", ["x", "y"], np.geomspace(0.1, 10, 200)
    ).sensitivity(),
    "Modes": lambda: rt.modes(rt.linearize(hanging())),
    "ModesSensitivity": lambda: rt.modes(rt.linearize(hanging())).sensitivity(),
    "ModesSensitivity, a sweep": lambda: rt.modes(
        rt.linearize(sweep(np.linspace(1, 2.9, 12)))
    ).sensitivity("omega"),
    "Modes of a beam": lambda: rt.modes(rt.linearize(bent())),
    "Modes along a sweep": lambda: rt.modes(rt.linearize(sweep(np.linspace(1, 2.9, 12)))),
    "Stability": lambda: rt.stability(rt.linearize(hanging())),
    "Stability of a batch": lambda: rt.stability(rt.linearize(sweep(np.linspace(1, 4, 12)))),
    "StabilityMap": lambda: rt.stability_map(
        hoop(), {"g": 9.0, "omega": np.linspace(0, 5, 60), "c": np.linspace(-0.5, 0.5, 40)}
    ),
    "Branch": branch,
    "SpecialPoint": lambda: branch().points[0],
    "Oscillation": oscillation,
    "Trajectory": motion,
    "Trajectory, a batch": lambda: rt.simulate(
        swing(), {}, {"theta": [0.5, 1.5, 2.5]}, np.linspace(0, 10, 101), progress=False
    ),
    "Occurrence": lambda: motion().events[0],
    "Statistics": lambda: motion().statistics,
    "StickSlip": slipping,
    "Phase": lambda: slipping().phases[0],
    "Change": lambda: slipping().changes[0],
    "Chapter": lambda: rt.derive(swing()),
    "Section": lambda: rt.derive(swing())["Lagrange's equations"],
    "Formula": lambda: rt.derive(swing())["Lagrange's equations"].formulas[0],
    "Table": lambda: rt.results.Table(("mode", "frequency"), (("1", "2.5"), ("2", "6.1"))),
    "Action": lambda: rt.action(rt.between(swing(), {}, {"theta": 0.2}, {"theta": 1.0}, 4.0)),
    "PeriodicMotion": swinging,
    "PeriodicBranch": backbone,
    "PeriodicPoint": doubling,
    "Floquet": lambda: rt.floquet(mathieu(), {"k": 1.2, "e": 0.4}, np.pi),
    "Floquet, a chart": lambda: rt.floquet(
        mathieu(),
        dict(zip("ke", np.meshgrid(np.linspace(0, 4, 25), np.linspace(0, 1.5, 15)), strict=True)),
        np.pi,
    ),
    "Record": saved,
    "Quantity": lambda: saved().quantities["q"],
    "Fit": lambda: rt.fit(
        spring_of_k(), {"t": [0, 1, 2, 3], "x": [1.0, -0.41, -0.66, 0.97]}, {"k": 3.8}, start={"x": 1.0}
    ),
    "Animation": lambda: rt.animate(motion(), points=[vector(sin(q(double(), "theta1")), 0)]),
}  # fmt: skip
"""Results by what they are; the first word is the noun."""


def cosh_energy() -> Any:
    """An energy that is no quadratic function."""
    return rt.cosh(q(swing(), "theta")) - 1


def shown(result: Any) -> str:
    """What a notebook shows: HTML before Markdown before LaTeX, as notebooks choose."""
    for kind in ("html", "markdown", "latex"):
        ask = getattr(result, f"_repr_{kind}_", None)
        if ask is not None:
            text = ask()
            return text if kind == "html" else from_markdown(text)
    return f"<pre>{escape(repr(result))}</pre>"


def from_markdown(text: str) -> str:
    """Markdown as HTML, formulas left for KaTeX, which sets what stands in elements of class `math`."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        source, way = found[1] or found[2], "" if found[1] else " data-inline"
        kept.append(f'<span class="math"{way}>{escape(source)}</span>')
        return f"\x02{len(kept) - 1}\x02"

    bare = re.sub(r"\$\$(.+?)\$\$|\$(.+?)\$", keep, text, flags=re.DOTALL)
    set_ = MarkdownIt("commonmark", {"html": True}).enable("table").render(bare)
    return re.sub("\x02(\\d+)\x02", lambda found: kept[int(found[1])], set_)


SET = """
for (const each of document.querySelectorAll(".math"))
  katex.render(each.textContent, each, {displayMode: !("inline" in each.dataset), throwOnError: false});
document.documentElement.dataset.ready = "yes";
"""

PAPER = "body{max-width:60em;margin:2em auto;padding:0 1em;font:14px system-ui,sans-serif;%s}\
h2{font-size:1em;opacity:.6;border-top:1px solid rgba(128,128,128,.4);padding-top:.6em;margin-top:2em}\
table{border-collapse:collapse}td,th{padding:.1em .7em}"
LIGHT, DARK = "background:#fff;color:#1c2733", "background:#111418;color:#dfe5ea"


def page(results: dict[str, Any], dark: bool = False) -> str:
    """One page with all of them, which asks for nothing."""
    folder = files("routh.display.report").joinpath("vendor")
    style, script = (folder.joinpath(f"katex.{kind}").read_text("utf-8") for kind in ("css", "js"))
    body = "".join(f"<h2>{escape(name)}</h2>{shown(each)}" for name, each in results.items())
    look = PAPER % (DARK if dark else LIGHT)
    return (
        "<!doctype html><html><head><meta charset='utf-8'><title>Results in a notebook</title>"
        f"<style>{style}{look}</style><script>{script}</script></head>"
        f"<body>{body}<script>{SET}</script></body></html>"
    )


if __name__ == "__main__":
    target = next((each for each in sys.argv[1:] if not each.startswith("-")), "notebook.html")
    made = {name: make() for name, make in RESULTS.items()}
    Path(target).write_text(page(made, "--dark" in sys.argv), encoding="utf-8")
