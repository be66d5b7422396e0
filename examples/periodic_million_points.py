"""A pendulum whose pivot is shaken, with friction: a million points of its stability chart.

Shaken up and down at about twice its frequency, or strongly at about that frequency, a hanging pendulum
begins to swing by itself: tongues in the chart of amplitude and frequency. Friction lifts them off the
axis; the tip of the first one is near A = zeta l (Mathieu's equation, to first order in A). A chart is
one call of `floquet`; where there is a compiler of C it goes on all cores. A million points take some
20 seconds of processor time, pictures included.
"""

import numpy as np

import routh as rt
from routh import cos, ddt, norm2, sin, t, vector

theta = rt.coordinate("theta")
l, g, A, w, zeta = rt.parameters("l g A w zeta")
bob = vector(l * sin(theta), -l * cos(theta) + A * cos(w * t))
shaken = rt.System(
    kinetic=norm2(ddt(bob)) / 2,
    potential=g * bob[1],
    dissipation=zeta * (g / l) ** 0.5 * l**2 * ddt(theta) ** 2,
    name="shaken pendulum",
)
own = np.sqrt(9.81)


def chart(side, engine="auto"):
    """Amplitudes along rows, speeds of the drive down columns, and what a period of it does."""
    amplitude, speed = np.meshgrid(np.linspace(0, 0.5, side), own * np.linspace(0.4, 2.6, side))
    values = {"l": 1.0, "g": 9.81, "A": amplitude, "w": speed, "zeta": 0.01}
    return amplitude, speed, rt.floquet(shaken, values, 2 * np.pi / speed, engine=engine)


amplitude, speed, few = chart(23)

if __name__ == "__main__":
    import matplotlib.pyplot as plt

    amplitude, speed, many = chart(1000)
    print(many)
    print("made by:", many.engine)
    unstable = many.verdict == rt.Verdict.UNSTABLE
    print(f"the first tongue begins at A = {amplitude[unstable & (speed > 1.8 * own)].min():.4f} m")
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    shown = axes.imshow(
        many.growth,
        origin="lower",
        aspect="auto",
        extent=(0, 0.5, 0.4, 2.6),
        cmap="RdBu_r",
        vmin=-0.5,
        vmax=0.5,
    )
    axes.contour(amplitude, speed / own, unstable, levels=[0.5], colors="black", linewidths=0.8)
    axes.set(xlabel="amplitude / m", ylabel="frequency of the drive / own frequency")
    figure.colorbar(shown, extend="max", label="growth / (1/s)")
    figure.savefig("periodic_million_points.png", dpi=120)
