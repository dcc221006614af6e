"""Trains the network of the experiment `gates` by PyTorch, and checks that of cronos.

The first line on standard output holds the versions. Then every line on standard
input is one JSON object, answered by one line, or with error:

- method lbfgs or adam, with data, positive, beta, neurons, seed and steps: one
  restart. Answers objective, seconds (of the training alone) and details.
- method check, with data, positive, beta and model: the objective of the network
  in a model file of cronos, from its saved weights and nothing else.

The objective, in float64 whatever the training used:
    1/2 sum (f(x_i) - y_i)^2 + beta sum_j |w_j| |a_j| ,  f(x) = sum_j a_j max(w_j x, 0)
Training minimises it with beta/2 (|w_j|^2 + a_j^2), which is never smaller and equal
once the factors are balanced.
"""

import json
import os
import platform
import time
from functools import cache

# one thread per process; must be set before numpy is imported
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy
import torch
from answers import serve

torch.set_num_threads(1)


@cache
def raw(path):
    table = numpy.loadtxt(path, delimiter=",")
    return table[:, :-1], table[:, -1]


def problem(task):
    """Standardised features with a column of ones, targets, means and scales."""
    features, classes = raw(task["data"])
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale <= 1e-12 * abs(mean)] = 1.0
    x = numpy.column_stack([(features - mean) / scale, numpy.ones(len(features))])
    y = numpy.where(numpy.isin(classes, task["positive"]), 1.0, -1.0)
    return x, y, mean, scale


def objective(x, y, beta, inner, outer):
    """inner: columns x units; outer: units"""
    residual = numpy.maximum(x @ inner, 0.0) @ outer - y
    penalty = numpy.linalg.norm(inner, axis=0) @ abs(outer)
    return float(0.5 * residual @ residual + beta * penalty)


def start(task, columns, generator, precision):
    """Gaussian weights of the usual variance 1/fan-in, times one of three factors."""
    factor = (0.3, 1.0, 0.1)[task["seed"] % 3]
    neurons = task["neurons"]
    inner = torch.randn(columns, neurons, generator=generator, dtype=torch.float64)
    outer = torch.randn(neurons, generator=generator, dtype=torch.float64)
    inner *= factor / columns**0.5
    outer *= factor / neurons**0.5
    weights = [part.to(precision).requires_grad_() for part in (inner, outer)]
    return *weights, factor


def lbfgs(loss, weights, steps):
    """Full-batch L-BFGS with strong Wolfe line searches; the limit of steps may end it first."""
    optimizer = torch.optim.LBFGS(
        weights,
        max_iter=steps,
        max_eval=2 * steps,
        history_size=20,
        tolerance_grad=1e-9,
        tolerance_change=1e-12,
        line_search_fn="strong_wolfe",
    )

    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    optimizer.step(closure)
    state = optimizer.state[weights[0]]
    return {"iterations": state["n_iter"], "evaluations": state["func_evals"]}


def adam(loss, weights, steps, rate):
    """Full-batch Adam with a cosine schedule; weight decay is part of the loss."""
    optimizer = torch.optim.Adam(weights, lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        schedule.step()
    return {"iterations": steps, "rate": rate}


def restart(task):
    x, y, _, _ = problem(task)
    beta, method = task["beta"], task["method"]
    # rounding ends L-BFGS early in float32, while Adam does not gain by float64
    precision = torch.float64 if method == "lbfgs" else torch.float32
    generator = torch.Generator().manual_seed(task["seed"])
    inner, outer, factor = start(task, x.shape[1], generator, precision)
    seen, target = torch.tensor(x, dtype=precision), torch.tensor(y, dtype=precision)

    def loss():
        residual = (seen @ inner).clamp(min=0) @ outer - target
        penalty = inner.square().sum() + outer.square().sum()
        return 0.5 * residual.square().sum() + 0.5 * beta * penalty

    begin = time.perf_counter()
    if method == "lbfgs":
        details = lbfgs(loss, [inner, outer], task["steps"])
    else:
        # log-uniform from 0.003 to 0.03
        rate = 0.003 * 10 ** float(torch.rand((), generator=generator))
        details = adam(loss, [inner, outer], task["steps"], rate)
    seconds = time.perf_counter() - begin
    weights = [part.detach().double().numpy() for part in (inner, outer)]
    size = numpy.linalg.norm(weights[0], axis=0) * abs(weights[1])
    details |= {
        "factor": factor,
        "precision": str(precision).removeprefix("torch."),
        "neurons": int((size > 1e-5 * size.sum()).sum()),
    }
    return {"objective": objective(x, y, beta, *weights), "seconds": seconds, "details": details}


def tensors(path):
    """The arrays of a safetensors file."""
    with open(path, "rb") as file:
        content = file.read()
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        if entry["dtype"] != "F64":
            continue
        begin, end = entry["data_offsets"]
        found[name] = numpy.frombuffer(data[begin:end], "<f8").reshape(entry["shape"])
    return found


def check(task):
    """Takes the scaling out of the weights on raw features again."""
    x, y, mean, scale = problem(task)
    saved = tensors(task["model"])
    weight, bias = saved["hidden.weight"], saved["hidden.bias"]
    inner = numpy.vstack([(weight * scale).T, bias + weight @ mean])
    outer = saved["output.weight"][0]
    if saved["output.bias"].any():
        raise ValueError("the network has an output bias, which the objective does not know")
    return {
        "objective": objective(x, y, task["beta"], inner, outer),
        "neurons": len(outer),
    }


if __name__ == "__main__":
    serve(
        {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": numpy.__version__,
        },
        lambda task: check(task) if task["method"] == "check" else restart(task),
    )
