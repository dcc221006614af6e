"""The convex program itself, for those who study it.

Arrays are taken as they are: nothing is standardised, and there is no column of ones unless X has one.
"""

from typing import NamedTuple

import numpy as np

from . import _core
from ._cronos import Cronos
from ._estimator import explained
from ._progress import Progress


class Gates(NamedTuple):
    """Activation patterns and where they come from."""

    #: Features x gates.
    directions: np.ndarray
    #: Rows x gates: whether a gate is active on a row.
    patterns: np.ndarray


class Certificate(NamedTuple):
    """What weights are worth, and what no weights can beat."""

    objective: float
    lower_bound: float
    gap: float
    violation: float
    network_objective: float


class Solution(NamedTuple):
    """A solution of the convex program. C outputs, P gates, n rows, d features."""

    #: How the run ended.
    status: str
    #: C x P x d: units that count positively. Of the gated activation, all units.
    v: np.ndarray
    #: C x P x d: units that count negatively; none for the gated activation.
    w: np.ndarray
    #: C x n: the part of the dual point that belongs to the loss.
    loss_dual: np.ndarray
    #: C x 2 x P x n: the part that belongs to the cones; none for the gated activation.
    cone_dual: np.ndarray | None
    #: Objective, bound, gap and violation.
    certificate: Certificate
    #: Directions of the gates that were used, features x P; repeated and empty ones are dropped.
    directions: np.ndarray
    #: One array for each thing that is known of every iteration.
    history: dict[str, np.ndarray]
    #: How the linear systems were solved, and why so.
    solver: str
    solver_reason: str


def sample_gates(X, count, *, seed=0):
    """Draws Gaussian directions until so many patterns are found that are distinct and not empty."""
    return Gates(*_core.sample_gates(_table(X), count, seed))


def solve_convex(
    X,
    y,
    directions,
    beta,
    *,
    sample_weight=None,
    loss="squared",
    huber_delta=1.0,
    quantile=0.5,
    activation="relu",
    solver=None,
    device=None,
    rank=None,
    rho=None,
    fixed_rho=False,
    max_iterations=None,
    tolerance=1e-4,
    time_limit=None,
    precision="f64",
    seed=0,
    threads=None,
    verbose=False,
):
    """Solves the convex program of some gates.

    ``min loss(Σ D_i X (v_i − w_i), y) + β Σ (‖v_i‖ + ‖w_i‖)`` with ``(2D_i − I) X v_i ≥ 0`` and likewise for
    ``w_i``; the loss is a sum over rows. ``y`` holds numbers, −1 and 1 for the logistic loss and the squared hinge,
    and a column for each class for softmax.
    """
    progress = Progress("solve_convex") if verbose else None
    keywords = _keywords(
        directions,
        beta,
        loss=loss,
        huber_delta=huber_delta,
        quantile=quantile,
        activation=activation,
        solver=solver,
        device=device,
        rank=rank,
        rho=rho,
        fixed_rho=fixed_rho,
        max_iterations=max_iterations,
        tolerance=tolerance,
        time_limit=time_limit,
        precision=precision,
        seed=seed,
    )
    parts = _parts(X, y, sample_weight, threads, progress)
    try:
        found = _core.solve_convex(parts, keywords)
    except TypeError as error:
        raise explained(error, parts | keywords) from error
    finally:
        if progress is not None:
            progress.close()
    weights = found["weights"]
    return Solution(
        status=found["status"],
        v=weights[:, 0],
        w=weights[:, 1] if weights.shape[1] == 2 else np.zeros_like(weights[:, 0]),
        loss_dual=found["loss_dual"],
        cone_dual=found.get("cone_dual"),
        certificate=Certificate(*(found[name] for name in Certificate._fields)),
        directions=found["directions"],
        history=found["history"],
        solver=found["solver"],
        solver_reason=found["solver_reason"],
    )


def certificate(
    X,
    y,
    directions,
    beta,
    v,
    w=None,
    *,
    sample_weight=None,
    loss="squared",
    huber_delta=1.0,
    quantile=0.5,
    activation="relu",
):
    """What weights are worth for the convex program, and a bound that no weights can beat.

    ``v`` and ``w`` are C x P x d, or P x d for one output. The bound is the best that the gradient of the loss at
    these weights gives, so it is tight at a solution. With cones it takes a projection for every gate.
    """
    v = np.asarray(v, dtype=np.float64)
    outputs = np.shape(y)[1] if np.ndim(y) == 2 else 1
    shape = (outputs, *v.shape[-2:])
    signs = [v] if activation == "gated" else [v, np.zeros_like(v) if w is None else w]
    weights = np.stack([np.reshape(np.asarray(each, dtype=np.float64), shape) for each in signs], axis=1)
    keywords = _keywords(
        directions,
        beta,
        loss=loss,
        huber_delta=huber_delta,
        quantile=quantile,
        activation=activation,
    )
    parts = _parts(X, y, sample_weight, None, None)
    found = _core.certificate(parts, np.ascontiguousarray(weights).ravel(), keywords)
    return Certificate(*(found[name] for name in Certificate._fields))


def nystrom(operator, rank=20, *, size=None, mu=1.0, seed=0):
    """Eigenvectors (size x rank) and eigenvalues of a randomized approximation ``U Λ Uᵀ``, largest first.

    ``operator`` is a symmetric positive semidefinite matrix, or a function that multiplies such a matrix of ``size``
    rows by an array of columns. With ``rank="adaptive"`` the rank grows until the error is at most ten times ``mu``.
    """
    if callable(operator):
        if size is None:
            raise ValueError("size is missing: how many rows the operator has")
        given = operator
        operator = lambda x: np.ascontiguousarray(given(x), dtype=np.float64)  # noqa: E731
    else:
        operator = _table(operator)
        if operator.shape[0] != operator.shape[1]:
            raise ValueError(f"a square matrix is expected, not one of shape {operator.shape}")
        size = len(operator)
    return _core.nystrom(operator, size, rank, mu, seed)


def _table(X):
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"an array of two dimensions is expected, not of {X.ndim}")
    return X


def _parts(X, y, sample_weight, threads, progress):
    y = np.asarray(y, dtype=np.float64)
    if sample_weight is not None:
        sample_weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    return {
        "x": _table(X),
        "y": _table(y.reshape(len(y), -1)),
        "weights": sample_weight,
        "threads": threads,
        "progress": progress,
    }


def _keywords(directions, beta, **given):
    """All keywords of a fit, with those that are given."""
    usual = Cronos()
    keywords = {name: getattr(usual, name) for name in Cronos._get_param_names()}
    return keywords | given | {"beta": float(beta), "gate_directions": _table(directions)}
