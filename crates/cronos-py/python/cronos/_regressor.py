"""Numbers."""

import numpy as np
from sklearn.base import RegressorMixin

from ._cronos import Cronos
from ._validation import counting, sample_weights


class Numbers(RegressorMixin):
    """What an estimator does that predicts one number or several."""

    def _prepare(self, X, y, sample_weight):
        """Features, numbers, weights, and no classes."""
        X, y = self._read(X, y, multi_output=True, y_numeric=True)
        X, y, weights = counting(X, y, sample_weights(sample_weight, X))
        self._flat = y.ndim == 1
        return X, np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64), weights, None

    def predict(self, X):
        """The numbers of each row."""
        X = self._rows(X)
        outputs = self._model.decide(X)
        return outputs[:, 0] if self._flat else outputs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self):
        return {"multioutput": True}


class CronosRegressor(Numbers, Cronos):
    """A two-layer network that predicts one number or several."""
