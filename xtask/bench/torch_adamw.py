"""A two-layer ReLU network trained by AdamW in PyTorch, its learning rate by random search."""

import time

import numpy as np
import torch

TRIES = 5
EPOCHS = 20
PATIENCE = 5  # epochs without a better validation accuracy
BATCH = 256


def train(data: dict, units: int, rate: float, seed: int, epochs: int) -> dict:
    """One run; the epoch that is best on the validation rows counts."""
    torch.manual_seed(seed)
    x, y, inner = data["x"], data["y"], data["inner"]
    classes = int(y.max()) + 1
    model = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], units), torch.nn.ReLU(), torch.nn.Linear(units, classes)
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    best, since = {"validation": -1.0}, 0
    start = time.perf_counter()
    for epoch in range(1, epochs + 1):
        for rows in inner[torch.randperm(len(inner))].split(BATCH):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            optimiser.step()
        validation = accuracy(model, x[data["outer"]], y[data["outer"]])
        since += 1
        if validation > best["validation"]:
            best, since = {"validation": validation, "epoch": epoch}, 0
            best["test"] = accuracy(model, data["x_test"], data["y_test"])
        if since >= PATIENCE:
            break
    return best | {"rate": rate, "epochs": epoch, "seconds": time.perf_counter() - start}


def accuracy(model, x, y) -> float:
    with torch.no_grad():
        return float((model(x).argmax(dim=1) == y).double().mean())


def sweep(x, y, x_test, y_test, units: int, quick: bool) -> dict:
    """Rates log-uniform in [1e-5, 1e-1], the best by a tenth of the rows held out."""
    rng = np.random.default_rng(0)
    order = torch.from_numpy(rng.permutation(len(x)))
    outer, inner = order[: len(x) // 10], order[len(x) // 10 :]
    mean, scale = x.mean(), x.std()
    features = lambda a: torch.from_numpy(((a - mean) / scale).astype(np.float32))
    labels = lambda a: torch.from_numpy(a.astype(np.int64))
    data = {"x": features(x), "y": labels(y), "inner": inner, "outer": outer}
    data |= {"x_test": features(x_test), "y_test": labels(y_test)}
    rates = 10 ** rng.uniform(-5, -1, TRIES)
    epochs = 2 if quick else EPOCHS
    runs = [train(data, units, float(rate), seed, epochs) for seed, rate in enumerate(rates)]
    best = max(runs, key=lambda run: run["validation"])
    return {"test": best["test"], "seconds": sum(run["seconds"] for run in runs), "runs": runs}
