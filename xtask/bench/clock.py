"""A clock that stands still while an iterate is judged."""

import time

import numpy as np

from problems import Problem

GAP = 0.01  # of the optimum
VIOLATION = 1e-3  # of the largest target
EVERY = 10  # iterations between two looks, as in cronos, or a second


class Watch:
    def __init__(self, problem: Problem, optimum: float, limit: float):
        self.problem, self.optimum, self.limit = problem, optimum, limit
        self.seconds, self.iterations, self.reached = 0.0, 0, False
        self.best = {"merit": np.inf}
        self.history = []

    def start(self) -> None:
        self.begin = time.perf_counter()

    def due(self, iterations: int) -> bool:
        return iterations % EVERY == 0 or time.perf_counter() - self.begin > 1.0

    def show(self, iterations: int, candidates: list[np.ndarray]) -> bool:
        """Judges iterates, 2 × P × d each; whether the run is over."""
        self.seconds += time.perf_counter() - self.begin
        self.iterations = iterations
        for u in candidates:
            objective, violation = self.problem.measure(u)
            gap = abs(objective - self.optimum) / self.optimum
            merit = max(gap / GAP, violation / VIOLATION)
            seen = {"merit": merit, "objective": objective, "gap": gap, "violation": violation}
            if not merit >= self.best["merit"]:
                self.best = seen | {"seconds": self.seconds, "iterations": iterations}
            self.reached = self.reached or merit <= 1.0
        self.history.append([round(self.seconds, 3), iterations, self.best["merit"]])
        self.begin = time.perf_counter()
        return self.reached or self.seconds >= self.limit

    def record(self) -> dict:
        return {
            "reached": self.reached,
            "seconds": self.seconds,
            "iterations": self.iterations,
            "best": self.best,
            "history": self.history[:: max(1, len(self.history) // 50)],
        }
