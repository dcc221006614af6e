"""Two-layer networks: the knobs of `cronos fit` as keywords, and the path."""

import os

import numpy as np
from sklearn.base import clone

from . import _core
from ._estimator import Estimator
from ._path import Path
from ._ranks import together


class Cronos(Estimator):
    """A two-layer network that is trained by convex optimisation."""

    def __init__(
        self,
        *,
        loss=None,
        huber_delta=1.0,
        quantile=0.5,
        beta=None,
        fast=False,
        best=False,
        networks=None,
        gates=None,
        learn_gates=False,
        gate_file=None,
        activation="relu",
        solver=None,
        device=None,
        rank=None,
        rho=None,
        fixed_rho=False,
        max_iterations=None,
        tolerance=None,
        time_limit=None,
        no_bias=False,
        no_standardize=False,
        precision="f32",
        seed=0,
        threads=None,
        warm_start=False,
        mpi=False,
        verbose=False,
    ):
        self.loss = loss
        self.huber_delta = huber_delta
        self.quantile = quantile
        self.beta = beta
        self.fast = fast
        self.best = best
        self.networks = networks
        self.gates = gates
        self.learn_gates = learn_gates
        self.gate_file = gate_file
        self.activation = activation
        self.solver = solver
        self.device = device
        self.rank = rank
        self.rho = rho
        self.fixed_rho = fixed_rho
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.time_limit = time_limit
        self.no_bias = no_bias
        self.no_standardize = no_standardize
        self.precision = precision
        self.seed = seed
        self.threads = threads
        self.warm_start = warm_start
        self.mpi = mpi
        self.verbose = verbose

    def _train(self, X, y, sample_weight):
        with together(self.mpi):
            X, targets, weights, classes = self._prepare(X, y, sample_weight)
            return self._work(_core.fit, X, targets, weights=weights, classes=classes)

    def path(self, X, y, sample_weight=None, *, steps=20, smallest=0.001):
        """Networks for penalties in equal ratios, from the one that leaves nothing downwards.

        Gates are drawn unless they are given. The targets of a regression are standardised, and
        the penalties are those for standardised targets.
        """
        walker = clone(self)
        with together(self.mpi):
            X, targets, weights, classes = walker._prepare(X, y, sample_weight)
            models, zero_beta, status = walker._work(
                _core.path, X, targets, steps, smallest, weights=weights, classes=classes
            )
        points = []
        for model in models:
            point = clone(self)
            point.__dict__.update({k: v for k, v in vars(walker).items() if k not in vars(point)})
            points.append(point._keep(model))
        return Path(points, zero_beta, status)

    def _beside(self):
        warm = bool(self.warm_start)
        before = getattr(self, "_model", None) if warm else None
        return {"warm": warm, "before": before, "mpi": bool(self.mpi)}

    def _speaks(self):
        return not self.mpi or _core.ranks()[0] == 0

    def _keywords(self):
        keywords = {name: getattr(self, name) for name in Cronos._get_param_names()}
        keywords["gate_directions"] = self._gate_directions()
        return keywords

    def _gate_directions(self):
        given = self.gate_file
        if given is None:
            return None
        if isinstance(given, (str, os.PathLike)):
            given = np.load(given, allow_pickle=False)
        return np.ascontiguousarray(given, dtype=np.float64)

    @property
    def lower_bound_(self):
        """No network with the same gates has an objective below this."""
        return self._fitted("lower_bound")

    @property
    def gap_(self):
        """The relative distance between objective and bound."""
        return self._fitted("gap")

    @property
    def coefs_(self):
        """The weights of both layers: inputs x units, units x outputs."""
        self._fitted("status")
        return list(self._model.coefficients())

    @property
    def intercepts_(self):
        """The constants of both layers."""
        self._fitted("status")
        return list(self._model.intercepts())
