"""The augmented Lagrangian of pyscnn (Mishkin, Sahiner and Pilanci, ICML 2022).

pyscnn minimises 1/(2n) ‖·‖² + λ Σ‖·‖ and expects columns of norm 1. Dividing X by one number
σ keeps the program: with v' = σ v the penalty becomes λ = β/(n σ). Its own scaling of each
column would change the penalty, so it is off.
"""

import lab
import numpy as np
from scnn.metrics import Metrics
from scnn.models import ConvexReLU
from scnn.private.interface import build_optimizer, get_logger
from scnn.private.models import AL_MLP, GroupL1Regularizer
from scnn.regularizers import NeuronGL1
from scnn.solvers import AL

from clock import Watch
from problems import Problem


BACKENDS = ["numpy", "torch"]
TOLERANCES = [1e-6, 1e-7]  # of its inner problems; the first is its default, 1e-8 is beyond f32


def solve(problem: Problem, watch: Watch, backend: str, tolerance: float) -> dict:
    lab.set_backend(backend)
    lab.set_device("cpu")
    lab.set_dtype("float32")
    lab.set_seeds(0)
    n, d = problem.x.shape
    scale = np.linalg.norm(problem.x.astype(np.float64)) / np.sqrt(d)
    penalty = problem.beta / (n * scale)
    number = lambda a: lab.tensor(a.tolist(), dtype=lab.get_dtype())
    x, y = number(problem.x / scale), number(problem.y[:, None])
    gates, directions = number(problem.gates), number(problem.directions)

    # as scnn.optimize.optimize_model, with gates as they are given and our criterion for its own
    public = ConvexReLU(problem.directions, c=1)
    solver = AL(public, max_primal_iters=10**9, max_dual_iters=10**9, tol=tolerance)
    procedure = build_optimizer(solver, NeuronGL1(penalty), Metrics())
    procedure.metric_freq = 10**9
    model = AL_MLP(d, gates, directions, "einsum", 1000, GroupL1Regularizer(penalty), c=1)
    calls = 0

    def over(model, *_) -> bool:
        nonlocal calls
        calls += 1
        return watch.due(calls) and watch.show(calls, [lab.to_np(model.weights)[:, 0] / scale])

    procedure.outer_term_criterion = over
    logger = get_logger("scnn")
    data = (x, y)
    watch.start()
    procedure(logger, model, lambda same: same, data, data, ([], [], []))

    # what it calls objective and violation is what we call so
    objective, violation = problem.measure(lab.to_np(model.weights)[:, 0] / scale)
    own = n * float(model.objective(x, y, ignore_lagrange_penalty=True))
    outside = max(0.0, float(lab.max(model.i_constraint_gap(x))))
    assert abs(own - objective) <= 1e-3 * objective, (own, objective)
    assert abs(outside - violation) <= 1e-3 * violation + 1e-5, (outside, violation)
    return watch.record() | {"backend": backend, "inner_tolerance": tolerance}


def settings(problem: Problem, optimum: float, limit: float) -> list[tuple[str, float]]:
    """Both tolerances, with the backend that makes more iterations in `limit` seconds."""

    def rate(backend: str) -> float:
        run = solve(problem, Watch(problem, optimum, limit), backend, TOLERANCES[0])
        return run["iterations"] / run["seconds"]

    fastest = max(BACKENDS, key=rate)
    return [(fastest, tolerance) for tolerance in TOLERANCES]
