"""What all estimators have in common: from validated arrays to a network, and on to files."""

import json
import os
import tempfile
import warnings
from pathlib import Path

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
    "numerical-failure": "a numerical failure ended the fit",
}


class Estimator(BaseEstimator):
    """A network of the library, and everything but how it is trained."""

    def _read(self, X, y, **options):
        """Features and targets as arrays that the library takes."""
        return validate_data(
            self, X, y, dtype=NUMBERS, order="C", ensure_min_samples=2, **options
        )

    def _rows(self, X):
        """Features to predict from, as an array that the library takes."""
        check_is_fitted(self, "_model")
        return validate_data(self, X, dtype=NUMBERS, order="C", reset=False)

    def _work(self, work, X, *arguments, weights, classes):
        """What the library makes of rows, while its progress is shown."""
        progress = Progress(type(self).__name__) if self.verbose else None
        job = {
            "weights": weights,
            "classes": classes,
            "feature_names": self._names(X.shape[1]),
            "threads": self.threads,
            "progress": progress,
            "warm": False,
            "before": None,
            **self._beside(),
        }
        try:
            return work(X, *arguments, job, self._keywords())
        finally:
            if progress is not None:
                progress.close()

    def _beside(self):
        """What is said about a fit besides its keywords."""
        return {}

    def _keep(self, model):
        self._model = model
        self.report_ = json.loads(model.report)
        return self

    def _warn(self):
        """Tells about a fit that ended early."""
        sentence = UNFINISHED.get(self.report_["status"])
        if sentence is not None:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=3)
        return self

    def _names(self, count):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(count)] if names is None else list(names)

    @property
    def n_iter_(self):
        """Iterations of the solver, steps of the last path, or epochs."""
        return max(1, self._fitted("iterations"))

    @property
    def objective_(self):
        """The objective that was reached."""
        return self._fitted("objective")

    def _fitted(self, name):
        # hasattr() must say no before a fit
        try:
            return self.report_[name]
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__} is not fitted yet; call fit first"
            ) from None

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
