"""Tables of pandas and polars."""

import numpy as np
import pandas
import polars
import pytest
from sklearn.datasets import load_iris

from cronos import CronosClassifier, CronosRegressor, DeepCronosClassifier


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize(
    "estimator", [CronosClassifier(gates=10), DeepCronosClassifier(arch="mlp:8", epochs=2)]
)
def test_frames_in(frame, estimator):
    X, y = load_iris(return_X_y=True)
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    table = frame(dict(zip(names, X.T)))
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = estimator.fit(table, labels)
    assert list(model.feature_names_in_) == names
    assert model._model.feature_names == names
    assert set(model.predict(table)) <= set(labels)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame(dict(zip(reversed(names), X.T))))


def test_a_target_may_be_a_series():
    X, y = load_iris(return_X_y=True)
    by_pandas = CronosRegressor(gates=10).fit(X, pandas.Series(y))
    by_polars = CronosRegressor(gates=10).fit(X, polars.Series(y))
    np.testing.assert_array_equal(by_pandas.predict(X), by_polars.predict(X))
