"""What users do with estimators."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cronos import CronosClassifier, CronosRegressor, load


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(iris):
    return CronosClassifier(fast=True).fit(*iris)


def test_learns(iris, fitted):
    assert fitted.score(*iris) > 0.95
    np.testing.assert_allclose(fitted.predict_proba(iris[0]).sum(axis=1), 1)
    assert 0 <= fitted.lower_bound_ <= fitted.objective_
    assert fitted.n_iter_ >= 1


def test_weights_are_those_of_the_network(iris, fitted):
    """The outputs again, with numpy."""
    X, _ = iris
    model = CronosClassifier(gates=20).fit(*iris)
    (w, a), (b, c) = model.coefs_, model.intercepts_
    np.testing.assert_allclose(
        model.decision_function(X), np.maximum(X @ w + b, 0) @ a + c, rtol=1e-9, atol=1e-9
    )


def test_pickle_clone_and_files(iris, fitted, tmp_path):
    X, _ = iris
    outputs = fitted.decision_function(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.decision_function(X), outputs)
    assert clone(fitted).get_params() == fitted.get_params()
    fitted.save(tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.decision_function(X), outputs)
    np.testing.assert_array_equal(loaded.classes_, fitted.classes_)
    assert loaded.gap_ == fitted.gap_
    assert "certificate" in loaded._repr_html_()


def test_in_a_pipeline_and_a_search(iris):
    pipeline = make_pipeline(StandardScaler(), CronosClassifier(gates=10))
    search = GridSearchCV(pipeline, {"cronosclassifier__beta": [0.1, 1.0]}, cv=3, n_jobs=2)
    assert search.fit(*iris).best_score_ > 0.9
    assert cross_val_score(CronosClassifier(fast=True), *iris, cv=3).mean() > 0.9


def test_with_other_estimators(iris, fitted):
    calibrated = CalibratedClassifierCV(CronosClassifier(gates=10), cv=3).fit(*iris)
    assert calibrated.score(*iris) > 0.9
    importance = permutation_importance(fitted, *iris, n_repeats=2, random_state=0)
    assert importance.importances_mean.max() > 0.1
    stack = StackingClassifier(
        [("cronos", CronosClassifier(fast=True)), ("linear", LogisticRegression(max_iter=1000))]
    )
    assert stack.fit(*iris).score(*iris) > 0.9


def test_threads_do_not_disturb_each_other():
    X, y = load_digits(return_X_y=True)
    parts = [(X[i::8], y[i::8]) for i in range(8)]
    alone = [CronosClassifier(fast=True).fit(*part).decision_function(X) for part in parts]
    together = [None] * 8

    def work(i):
        together[i] = CronosClassifier(fast=True).fit(*parts[i]).decision_function(X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for a, b in zip(alone, together):
        np.testing.assert_array_equal(a, b)


def test_several_numbers():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, -y])
    model = CronosRegressor(fast=True).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    assert model.score(X, Y) > 0.3


def test_an_early_end_is_a_warning(iris):
    with pytest.warns(ConvergenceWarning, match="max_iterations"):
        CronosClassifier(gates=20, max_iterations=2).fit(*iris)


def test_an_interrupt_is_heard(iris):
    X, y = load_digits(return_X_y=True)
    # a shell may have told processes in the background to ignore it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt():
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        CronosClassifier(best=True).fit(X, y)
    # it would have taken minutes
    assert time.monotonic() - start < 20
    thread.join()
    signal.signal(signal.SIGINT, before)
    assert CronosClassifier(gates=10).fit(*iris).score(*iris) > 0.9


def test_weights_count_as_repeated_rows(iris):
    X, y = iris
    weights = np.arange(len(y)) % 3
    weighted = CronosClassifier(fast=True).fit(X, y, sample_weight=weights)
    order = np.random.default_rng(0).permutation(weights.sum())
    rows = np.repeat(np.arange(len(y)), weights)[order]
    repeated = CronosClassifier(fast=True).fit(X[rows], y[rows])
    np.testing.assert_array_equal(weighted.decision_function(X), repeated.decision_function(X))


def test_a_class_without_weight_is_none(iris):
    X, y = iris
    model = CronosClassifier(gates=10, class_weight={1: 0.0}).fit(X, y)
    np.testing.assert_array_equal(model.classes_, [0, 2])
    rest = CronosClassifier(gates=10).fit(X[y != 1], y[y != 1])
    np.testing.assert_array_equal(model.decision_function(X), rest.decision_function(X))
    with pytest.raises(ValueError, match="only one class"):
        CronosClassifier().fit(X, y, sample_weight=(y == 1).astype(float))


def test_a_fit_that_fails_changes_nothing(iris):
    X, y = iris
    model = CronosClassifier(gates=10).fit(X, y)
    outputs = model.decision_function(X)
    model.set_params(loss="cubic")
    with pytest.raises(ValueError, match="use one of"):
        model.fit(X[:100, :2], y[:100])
    np.testing.assert_array_equal(model.decision_function(X), outputs)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])


def test_a_notebook_shows_the_certificate(fitted):
    assert "cronos-certificate" in fitted._repr_html_()
    assert "cronos-certificate" in fitted._repr_mimebundle_()["text/html"]
    assert "cronos-certificate" not in CronosClassifier()._repr_mimebundle_()["text/html"]


def test_refusals_say_what_to_do(iris):
    for keywords in [{"gates": 0}, {"gates": -1}, {"threads": 0}, {"seed": -1}]:
        with pytest.raises(ValueError, match="at least 1|-1 is not accepted"):
            CronosClassifier(**keywords).fit(*iris)
    with pytest.raises(TypeError, match="gates = 2.5 is not accepted"):
        CronosClassifier(gates=2.5).fit(*iris)
    with pytest.raises(ValueError, match="use one of"):
        CronosClassifier(loss="cubic").fit(*iris)
    with pytest.raises(ValueError, match="row 3 has the weight -1"):
        weights = np.ones(150)
        weights[3] = -1
        CronosClassifier().fit(*iris, sample_weight=weights)
    with pytest.raises(AttributeError, match="not fitted yet"):
        CronosClassifier().gap_
