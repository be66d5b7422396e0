"""Robot arms of 5, 10 and 20 joints: building, the first motion, and a state of `dynamics`.

Microseconds for M, h, Q and the accelerations at one state, by one call over a batch of states: by the
engine as it is, and by C where a compiler is found. Beside it Pinocchio's ABA, which gives
accelerations alone, one state a call from Python (`pip install pin`); where that is missing, Newton's
and Euler's equations in NumPy, which give forces for accelerations.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import routh as rt
from routh.errors import DerivationError

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from random_arms import GRAVITY, Arm, aligned, random_arm

try:
    import pinocchio
except ImportError:
    pinocchio = None

JOINTS = (5, 10, 20)
STATES, REPEATS = 512, 7
WITH_COMPILER, WITHOUT = 3.0, 15.0


def seconds(call: Callable[[], object], times: int = REPEATS) -> float:
    """The shortest of several calls, in seconds of the processor: what else it does is not counted."""
    found = []
    for _ in range(times):
        start = process_time()
        call()
        found.append(process_time() - start)
    return min(found)


def beside(arm: Arm, q: Any, v: Any) -> tuple[str, float]:
    """What others take for a state."""
    if pinocchio is None:
        still = np.zeros(arm.n)
        return "Newton and Euler in NumPy", seconds(lambda: arm.forces(q[0], v[0], still))
    model = pinocchio.Model()
    model.gravity.linear = GRAVITY
    kinds = (pinocchio.JointModelRX, pinocchio.JointModelRY, pinocchio.JointModelRZ)
    joint = 0
    for k in range(arm.n):
        kind = kinds[int(arm.axes[k].argmax())]()
        joint = model.addJoint(joint, kind, pinocchio.SE3(arm.turns[k], arm.offsets[k]), f"j{k}")
        body = pinocchio.Inertia(arm.masses[k], arm.centres[k], arm.inertias[k])
        model.appendBodyToJoint(joint, body, pinocchio.SE3.Identity())
    data, tau = model.createData(), np.zeros(arm.n)

    def every() -> None:
        for one, rate in zip(q, v, strict=True):
            pinocchio.aba(model, data, one, rate, tau)

    return "ABA of Pinocchio", seconds(every) / len(q)


def measured(n: int) -> None:
    arm = aligned(random_arm(0, n, tree=False, slides=False))
    start = process_time()
    system = arm.chain().system()
    built = process_time() - start
    q, v = np.random.default_rng(1).normal(size=(2, STATES, n))
    start = process_time()
    rt.simulate(system, {}, {system.coordinates[0]: 0.1}, [0.0, 0.01], progress=False)
    print(f"{n} joints: system {built:.2f} s, first motion {process_time() - start:.2f} s")
    name, other = beside(arm, q, v)
    print(f"    {name}: {other * 1e6:.1f} us")
    for engine, bound in (("casadi", WITHOUT), ("c", WITH_COMPILER)):
        try:
            start = perf_counter()
            rt.dynamics(system, {}, q, v, engine=engine)
        except DerivationError as error:
            print(f"    {error}")
            continue
        first = perf_counter() - start
        own = seconds(lambda e=engine: rt.dynamics(system, {}, q, v, engine=e)) / STATES
        how = "by C" if engine == "c" else "as it is"
        print(f"    dynamics {how}: {own * 1e6:.1f} us, {own / other:.1f} times; first {first:.1f} s")
        if pinocchio is not None and own > bound * other:
            print(f"    more than the {bound:g} times that are asked for")


if __name__ == "__main__":
    rt.dynamics(random_arm(0, 2).chain().system(), {})
    for joints in JOINTS:
        measured(joints)
