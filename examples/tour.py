"""A tour of Routh in the terminal: the double pendulum from its energies to its verdicts.

Two point masses on massless rods, the second angle measured from the first rod. Known answers:
four equilibria, natural frequencies sqrt(6.13125) and sqrt(24.525) rad/s hanging (A2 of
docs/worked_examples.md). Runs in about four seconds; `make demo` calls it.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console, Group
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

import routh as rt
from routh import cos, ddt, norm2, sin, vector
from routh.display import terminal

# Declare -----------------------------------------------------------------------------------------
th1, th2 = rt.coordinates("theta1 theta2")
m1, m2, l1, l2, g = rt.parameters("m1 m2 l1 l2 g")

r1 = l1 * vector(sin(th1), -cos(th1))
r2 = r1 + l2 * vector(sin(th1 + th2), -cos(th1 + th2))
pendulum = rt.System(
    kinetic=m1 / 2 * norm2(ddt(r1)) + m2 / 2 * norm2(ddt(r2)),
    potential=m1 * g * r1[1] + m2 * g * r2[1],
    name="double pendulum",
)
values = {"m1": 1, "m2": 0.5, "l1": 1.2, "l2": 0.8, "g": 9.81}

PICTURE = """\
  ───┬───              r₁ = l₁ (sin θ₁, -cos θ₁)
      \\  l₁            r₂ = r₁ + l₂ (sin(θ₁ + θ₂), -cos(θ₁ + θ₂))
   θ₁  \\
        ● m₁           T = m₁/2 |ṙ₁|² + m₂/2 |ṙ₂|²
        │              V = m₁ g y₁ + m₂ g y₂
     θ₂ │  l₂
        ● m₂           That is all Routh is told. The rest follows."""

NAMES = {
    (0, 0): "both hanging",
    (3, 0): "both up",
    (3, 3): "first up, second folded down",
    (0, 3): "first hanging, second folded up",
}


def main() -> None:
    console = Console(width=100)
    say = console.print
    say(Rule("[bold]Routh[/]  write the energy, get the dynamics", style="blue"))
    say(Text(PICTURE, style="blue"))
    say()

    say(Rule("Equations of motion   M a + h = 0", align="left", style="dim"))
    say(terminal.equations_of_motion(rt.equations(pendulum, simplify=5)))

    say()
    say(
        Rule("Linear model, hanging   straight from second derivatives of L", align="left", style="dim")
    )
    say(terminal.linear_equations(rt.linear_equations(pendulum, {th1: 0, th2: 0}, simplify=5)))

    given = ", ".join(f"{terminal.name_of(p)} = {values[p.name]}" for p in pendulum.parameters)
    every = rt.equilibria(pendulum, values, certify=True)
    say(Rule(f"Four equilibria   {given}", align="left", style="dim"))
    say(Text(f"Searched one turn of each angle. {every.certificate}", style="dim"))
    for rest in every:
        linear = rt.linearize(rest)
        modes = rt.modes(linear)
        say(Text.assemble("\n", (NAMES[tuple(round(abs(x)) for x in rest.q)], "bold"), "  "), end="")
        say(terminal.position(rest))
        block = Group(
            terminal.verdict(rt.stability(linear, proven=True)),
            terminal.matrices(linear),
            terminal.modes_table(modes),
        )
        say(Padding(block, (0, 0, 0, 2)))
    say()
    say(Rule("Ten seconds of motion   let go at θ₁ = 2, then once more to know the error", align="left",
             style="dim"))  # fmt: skip
    motion = rt.simulate(pendulum, values, {th1: 2.0}, np.linspace(0, 10, 201), check=True)
    say(Padding(Text(str(motion)), (0, 0, 1, 2)))
    say(Rule(style="blue"))
    say("Next: read examples/tour.py, then docs/conventions.md. In Python: [bold]import routh as rt[/]")


if __name__ == "__main__":
    main()
