"""Compares the paths of our optimizers with those of PyTorch, pytorch_optimizer and
dadaptation on the same problem: check_optimizers.py PROGRAM, which prints ours."""

import subprocess
import sys
import types

import numpy as np
import torch
from dadaptation import DAdaptAdam
from torch.optim import lr_scheduler

# pytorch_optimizer imports two names that PyTorch 1.13, Debian 12's, has not; nothing here
# uses them
if not hasattr(lr_scheduler, "LRScheduler"):
    lr_scheduler.LRScheduler = lr_scheduler._LRScheduler
    unused = types.ModuleType("torch.utils._foreach_utils")
    unused._group_tensors_by_device_and_dtype = None
    sys.modules[unused.__name__] = unused
import pytorch_optimizer  # noqa: E402

SHAPES = [(12, 7), (7,), (5, 3, 3, 3), (40, 9)]
STEPS = 50
RATE, DECAY = 0.01, 0.02
TOLERANCE = 1e-4

REFERENCES = {
    "sgd": lambda p: torch.optim.SGD(p, RATE, momentum=0.9, weight_decay=DECAY),
    "adam": lambda p: torch.optim.Adam(p, RATE, weight_decay=DECAY),
    "adamw": lambda p: torch.optim.AdamW(p, RATE, weight_decay=DECAY),
    "yogi": lambda p: pytorch_optimizer.Yogi(p, RATE, weight_decay=DECAY, foreach=False),
    "shampoo": lambda p: pytorch_optimizer.Shampoo(p, RATE, weight_decay=DECAY, matrix_eps=1e-3),
    "dadam": lambda p: DAdaptAdam(p, weight_decay=DECAY),
    "dadamw": lambda p: DAdaptAdam(p, weight_decay=DECAY, decouple=True),
}


def path(build) -> np.ndarray:
    """Parameters after each step, steps x parameters."""
    size = sum(int(np.prod(shape)) for shape in SHAPES)
    index = np.arange(size, dtype=np.float64)
    tensors = cut(torch.tensor(np.sin(index), dtype=torch.float32))
    tensors = [torch.nn.Parameter(tensor) for tensor in tensors]
    optimizer = build(tensors)
    steps = []
    for step in range(STEPS):
        values = np.concatenate([t.detach().numpy().ravel() for t in tensors]).astype(np.float64)
        pull = (1 + index % 5) / 5 * (values - np.cos(0.3 * index))
        gradient = pull + 0.05 * np.sin(0.9 * step + index)
        for tensor, slope in zip(tensors, cut(torch.tensor(gradient, dtype=torch.float32))):
            tensor.grad = slope
        optimizer.step()
        steps.append(np.concatenate([t.detach().numpy().ravel() for t in tensors]))
    return np.array(steps, dtype=np.float64)


def cut(flat: torch.Tensor) -> list[torch.Tensor]:
    parts = torch.split(flat, [int(np.prod(shape)) for shape in SHAPES])
    return [part.reshape(shape).clone() for part, shape in zip(parts, SHAPES)]


def main() -> None:
    printed = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE, text=True).stdout
    ours: dict[str, list] = {}
    for line in printed.splitlines():
        name, *numbers = line.split()
        ours.setdefault(name, []).append([float(number) for number in numbers])
    assert ours.keys() == REFERENCES.keys(), ours.keys() ^ REFERENCES.keys()
    for name, build in REFERENCES.items():
        expected, found = path(build), np.array(ours[name])
        assert found.shape == expected.shape, (name, found.shape)
        error = np.linalg.norm(found - expected, axis=1) / np.linalg.norm(expected, axis=1)
        moved = np.linalg.norm(expected[-1] - expected[0])
        print(f"{name}: relative error {error.max():.1e} over {STEPS} steps")
        assert moved > 1e-3, f"{name} does not move"
        assert error.max() <= TOLERANCE, f"{name} leaves its reference: {error}"


if __name__ == "__main__":
    main()
