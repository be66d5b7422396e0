"""Every result noun goes to a fresh process by pickle and tells the same there, bit by bit."""

import os
import pickle
import subprocess
import sys
from ast import literal_eval
from importlib import import_module
from pathlib import Path

import pytest

import routh as rt
from told import told, used

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
gallery = import_module("notebook_page")
sys.path.remove(str(ROOT / "docs"))

QUICK = (
    "System", "System with fields", "Friction", "Body", "Taylor", "Equilibrium", "Equilibrium, a sweep",
    "LinearModel", "Stability of a batch", "Trajectory",
)  # fmt: skip


def both(names):
    """What each of these results tells here and in a fresh process."""
    results = {name: gallery.RESULTS[name]() for name in names}
    path = os.pathsep.join([str(Path(rt.__file__).parents[1]), str(ROOT / "tests")])
    run = subprocess.run(
        [sys.executable, "-m", "told"],
        input=pickle.dumps(results), capture_output=True, check=False, env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    assert not run.returncode, run.stderr.decode()
    there = {name: rest for name, *rest in map(literal_eval, run.stdout.decode().splitlines())}
    return {name: ([told(result), used(result)], there[name]) for name, result in results.items()}


def test_results_are_the_same_in_another_process():
    for name, (here, there) in both(QUICK).items():
        assert here == there, name


@pytest.mark.slow
def test_every_result_is_the_same_in_another_process():
    for name, (here, there) in both(gallery.RESULTS).items():
        assert here == there, name
