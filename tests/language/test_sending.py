"""Symbols and systems go to other processes and back, and stay what they are."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import sympy

import routh as rt
from routh import cos, ddt, sin, vector
from routh.language.symbols import momentum


def sent(value):
    return pickle.loads(pickle.dumps(value))


ELSEWHERE = """
import pickle, sys
import routh as rt
for _ in range(3):
    rt.coordinate("x")
got = pickle.load(sys.stdin.buffer)
made = got | {"alien": rt.coordinate("x"), "later": rt.let("z", got["let"] + 1)}
sys.stdout.buffer.write(pickle.dumps(made))
"""


@pytest.fixture(scope="module")
def there_and_back():
    """What was sent to another process, and what came back from it, some of it made there."""
    far = [rt.coordinate("x") for _ in range(50)][-1]
    own = {"x": far, "let": rt.let("y", far**2), "system": pendulum()}
    run = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=pickle.dumps(own), capture_output=True, check=False,
        env=os.environ | {"PYTHONPATH": str(Path(rt.__file__).parents[1])},
    )  # fmt: skip
    assert not run.returncode, run.stderr.decode()
    return own, pickle.loads(run.stdout)


def pendulum():
    theta, (m, l, g) = rt.coordinate("theta"), rt.parameters("m l g")
    r = l * vector(sin(theta), -cos(theta))
    return rt.System(kinetic=m / 2 * rt.norm2(ddt(r)), potential=m * g * r[1], name="pendulum")


def symbols():
    x, u, p = rt.coordinate("x", latex="X"), rt.input("u"), rt.parameter("k", 2.0, unit="N/m")
    s = rt.space("s", 0, rt.parameter("L", positive=True))
    w = rt.field("w", s)
    y = rt.let("y", 2 * x + sin(x))
    slopes = (
        rt.diff(w, s),
        rt.diff(ddt(w), s, 2),
        rt.at(w, s, 0),
        rt.at(rt.diff(w, s), s, s.bounds[1]),
    )
    return (x, ddt(x), ddt(x, 2), u, ddt(u), p, s, w, ddt(w), *slopes, y, ddt(y), momentum(x), rt.t,
            rt.reaction(x**2 - 1))  # fmt: skip


def test_every_kind_of_symbol_comes_back_as_itself():
    for own in symbols():
        back = sent(own)
        assert back == own
        assert hash(back) == hash(own)
        assert type(back) is type(own)
        assert sympy.latex(back) == sympy.latex(own)
        assert str(back) == str(own)


def test_what_belongs_together_stays_together_in_one_pickle():
    x = rt.coordinate("x")
    y = rt.let("y", x**2)
    rate = ddt(y)
    x1, v1, y1 = sent((x, ddt(x), y))
    assert x1.rate is v1
    assert v1.base is x1
    assert y1.expression == x1**2
    assert ddt(y1) == rate


def test_a_symbol_of_another_process_is_not_taken_for_one_of_the_same_name_here(there_and_back):
    own, back = there_and_back
    assert back["x"] == own["x"]
    assert back["alien"] != own["x"]
    assert back["alien"] not in [rt.coordinate("x") for _ in range(5)]


def test_what_is_made_later_of_a_symbol_that_arrived_counts_on_from_it(there_and_back):
    own, back = there_and_back
    assert back["let"] == own["let"]
    assert back["later"].serial > own["let"].serial
    assert back["alien"].serial > own["let"].serial


def test_systems_are_equal_wherever_they_were_sent(there_and_back):
    own, back = there_and_back
    assert back["system"] == own["system"]
    assert hash(back["system"]) == hash(own["system"])
    assert back["system"].as_written == own["system"].as_written


def test_a_system_and_its_result_share_symbols_in_one_pickle():
    system = pendulum()
    rest = rt.equilibrium(system, {"m": 1, "l": 2, "g": 9.81})
    again, there = sent((system, rest))
    assert there.system is again
    assert rest[system.coordinates[0]] == there[again.coordinates[0]]


def test_what_is_written_without_being_evaluated_is_sent_as_it_is_written():
    x, k = rt.coordinate("x"), rt.parameter("k")
    V = sympy.Mul(2, sympy.Add(x, k, evaluate=False), sympy.Abs(3 * x, evaluate=False), evaluate=False)
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=V)
    back = sent(system)
    assert back == system
    assert back.potential[0].args == V.args


def test_a_long_chain_of_intermediates_needs_no_recursion():
    x = y = rt.coordinate("x")
    for k in range(600):
        y = rt.let(f"y{k}", y + sin(x) / (k + 1))
    back = sent(rt.System(kinetic=ddt(y) ** 2 / 2, potential=cos(y)))
    assert len(back.coordinates) == 1


def test_a_rotation_with_known_rates_arrives_with_them():
    R = rt.let("R", rt.euler_angles("zxz", *rt.coordinates("a b c")))
    rate = ddt(R[0, 0])
    assert ddt(sent(R)[0, 0]) == rate


@pytest.mark.parametrize("name", ["double_pendulum", "block_on_belt", "quaternion_top"])
def test_models_arrive(name):
    model = rt.load(Path(__file__).parents[2] / "examples" / "models" / f"{name}.toml")
    back = sent(model)
    assert back.system == model.system
    assert back.system.as_written == model.system.as_written
