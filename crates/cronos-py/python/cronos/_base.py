"""What classifier and regressor have in common."""

import json
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from . import _core
from ._html import certificate_html
from ._progress import Progress
from ._validation import NUMBERS, check_is_fitted, validate_data

#: How a fit may end that a user should hear about, and what to do then.
UNFINISHED = {
    "iteration-limit": "the iteration limit was met; raise max_iterations or tolerance",
    "time-limit": "the time limit was met; raise time_limit",
    "stalled": "the precision of the arithmetic was met; use precision='f64'",
    "numerical-failure": "a numerical failure ended the fit; use precision='f64'",
}

class Cronos(BaseEstimator):
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
        self.verbose = verbose

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

    def _train(self, train, X, *targets, weights):
        """Runs a fit of the library, shows its progress and keeps what it found."""
        progress = Progress(type(self).__name__) if self.verbose else None
        job = {
            "weights": weights,
            "feature_names": self._names(),
            "threads": self.threads,
            "progress": progress,
        }
        try:
            model = train(X, *targets, job, self._keywords())
        finally:
            if progress is not None:
                progress.close()
        self._keep(model)
        sentence = UNFINISHED.get(self.report_["status"])
        if sentence is not None:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=3)
        return self

    def _names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _keep(self, model):
        self._model = model
        self.report_ = json.loads(model.report)

    @property
    def n_iter_(self):
        """Iterations of the solver, or steps of the last path."""
        return max(1, self._fitted("iterations"))

    @property
    def objective_(self):
        """The objective of the convex program."""
        return self._fitted("objective")

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

    def _fitted(self, name):
        # hasattr() must say no before a fit
        try:
            return self.report_[name]
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__} is not fitted yet; call fit first"
            ) from None

    def _outputs(self, X):
        check_is_fitted(self, "_model")
        X = validate_data(self, X, dtype=NUMBERS, order="C", reset=False)
        return self._model.decide(X)

    def to_onnx(self, path):
        """Writes the network as an ONNX file: raw features in, label or number out."""
        check_is_fitted(self, "_model")
        write_whole(path, self._model.to_onnx())

    def save(self, path):
        """Writes the network as a model file, which the command reads too."""
        check_is_fitted(self, "_model")
        write_whole(path, self._model.to_bytes())

    def __getstate__(self):
        state = dict(super().__getstate__())
        model = state.pop("_model", None)
        if model is not None:
            state["_model_bytes"] = model.to_bytes()
        return state

    def __setstate__(self, state):
        state = dict(state)
        found = state.pop("_model_bytes", None)
        super().__setstate__(state)
        if found is not None:
            self._model = _core.Model.from_bytes(found, json.dumps(state.get("report_", {})))

    def _repr_html_inner(self):
        shown = super()._repr_html_inner()
        return shown + certificate_html(self.report_) if hasattr(self, "report_") else shown


def write_whole(path, content):
    """Writes a file whole or not at all."""
    path = Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
