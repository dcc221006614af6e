"""Classes."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from ._cronos import Cronos
from ._validation import counting, sample_weights


def _knows_probabilities(estimator):
    model = getattr(estimator, "_model", None)
    if model is not None and not model.log_odds:
        raise AttributeError(
            f"the outputs are no log-odds for the loss {estimator.report_['loss']!r}; use "
            "loss='logistic' or loss='softmax', or CalibratedClassifierCV"
        )
    return True


class Classes(ClassifierMixin):
    """What an estimator does that tells classes apart."""

    def _prepare(self, X, y, sample_weight):
        """Features, indices of classes, weights, and the names of the classes."""
        X, y = self._read(X, y)
        check_classification_targets(y)
        weights = sample_weights(sample_weight, X)
        if self.class_weight is not None:
            of_classes = compute_sample_weight(self.class_weight, y)
            weights = of_classes if weights is None else weights * of_classes
        X, y, weights = counting(X, y, weights)
        self.classes_, indices = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"the labels name only one class, {self.classes_[0]!r}; at least 2 are needed"
            )
        names = [str(label) for label in self.classes_]
        return X, indices.astype(np.uintp), weights, names

    def decision_function(self, X):
        """The output for the second of two classes, or one output for each class."""
        outputs = self._model_of(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X):
        """The class of each row."""
        outputs = self._model_of(X)
        if len(self.classes_) == 2:
            return self.classes_[(outputs[:, 0] >= 0).astype(int)]
        return self.classes_[np.argmax(outputs, axis=1)]

    @available_if(_knows_probabilities)
    def predict_proba(self, X):
        """The probability of each class for each row."""
        X = self._rows(X)
        return self._model.probabilities(X)

    def _model_of(self, X):
        X = self._rows(X)
        return self._model.decide(X)


class CronosClassifier(Classes, Cronos):
    """A two-layer network that tells classes apart."""

    def __init__(
        self,
        *,
        loss=None,
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
        class_weight=None,
        warm_start=False,
        mpi=False,
        verbose=False,
    ):
        super().__init__(
            loss=loss,
            beta=beta,
            fast=fast,
            best=best,
            networks=networks,
            gates=gates,
            learn_gates=learn_gates,
            gate_file=gate_file,
            activation=activation,
            solver=solver,
            device=device,
            rank=rank,
            rho=rho,
            fixed_rho=fixed_rho,
            max_iterations=max_iterations,
            tolerance=tolerance,
            time_limit=time_limit,
            no_bias=no_bias,
            no_standardize=no_standardize,
            precision=precision,
            seed=seed,
            threads=threads,
            warm_start=warm_start,
            mpi=mpi,
            verbose=verbose,
        )
        self.class_weight = class_weight
