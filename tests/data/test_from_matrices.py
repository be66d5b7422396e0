"""Linear models of matrices: quadratic energies whose second derivatives they are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.io
import scipy.linalg

import routh as rt
from routh import ddt


def drawn(seed, n=3, p=2):
    """Matrices of every kind."""
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(n, n))
    D, G, K, H = (rng.normal(size=(n, n)) for _ in range(4))
    return {
        "M": M @ M.T + np.eye(n), "D": D + D.T, "G": G - G.T, "K": K + K.T, "H": H - H.T,
        "B": rng.normal(size=(n, p)),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_the_matrices_are_those_that_were_given_and_those_of_the_system(seed):
    given = drawn(seed)
    model = rt.linear_model(given)
    for name, matrix in given.items():
        np.testing.assert_array_equal(getattr(model, name), matrix)
    anew = rt.linearize(rt.equilibrium(model.system, {}))  # derived from the energies
    for name, matrix in given.items():
        np.testing.assert_allclose(getattr(anew, name), matrix, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_eigenvalues_and_motions_are_those_of_the_matrices(seed):
    """By SciPy: eigenvalues of the companion matrix, the exponential of it for the motion."""
    given = drawn(seed)
    n = 3
    M, C, K = given["M"], given["D"] + given["G"], given["K"] + given["H"]
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    model = rt.linear_model(given)
    found = np.sort_complex(rt.modes(model).eigenvalues)
    np.testing.assert_allclose(found, np.sort_complex(np.linalg.eigvals(A)), rtol=1e-9)
    start = dict(zip(model.coordinates, (0.3, -0.2, 0.1), strict=True))
    still = {str(u): 0.0 for u in model.inputs}
    motion = rt.simulate(model.system, {}, start, [0, 0.4], inputs=still, progress=False)
    end = scipy.linalg.expm(0.4 * A) @ [0.3, -0.2, 0.1, 0, 0, 0]
    np.testing.assert_allclose(np.r_[motion.q[-1], motion.v[-1]], end, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("suffix", [".npz", ".json", ".mat"])
def test_a_saved_model_comes_back_as_a_model_of_its_own(suffix, linear, tmp_path):
    model = rt.linear_model(linear.save(tmp_path / f"a{suffix}"))
    for name in "MDGKHB":
        np.testing.assert_array_equal(getattr(model, name), getattr(linear, name))
    assert [str(q) for q in model.coordinates] == ["x", "y"]
    np.testing.assert_array_equal(rt.modes(model).eigenvalues, rt.modes(linear).eigenvalues)


def test_a_model_with_a_constraint_moves_in_eta(bob, tmp_path):
    linear = rt.linearize(rt.equilibrium(bob, {"m": 2.0}, guess={"y": -2}))
    model = rt.linear_model(linear.save(tmp_path / "a.mat"))
    assert [str(q) for q in model.coordinates] == ["eta1"]
    np.testing.assert_allclose(rt.modes(model).frequencies, np.sqrt(9.81 / 2), rtol=1e-12)


def test_derivatives_of_inputs_stay_what_they_are(tmp_path):
    x, z = rt.coordinate("x"), rt.input("z")
    shaken = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=2 * (x - z) ** 2, dissipation=(ddt(x) - ddt(z)) ** 2 / 4
    )
    linear = rt.linearize(rt.equilibrium(shaken, {}))
    model = rt.linear_model(linear.save(tmp_path / "a.npz"))
    assert sorted(map(str, model.inputs)) == sorted(map(str, linear.inputs)) == ["z", "z'"]
    one, two = (
        rt.frequency_response(each, each.inputs[0].base, [each.coordinates[0]], [0.7]).transfer
        for each in (linear, model)
    )
    np.testing.assert_allclose(one, two, rtol=1e-14)


def test_matrices_of_others_are_taken_by_their_letters(tmp_path):
    C = np.array([[0.1, 2.0], [-2.0, 0.3]])
    scipy.io.savemat(
        tmp_path / "a.mat", {"M": np.eye(2), "K": [[3.0, 0.5], [0.0, 4.0]], "C": C, "B": [[1.0], [0.0]]}
    )
    model = rt.linear_model(tmp_path / "a.mat", coordinates=["a", "b"], inputs=["F"], name="box")
    np.testing.assert_array_equal(model.D, np.diag([0.1, 0.3]))
    np.testing.assert_array_equal(model.G, [[0, 2.0], [-2.0, 0]])
    np.testing.assert_array_equal(model.H, [[0, 0.25], [-0.25, 0]])
    assert (model.system.name, list(map(str, model.inputs))) == ("box", ["F"])


def test_a_column_of_zeros_belongs_to_no_input():
    model = rt.linear_model({"M": np.eye(2), "K": np.eye(2), "B": [[0.0, 0, 1], [0, 0, 2]]})
    assert list(map(str, model.inputs)) == ["u3"]
    np.testing.assert_array_equal(model.B, [[1.0], [2.0]])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"M": np.eye(2)}, r"needs the matrices `M` and `K`\. `K` missing among M"),
        ({"M": np.eye(2), "K": np.eye(3)}, r"`K` must be of shape \(2, 2\)\. Got \(3, 3\)"),
        ({"M": np.eye(2), "K": np.eye(2), "B": np.eye(3)}, r"`B` must be of shape \(2, inputs\)"),
        ({"M": [[1.0, 2], [0, 1]], "K": np.eye(2)}, r"`M` must be symmetric"),
        ({"M": np.eye(2), "K": [[np.nan, 0], [0, 1]]}, r"`K` has entries that are NaN"),
        ({"M": np.eye(2) * 1e308, "K": np.eye(2)}, r"`M` has entries .* beyond 1e\+100"),
        ({"M": np.zeros((3, 2, 2)), "K": np.zeros((3, 2, 2))}, r"one model at a time. Got `M` of shape \(3, 2, 2\)"),
        ({"M": np.eye(2), "K": "text"}, r"`K` must be a matrix of numbers"),
        ({"A": np.eye(2), "B": np.eye(2), "C": np.eye(2), "D": np.eye(2)}, r"matrices of a state space"),
        ({"M": np.eye(200), "K": np.eye(200)}, r"up to 100 degrees of freedom\. Got 200"),
        (3, r"takes a file, a record or matrices by name\. Got an int"),
    ],
)  # fmt: skip
def test_what_is_no_linear_model_says_why(given, told):
    with pytest.raises(rt.DeclarationError, match=told):
        rt.linear_model(given)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"coordinates": ["a"]}, r"`coordinates` must be 2 names, in a list\. Got \['a'\]"),
        ({"coordinates": "ab"}, r"`coordinates` must be 2 names"),
        ({"coordinates": ["a", "a"]}, r"names that differ"),
        ({"coordinates": ["u1", "a"]}, r"names that differ"),
        ({"coordinates": ["a b", "c"]}, r"must be one word"),
        ({"inputs": []}, r"`inputs` must be 1 names"),
    ],
)
def test_bad_names_are_told(more, told):
    with pytest.raises(rt.DeclarationError, match=told):
        rt.linear_model({"M": np.eye(2), "K": np.eye(2), "B": [[1.0], [0]]}, **more)


def test_velocity_constraints_are_no_matrices(tmp_path):
    x, y, phi = rt.coordinates("x y phi")
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(phi) ** 2) / 2
    skate = rt.System(
        kinetic=T, potential=x**2 + phi**2, constraints=[ddt(x) * rt.sin(phi) - ddt(y) * rt.cos(phi)]
    )
    linear = rt.linearize(rt.equilibrium(skate, {}))
    path = linear.save(tmp_path / "a.npz")
    with pytest.raises(rt.DeclarationError, match="velocity constraints"):
        rt.linear_model(path)
    again = rt.load_result(path).restored()
    np.testing.assert_array_equal(rt.modes(again).eigenvalues, rt.modes(linear).eigenvalues)
