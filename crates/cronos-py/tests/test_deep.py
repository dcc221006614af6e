"""Deep networks."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from cronos import DeepCronosClassifier, DeepCronosRegressor, load

SMALL = {"arch": "mlp:32", "gates": 8, "epochs": 10}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)


@pytest.fixture(scope="module")
def fitted(digits):
    return DeepCronosClassifier(**SMALL).fit(digits[0], digits[2])


def test_learns(digits, fitted):
    _, test, _, labels = digits
    assert fitted.score(test, labels) > 0.93
    np.testing.assert_allclose(fitted.predict_proba(test).sum(axis=1), 1)
    assert fitted.n_iter_ == 10
    assert len(fitted.history_) == 11
    # what a step on the last two layers finds is kept only if the objective falls
    assert all(epoch["objective"] <= epoch["before_head"] for epoch in fitted.history_[1:])
    assert fitted.objective_ == fitted.history_[fitted.best_epoch_]["objective"]


def test_images_have_a_shape(digits, tmp_path):
    train, test, labels, truth = digits
    images = (16 * train).astype(np.uint8).reshape(-1, 8, 8)
    model = DeepCronosClassifier(arch="cnn:8", gates=8, epochs=6).fit(images, labels)
    shown = (16 * test).astype(np.uint8).reshape(-1, 8, 8)
    assert model.score(shown, truth) > 0.85
    outputs = model.decision_function(shown)
    # as numbers of any kind, and with a dimension for the one channel
    np.testing.assert_array_equal(model.decision_function(shown.astype(np.float64)), outputs)
    np.testing.assert_array_equal(model.decision_function(shown[..., None]), outputs)
    with pytest.raises(ValueError, match=r"the shape \(8, 4\)"):
        model.predict(shown[:, :, :4])
    model.save(tmp_path / "deep.safetensors")
    loaded = load(tmp_path / "deep.safetensors")
    assert isinstance(loaded, DeepCronosClassifier)
    np.testing.assert_array_equal(loaded.decision_function(shown), outputs)
    assert "cnn:8" in loaded._repr_html_() and "gap" not in loaded._certificate()
    assert not hasattr(loaded, "history_")
    with pytest.raises(ValueError, match="needs images"):
        DeepCronosClassifier(arch="cnn").fit(train, labels)


def test_rows_of_any_shape(digits):
    train, _, labels, _ = digits
    flat = DeepCronosClassifier(**SMALL).fit(train, labels)
    many = DeepCronosClassifier(**SMALL).fit(train.reshape(-1, 2, 2, 4, 4), labels)
    again = many.decision_function(train.reshape(-1, 2, 2, 4, 4))
    np.testing.assert_array_equal(flat.decision_function(train), again)


def test_pickle_and_clone(digits, fitted):
    _, test, _, _ = digits
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.decision_function(test), fitted.decision_function(test))
    assert clone(fitted).get_params() == fitted.get_params()
    assert "mlp:32" in again._repr_html_()


def test_numbers():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, -2 * y])
    model = DeepCronosRegressor(**SMALL).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    assert model.score(X, Y) > 0.4


def test_weights_count_as_repeated_rows(digits):
    train, _, labels, _ = digits
    train, labels = train[:300], labels[:300]
    weights = np.arange(len(labels)) % 3
    weighted = DeepCronosClassifier(**SMALL).fit(train, labels, sample_weight=weights)
    rows = np.repeat(np.arange(len(labels)), weights)
    repeated = DeepCronosClassifier(**SMALL).fit(train[rows], labels[rows])
    np.testing.assert_array_equal(
        weighted.decision_function(train), repeated.decision_function(train)
    )


def test_the_seed_decides_and_threads_do_not(digits, fitted):
    train, test, labels, _ = digits
    one = DeepCronosClassifier(**SMALL, threads=1).fit(train, labels)
    np.testing.assert_array_equal(one.decision_function(test), fitted.decision_function(test))
    other = DeepCronosClassifier(**SMALL, seed=1).fit(train, labels)
    assert (other.decision_function(test) != fitted.decision_function(test)).any()


def test_an_early_end_is_a_warning(digits):
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model = DeepCronosClassifier(epochs=10_000, time_limit=0.5).fit(digits[0], digits[2])
    assert model.n_iter_ < 10_000


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"arch": "transformer"}, "no architecture"),
        ({"loss": "huber"}, "use one of squared, logistic, softmax, squared-hinge"),
        ({"batch": 0}, "batch is 0; it must be at least 1"),
        ({"alpha": -1.0}, "alpha is -1; it must be finite and not negative"),
        ({"time_limit": 0.0}, "time_limit is 0; it must be above 0"),
        ({"augment": "rotate"}, "use one of none, shift, mirror"),
        ({"head_gates": "fixed"}, "use one of seed, redrawn, learned"),
    ],
)
def test_refusals_say_what_to_do(digits, keywords, sentence):
    with pytest.raises(ValueError, match=sentence):
        DeepCronosClassifier(**keywords).fit(digits[0], digits[2])


def test_rows_of_nothing_are_refused(digits):
    with pytest.raises(ValueError, match="holds no number"):
        DeepCronosClassifier().fit(np.zeros((10, 0, 3)), np.arange(10) % 2)
    with pytest.raises(ValueError, match="all weights are 0"):
        DeepCronosClassifier(class_weight=dict.fromkeys(range(10), 0)).fit(digits[0], digits[2])
