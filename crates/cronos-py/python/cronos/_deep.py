"""Deep networks: the knobs of `cronos deep` as keywords."""

from . import _core
from ._classifier import Classes
from ._estimator import Estimator
from ._regressor import Numbers


class DeepCronos(Estimator):
    """A deep network whose last two layers are solved as a convex program.

    Rows may have any shape. Arrays of rows x height x width, or rows x height x width x channels, are images.
    """

    def __init__(
        self,
        *,
        arch="mlp:256,256",
        epochs=None,
        batch=128,
        loss=None,
        alpha=0.0,
        beta=None,
        gates=32,
        head_gates="learned",
        head_iterations=5,
        augment=None,
        device=None,
        time_limit=None,
        seed=0,
        threads=None,
        verbose=False,
    ):
        self.arch = arch
        self.epochs = epochs
        self.batch = batch
        self.loss = loss
        self.alpha = alpha
        self.beta = beta
        self.gates = gates
        self.head_gates = head_gates
        self.head_iterations = head_iterations
        self.augment = augment
        self.device = device
        self.time_limit = time_limit
        self.seed = seed
        self.threads = threads
        self.verbose = verbose

    def _train(self, X, y, sample_weight):
        X, targets, weights, classes = self._prepare(X, y, sample_weight)
        image = _image(self._shape)
        return self._work(_core.fit_deep, X, targets, image, weights=weights, classes=classes)

    @property
    def history_(self):
        """What every epoch came to: objective, scores, seconds."""
        return self._fitted("history")

    @property
    def best_epoch_(self):
        """The epoch that the network is from, chosen on held-out rows."""
        return self._fitted("best_epoch")

    def _keywords(self):
        return {name: getattr(self, name) for name in DeepCronos._get_param_names()}

    def _read(self, X, y, **options):
        X, y = super()._read(X, y, allow_nd=True, **options)
        self._shape = X.shape[1:]
        if 0 in self._shape:
            raise ValueError(f"a row of X has the shape {self._shape}, which holds no number")
        return X.reshape(len(X), -1), y

    def _rows(self, X):
        X = super()._rows(X, allow_nd=True)
        if _alike(X.shape[1:]) != _alike(self._shape):
            raise ValueError(
                f"a row of X has the shape {X.shape[1:]}, but {type(self).__name__} was fitted "
                f"to rows of {self._shape}"
            )
        return X.reshape(len(X), -1)


def _alike(shape):
    """Images of one channel are the same with that dimension and without it."""
    return _image(shape) or list(shape)


def _image(shape):
    """Height, width and channels, if rows of a shape are images."""
    match shape:
        case (height, width):
            return [height, width, 1]
        case (height, width, channels):
            return [height, width, channels]
    return None


class DeepCronosClassifier(Classes, DeepCronos):
    """A deep network that tells classes apart."""

    def __init__(
        self,
        *,
        arch="mlp:256,256",
        epochs=None,
        batch=128,
        loss=None,
        alpha=0.0,
        beta=None,
        gates=32,
        head_gates="learned",
        head_iterations=5,
        augment=None,
        device=None,
        time_limit=None,
        seed=0,
        threads=None,
        class_weight=None,
        verbose=False,
    ):
        super().__init__(
            arch=arch,
            epochs=epochs,
            batch=batch,
            loss=loss,
            alpha=alpha,
            beta=beta,
            gates=gates,
            head_gates=head_gates,
            head_iterations=head_iterations,
            augment=augment,
            device=device,
            time_limit=time_limit,
            seed=seed,
            threads=threads,
            verbose=verbose,
        )
        self.class_weight = class_weight


class DeepCronosRegressor(Numbers, DeepCronos):
    """A deep network that predicts one number or several."""
