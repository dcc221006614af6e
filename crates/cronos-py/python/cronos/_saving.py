"""Models from files."""

import numpy as np

from . import _core


def load(path):
    """The estimator of a model file, whoever wrote it."""
    from ._classifier import CronosClassifier
    from ._deep import DeepCronosClassifier, DeepCronosRegressor
    from ._regressor import CronosRegressor

    with open(path, "rb") as file:
        model = _core.Model.from_bytes(file.read())
    kinds = (DeepCronosClassifier, DeepCronosRegressor) if model.deep else (CronosClassifier, CronosRegressor)
    names = model.classes
    estimator = kinds[names is None]()
    estimator._keep(model)
    if model.deep:
        # one channel is no dimension of its own
        image = model.image
        estimator._shape = (model.features,) if image is None else tuple(image[: 2 + (image[2] > 1)])
        estimator.n_features_in_ = estimator._shape[0]
    else:
        estimator.n_features_in_ = model.features
        names_in = model.feature_names
        if names_in != [f"x{j}" for j in range(len(names_in))]:
            estimator.feature_names_in_ = np.array(names_in, dtype=object)
    if names is None:
        estimator._flat = model.outputs == 1
    else:
        estimator.classes_ = _labels(names)
    return estimator


def _labels(names):
    """Names as truth values or numbers, if that loses nothing."""
    if names == ["False", "True"]:
        return np.array([False, True])
    for kind in (int, float):
        try:
            numbers = [kind(name) for name in names]
        except ValueError:
            continue
        if [str(number) for number in numbers] == names:
            return np.array(numbers)
    return np.array(names)
