"""The functions for those who study the convex program, checked with numpy."""

import numpy as np
import pytest

from cronos import certificate, nystrom, sample_gates, solve_convex

RNG = np.random.default_rng(0)
N, D, P, BETA = 80, 6, 7, 0.8
X = RNG.standard_normal((N, D))
Y = np.sign(X[:, 0] * X[:, 1])
GATES = sample_gates(X, P, seed=3)


def measure(v, w, y=Y, weights=None):
    """Objective and violation of P x d arrays, squared loss."""
    weights = np.ones(N) if weights is None else weights
    pattern = GATES.patterns.astype(float)
    xv, xw = X @ v.T, X @ w.T
    residual = (pattern * (xv - xw)).sum(axis=1) - y
    norms = np.linalg.norm(v, axis=1).sum() + np.linalg.norm(w, axis=1).sum()
    sides = 2 * pattern - 1
    lowest = min((sides * xv).min(), (sides * xw).min(), 0.0)
    return 0.5 * (weights * residual**2).sum() + BETA * norms, -lowest / np.abs(y).max()


def test_patterns_are_those_of_the_directions():
    assert GATES.directions.shape == (D, P)
    np.testing.assert_array_equal(X @ GATES.directions >= 0, GATES.patterns)
    assert len({column.tobytes() for column in GATES.patterns.T}) == P
    again = sample_gates(X, P, seed=3)
    np.testing.assert_array_equal(again.directions, GATES.directions)


@pytest.fixture(scope="module")
def solved():
    return solve_convex(X, Y, GATES.directions, BETA, tolerance=1e-7)


def test_the_solution_is_what_it_says(solved):
    assert solved.status == "solved"
    assert solved.v.shape == solved.w.shape == (1, P, D)
    objective, violation = measure(solved.v[0], solved.w[0])
    np.testing.assert_allclose(solved.certificate.objective, objective, rtol=1e-12)
    np.testing.assert_allclose(solved.certificate.violation, violation, atol=1e-12)
    assert solved.certificate.gap <= 1e-7 and violation <= 1e-8
    np.testing.assert_array_equal(solved.directions, GATES.directions)
    assert len(solved.history["gap"]) == len(solved.history["seconds"]) > 10


def test_the_dual_point_proves_the_bound(solved):
    """Feasible, and worth the bound, by numpy alone."""
    z, alpha = solved.loss_dual[0], solved.cone_dual[0]
    assert (alpha >= 0).all()
    pattern = GATES.patterns.astype(float)
    for sign, of_sign in zip([1, -1], alpha):
        for i in range(P):
            group = X.T @ (sign * pattern[:, i] * z - (2 * pattern[:, i] - 1) * of_sign[i])
            assert np.linalg.norm(group) <= BETA * (1 + 1e-9)
    np.testing.assert_allclose(-0.5 * z @ z - z @ Y, solved.certificate.lower_bound, rtol=1e-9)


def test_a_certificate_of_any_point(solved):
    at = certificate(X, Y, GATES.directions, BETA, solved.v, solved.w)
    np.testing.assert_allclose(at.objective, solved.certificate.objective, rtol=1e-12)
    # the bound needs no multipliers
    assert abs(at.objective - at.lower_bound) <= 1e-5 * at.objective
    v = 0.1 * RNG.standard_normal((P, D))
    far = certificate(X, Y, GATES.directions, BETA, v)
    objective, violation = measure(v, np.zeros((P, D)))
    np.testing.assert_allclose([far.objective, far.violation], [objective, violation], rtol=1e-12)
    assert far.lower_bound <= solved.certificate.objective
    gated = certificate(X, Y, GATES.directions, BETA, v, activation="gated")
    assert gated.violation == 0 and gated.objective == pytest.approx(objective)


def test_weights_are_rows_that_count_more():
    weights = RNG.integers(1, 4, N).astype(float)
    weighted = solve_convex(X, Y, GATES.directions, BETA, sample_weight=weights, tolerance=1e-6)
    rows = np.repeat(np.arange(N), weights.astype(int))
    repeated = solve_convex(X[rows], Y[rows], GATES.directions, BETA, tolerance=1e-6)
    np.testing.assert_allclose(
        weighted.certificate.objective, repeated.certificate.objective, rtol=1e-5
    )
    objective, _ = measure(weighted.v[0], weighted.w[0], weights=weights)
    np.testing.assert_allclose(weighted.certificate.objective, objective, rtol=1e-12)
    at = certificate(
        X, Y, GATES.directions, BETA, weighted.v, weighted.w, sample_weight=weights
    )
    np.testing.assert_allclose(at.objective, objective, rtol=1e-12)
    assert abs(at.objective - at.lower_bound) <= 1e-4 * at.objective


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "huber", "quantile"])
def test_other_losses_have_a_bound_too(loss):
    solved = solve_convex(X, Y, GATES.directions, 0.3, loss=loss, tolerance=1e-5)
    at = certificate(X, Y, GATES.directions, 0.3, solved.v, solved.w, loss=loss)
    np.testing.assert_allclose(at.objective, solved.certificate.objective, rtol=1e-9)
    assert at.lower_bound <= at.objective * (1 + 1e-6)
    if loss != "quantile":  # whose gradient is not unique at a solution
        np.testing.assert_allclose(at.lower_bound, solved.certificate.lower_bound, rtol=1e-3)


def test_softmax_couples_outputs():
    y = np.eye(3)[RNG.integers(0, 3, N)]
    solved = solve_convex(X, y, GATES.directions, 0.5, loss="softmax", tolerance=1e-5)
    assert solved.v.shape == (3, P, D)
    at = certificate(X, y, GATES.directions, 0.5, solved.v, solved.w, loss="softmax")
    assert abs(at.objective - at.lower_bound) <= 1e-2 * at.objective


def test_refusals():
    with pytest.raises(ValueError, match="none of the 1 gates is active"):
        ones = np.hstack([X, np.ones((N, 1))])
        solve_convex(ones, Y, np.r_[np.zeros(D), -1.0][:, None], BETA)
    with pytest.raises(ValueError, match="7 groups|14 groups"):
        certificate(X, Y, GATES.directions, BETA, np.zeros((P, D - 1)))
    with pytest.raises(ValueError, match="pattern of another"):
        twice = np.hstack([GATES.directions, GATES.directions[:, :1]])
        certificate(X, Y, twice, BETA, np.zeros((P + 1, D)))


def test_nystrom_finds_what_is_large():
    basis, _ = np.linalg.qr(RNG.standard_normal((60, 60)))
    eigenvalues = 10.0 ** -np.arange(60)
    h = (basis * eigenvalues) @ basis.T
    vectors, found = nystrom(h, 8)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(8), atol=1e-10)
    np.testing.assert_allclose(found[:5], eigenvalues[:5], rtol=1e-2)
    np.testing.assert_allclose((vectors * found) @ vectors.T, h, atol=1e-5)
    again, same = nystrom(lambda block: h @ block, 8, size=60)
    np.testing.assert_allclose(same, found, rtol=1e-9, atol=1e-12)
    _, adaptive = nystrom(h, "adaptive", mu=1e-9)
    assert len(adaptive) == 20

    def broken(block):
        raise RuntimeError("no product")

    with pytest.raises(RuntimeError, match="no product"):
        nystrom(broken, 8, size=60)
    with pytest.raises(ValueError, match="square"):
        nystrom(h[:, :5], 2)
    with pytest.raises(ValueError, match="size is 0"):
        nystrom(np.zeros((0, 0)))


def test_devices_are_named_or_refused():
    solve = lambda device: solve_convex(X, Y, GATES.directions, BETA, device=device)
    with pytest.raises(RuntimeError, match="cuda is not compiled in: rebuild with --features cuda"):
        solve("cuda:1")
    with pytest.raises(ValueError, match="\"tpu\" is no device"):
        solve("tpu")
    np.testing.assert_array_equal(solve("auto").v, solve(None).v)
