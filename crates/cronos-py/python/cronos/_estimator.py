"""What all estimators have in common: from validated arrays to a network, and on to files."""

import json
import os
import re
import secrets
import shutil
import warnings
from pathlib import Path

from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from . import _core
from ._html import certificate_html
from ._progress import Progress
from ._validation import FINITE, NUMBERS, check_is_fitted, validate_data

#: How a fit may end that a user should hear about, and what to do then.
UNFINISHED = {
    ("iteration-limit", "column-generation"): "the work for learning gates was spent before the gap met the tolerance; "
    "use best=True to look longer",
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

    def _rows(self, X, **options):
        """Features to predict from, as an array that the library takes."""
        check_is_fitted(self, "_model")
        if self._model.imputes:
            options[FINITE] = "allow-nan"
        return validate_data(self, X, dtype=NUMBERS, order="C", reset=False, **options)

    def fit(self, X, y, sample_weight=None):
        """Trains on features and a target for each row."""
        before = dict(vars(self))
        try:
            self._keep(self._train(X, y, sample_weight))
        except BaseException:
            # whoever interrupts has the estimator as it was
            vars(self).clear()
            vars(self).update(before)
            raise
        return self._warn()

    def _work(self, work, X, *arguments, weights, classes):
        """What the library makes of rows, while its progress is shown."""
        progress = Progress(type(self).__name__) if self.verbose and self._speaks() else None
        job = {
            "weights": weights,
            "classes": classes,
            "feature_names": self._names(X.shape[1]),
            "threads": self.threads,
            "progress": progress,
            "warm": False,
            "mpi": False,
            "before": None,
            **self._beside(),
        }
        keywords = self._keywords()
        try:
            return work(X, *arguments, job, keywords)
        except TypeError as error:
            raise explained(error, job | keywords) from error
        finally:
            if progress is not None:
                progress.close()

    def _beside(self):
        """What is said about a fit besides its keywords."""
        return {}

    def _speaks(self):
        """Whether this process tells what goes on, and not another that does the same work."""
        return True

    def _keep(self, model):
        self._model = model
        self.report_ = json.loads(model.report)
        return self

    def _warn(self):
        """Tells about a fit that ended early."""
        status = self.report_["status"]
        sentence = UNFINISHED.get((status, self.report_["solver"]), UNFINISHED.get(status))
        if sentence is not None and self._speaks():
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
        except KeyError:
            raise AttributeError(f"a model file does not keep {name}") from None

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
        return super()._repr_html_inner() + self._certificate()

    def _repr_mimebundle_(self, **options):
        # what a notebook asks for first
        bundle = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] += self._certificate()
        return bundle

    def _certificate(self):
        return certificate_html(self.report_) if hasattr(self, "report_") else ""


def explained(error, given):
    """What is wrong with a keyword that the library cannot take."""
    field, cause = re.search(r"field \w+\.(\w+)", str(error)), error.__cause__
    if field is None or cause is None:
        return error
    name = field[1]
    kind = ValueError if isinstance(cause, OverflowError) else TypeError
    return kind(f"{name} = {given.get(name)!r} is not accepted: {cause}")


def write_whole(path, content):
    """Writes a file whole or not at all."""
    path = Path(path)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(aside, "xb") as file:
            file.write(content)
        if path.exists():
            shutil.copymode(path, aside)
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
