"""Every example is imported and one number of it asserted; the tour is read as a person sees it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def turning_table(module):
    at_two = module.modes.eigenvalues[4][::2]
    expected = [-0.106957670918338 + 2.89577260810507j, -0.143042329081662 + 7.03714445307369j]
    np.testing.assert_allclose(at_two, expected, rtol=1e-12)
    verdicts = [str(v) for v in module.modes.stability.verdict]
    assert verdicts == ["stable"] + ["asymptotically stable"] * 8 + ["unstable"] * 3 + verdicts[12:]


def accelerated_pendulum(module):
    assert module.rest.q == pytest.approx([0.296778873080397], rel=1e-12)
    assert module.modes.frequencies**2 == pytest.approx([8.54872066452051], rel=1e-12)


def crane(module):
    assert module.modes.frequencies**2 == pytest.approx([0, 9.81 * 7 / 7.5], rel=1e-12)
    assert module.A.shape == (4, 4)


def many_links(module):
    rope = 2.404825557695773 / 2 * 9.81**0.5
    assert module.modes.frequencies[0] == pytest.approx(rope, rel=1 / module.LINKS)


def trojan(module):
    np.testing.assert_allclose(module.rest.q[:, 1], np.sqrt(3) / 2, rtol=1e-12)
    np.testing.assert_allclose(module.rest.q[:, 0], 0.5 - module.ratios, rtol=1e-11)  # K is soft here
    names = [reason.name for reason in module.modes.stability.reason]
    assert names == ["GYROSCOPIC", "GYROSCOPIC", "GYROSCOPIC", "FLUTTER", "FLUTTER"]
    # s^4 + s^2 + 27/4 mu (1 - mu) = 0
    mu = module.ratios
    product = np.prod(module.modes.eigenvalues, axis=1)
    np.testing.assert_allclose(product, 27 / 4 * mu * (1 - mu), rtol=1e-10)


def tour(module):
    assert module.values["g"] == 9.81


CHECKS = {
    "gyroscopic_rotating_table": turning_table,
    "rheonomic_accelerated_pendulum": accelerated_pendulum,
    "control_crane": crane,
    "chain_many_links": many_links,
    "gyroscopic_trojan_points": trojan,
    "tour": tour,
}


def test_every_example_is_checked():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_number_of_the_example(name):
    CHECKS[name](load(name))


@pytest.mark.parametrize("name", CHECKS)
def test_example_runs_as_a_script(name):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, check=True,
        env={"PYTHONIOENCODING": "utf-8", "PATH": ""},
    )  # fmt: skip
    assert run.stdout
    if name == "tour":
        for seen in (
            "Four equilibria",
            " stable ",
            " unstable ",
            "2.47614",
            "θ̇₂",
            "Lagrange-Dirichlet",
        ):
            assert seen in run.stdout
        assert max(map(len, run.stdout.splitlines())) <= 104  # combining dots have no width
