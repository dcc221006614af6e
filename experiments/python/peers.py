"""Trains the learners of scikit-learn that cronos is compared with.

The first line on standard output holds the versions. Then every line on
standard input is one JSON object with learner, seed, train and test (csv files
whose last column is the target), answered by one line with accuracy, seconds
(to fit and to predict, without reading the files) and details, or with error.
"""

import os

# one thread per process; must be set before numpy is imported
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import platform
import time
import warnings

import numpy
import scipy
import sklearn
from answers import serve
from scipy.stats import loguniform
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RandomizedSearchCV, StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


def scaled(model):
    return Pipeline([("scale", StandardScaler()), ("model", model)])


def mlp_tuned(seed, classes):
    """The best of ten random configurations, by cross-validation."""
    counts = numpy.bincount(classes)
    rows, smallest = len(classes), counts.min()
    if smallest >= 2:
        folds = StratifiedKFold(min(3, smallest), shuffle=True, random_state=seed)
    else:
        folds = KFold(3, shuffle=True, random_state=seed)
    space = {
        "model__hidden_layer_sizes": [(32,), (64,), (128,), (256,), (64, 64), (128, 128)],
        "model__alpha": loguniform(1e-6, 1e0),
        "model__learning_rate_init": loguniform(1e-4, 1e-1),
        "model__batch_size": [min(size, rows) for size in (32, 64, 128, 200)],
        "model__activation": ["relu", "tanh"],
        "model__early_stopping": early_stopping(counts, folds.get_n_splits()),
    }
    return RandomizedSearchCV(
        scaled(MLPClassifier(max_iter=200, random_state=seed)),
        space,
        n_iter=10,
        cv=folds,
        random_state=seed,
        n_jobs=1,
    )


def early_stopping(counts, folds):
    """Both values, or only False where a tenth of a fold cannot hold every class."""
    rows = counts.sum() * (folds - 1) // folds
    held = -(-rows // 10)
    fewest = counts.min() - -(-counts.min() // folds)
    possible = fewest >= 2 and held >= len(counts)
    return [False, True] if possible else [False]


def build(learner, seed, classes):
    match learner:
        case "logistic":
            return scaled(LogisticRegression(max_iter=1000, random_state=seed))
        case "svc":
            return scaled(SVC(random_state=seed))
        case "forest":
            return RandomForestClassifier(random_state=seed, n_jobs=1)
        case "boosting":
            return HistGradientBoostingClassifier(random_state=seed)
        case "mlp":
            return scaled(MLPClassifier(random_state=seed))
        case "mlp-tuned":
            return mlp_tuned(seed, classes)
    raise ValueError(f"there is no learner {learner}")


def read(path):
    table = numpy.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return table[:, :-1], table[:, -1]


def chosen(model):
    """What the search found, in words that JSON has."""
    if not isinstance(model, RandomizedSearchCV):
        return {}
    return {
        "chosen": {name.removeprefix("model__"): value for name, value in model.best_params_.items()},
        "cross_validated": model.best_score_,
        "failed_configurations": int(numpy.isnan(model.cv_results_["mean_test_score"]).sum()),
    }


def measure(task):
    train, labels = read(task["train"])
    test, truth = read(task["test"])
    _, classes = numpy.unique(labels, return_inverse=True)
    start = time.perf_counter()
    model = build(task["learner"], task["seed"], classes)
    model.fit(train, labels)
    accuracy = float(numpy.mean(model.predict(test) == truth))
    seconds = time.perf_counter() - start
    return {"accuracy": accuracy, "seconds": seconds, "details": chosen(model)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    serve(
        {
            "python": platform.python_version(),
            "sklearn": sklearn.__version__,
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
        },
        measure,
    )
