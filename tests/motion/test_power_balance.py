"""A motion whose power does not add up is not finished: the balance against a known imbalance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import routh as rt
from routh import cos, ddt, sin, vector

theta, l = rt.coordinate("theta"), rt.parameter("l")
r = l * vector(sin(theta), -cos(theta))
PENDULUM = rt.System(kinetic=rt.norm2(ddt(r)) / 2, potential=9.81 * r[1])
START, LENGTH = 2.0, 1.3
SWAP = 9.81 * LENGTH * (1 - np.cos(START))
"""The energy that goes to and fro, once as kinetic energy and once as potential."""


def swing(rtol, length=LENGTH):
    return rt.simulate(PENDULUM, {"l": length}, {theta: START}, np.linspace(0, 5, 51), rtol=rtol)


def missing(motion, share):
    """The same motion with a share of the energy that moves about made up by work that nobody did."""
    made_up = share * 2 * SWAP * np.linspace(0, 1, len(motion.t))
    return replace(motion, work=motion.work + made_up)


DOUBTED = [
    (1e-9, 1e-4),
    (1e-9, 1e-3),
    (1e-9, 0.5),
    (1e-12, 1e-7),
    (1e-12, 1e-2),
    (1e-3, 0.02),
    (1e-5, 0.02),
]
TRUSTED = [(1e-9, 0.0), (1e-9, 1e-9), (1e-12, 1e-10)]


@pytest.mark.parametrize(("rtol", "share"), DOUBTED)
def test_an_imbalance_far_beyond_the_tolerance_is_doubted(rtol, share):
    motion = missing(swing(rtol), share)
    # the work that was made up moves about too; the largest speed is read at the steps, to some percent
    assert motion.energy_error == pytest.approx(share / (1 + share), rel=0.05)
    assert motion.status is rt.Status.DOUBTFUL
    assert not motion.completed
    assert "do not trust it" in motion.message


@pytest.mark.parametrize(("rtol", "share"), TRUSTED)
def test_an_imbalance_of_the_size_of_the_tolerance_is_trusted(rtol, share):
    motion = missing(swing(rtol), share)
    assert motion.status is rt.Status.FINISHED
    assert motion.completed


def test_each_run_of_a_batch_is_judged_by_itself():
    motion = swing(1e-9, np.array([LENGTH, LENGTH]))
    made_up = np.array([[0.0], [1e-3]]) * 2 * SWAP * np.linspace(0, 1, len(motion.t))
    found = replace(motion, work=motion.work + made_up)
    assert list(found.status) == [rt.Status.FINISHED, rt.Status.DOUBTFUL]
    assert list(found.completed) == [True, False]
