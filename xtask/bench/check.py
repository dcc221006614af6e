"""The solvers that are compared solve the same program: cronos and the algorithm in JAX must
come within 1e-3 of the optimum that an interior-point method finds, pyscnn within 1e-2, which is
about what single precision allows it."""

import cvxpy
import numpy as np

import cronos_command
import jax_admm
import scnn_al
from clock import GAP, Watch
from problems import Problem, build
from report import arguments, say

LIMIT = 60.0
CLOSE = 1e-3


def small() -> Problem:
    rng = np.random.default_rng(7)
    x = np.hstack([rng.standard_normal((40, 4)), np.ones((40, 1))])
    return build("small", x, np.where(np.abs(x[:, 0]) > 0.7, 1.0, -1.0), 6, 0.5)


def interior_point(problem: Problem) -> float:
    x, gates = problem.double
    u = [[cvxpy.Variable(x.shape[1]) for _ in gates.T] for _ in range(2)]
    pairs = list(zip(gates.T, *u))
    output = sum(cvxpy.multiply(d, x @ (v - w)) for d, v, w in pairs)
    norms = sum(cvxpy.norm(v) + cvxpy.norm(w) for _, v, w in pairs)
    cones = [cvxpy.multiply(2 * d - 1, x @ a) >= 0 for d, v, w in pairs for a in (v, w)]
    loss = 0.5 * cvxpy.sum_squares(output - problem.y) + problem.beta * norms
    return cvxpy.Problem(cvxpy.Minimize(loss), cones).solve(solver=cvxpy.CLARABEL)


class Strict(Watch):
    """Goes on until the objective is CLOSE, ten times as close as a run is timed to."""

    def show(self, iterations, candidates) -> bool:
        over = super().show(iterations, candidates)
        self.reached = self.best["merit"] <= CLOSE / GAP
        return self.reached or over and self.seconds >= self.limit


def main() -> None:
    options = arguments(__doc__)
    problem = small()
    optimum = interior_point(problem)
    answer = cronos_command.solve(options.program, problem, options.folder / "small", "--tolerance", "1e-4")
    assert answer["lower_bound"] <= optimum * (1 + 1e-6), (answer["lower_bound"], optimum)
    found = [("cronos", answer["objective_again"], CLOSE)]
    run = jax_admm.solve(problem, Strict(problem, optimum, LIMIT), 1.0, 1000)
    found.append(("jax", run["best"]["objective"], CLOSE))
    for backend in scnn_al.BACKENDS:
        run = scnn_al.solve(problem, Watch(problem, optimum, LIMIT), backend, 1e-6)
        found.append((f"scnn, {backend}", run["best"]["objective"], GAP))
    for name, objective, close in found:
        say(f"{name}: {objective:.6f}, interior point {optimum:.6f}")
        assert abs(objective - optimum) <= close * optimum, name



if __name__ == "__main__":
    main()
