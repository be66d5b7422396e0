"""The public face: which names there are, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import routh as rt

PUBLIC = """
    DeclarationError DerivationError Kind NoEquilibrium RouthError SolveError Status System Verdict
    acos asin atan atan2 cos cosh exp log pi sin sinh sqrt tan tanh
    coordinate coordinates input inputs parameter parameters t
    cross ddt diff dot event force let norm2 rotation torque vector
    Elements at discretize energies field integral space
    load report save
    angular_velocity damper euler_angles quaternion rigid_body rotation_matrix spring
    equations equilibrium_equations linear_equations
    equilibria equilibrium follow linearize modes plot stability stability_map state_space
    animate consistent constraint_forces simulate
    gibbs_appell hamiltonian legendre routhian
    friction stick_zone variable_mass models
    expand floquet frequency_response normal_form periodic_motion
"""


def test_public_names_are_these():
    assert sorted(rt.__all__) == sorted(PUBLIC.split())
    assert sorted(dir(rt)) == sorted(PUBLIC.split())
    elementary = set(PUBLIC.split("\n")[2].split())
    assert len(set(rt.__all__) - elementary) < 80


def test_every_public_name_can_be_had():
    for name in rt.__all__:
        assert getattr(rt, name) is not None


def test_unknown_names_fail():
    assert not hasattr(rt, "linearise")


def test_importing_loads_neither_the_engine_nor_plotting():
    code = (
        "import sys, routh; heavy = {'casadi', 'scipy', 'matplotlib', 'rich', 'control'}"
        " & set(sys.modules); assert not heavy, heavy;"
        " routh.equilibrium; assert 'casadi' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("package", "call", "extra"),
    [
        ("flint", "rt.equilibria(system, {}, certify=True)", "rigor"),
        ("flint", "rt.stability(rt.linearize(rt.equilibrium(system, {})), proven=True)", "rigor"),
        ("matplotlib", "rt.plot(rt.equilibria(system, {}))", "plot"),
        ("rich", "import routh.display.terminal", "terminal"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(package, call, extra):
    code = (
        f"import sys; sys.modules['{package}'] = None; import routh as rt; q = rt.coordinate('q');"
        " system = rt.System(kinetic=rt.ddt(q)**2/2, potential=-rt.cos(q));"
        f" {call}"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f'pip install "routh[{extra}]"' in run.stderr
    assert run.stderr.splitlines()[-1].startswith("ImportError")
