"""Epochs of the networks of the benchmark `deep` in PyTorch, on random images."""

import time

import torch

BATCH = 128
CHANNELS, SIDE = 3, 32
UNITS = 64  # of the layer before the last, as many as cronos has there


def network(architecture: str) -> torch.nn.Module:
    nn = torch.nn
    head = lambda features: [nn.Linear(features, UNITS), nn.ReLU(), nn.Linear(UNITS, 1)]
    linear = lambda inputs, outputs: [nn.Linear(inputs, outputs, bias=False), nn.ReLU()]
    block = lambda inputs, outputs: [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2)]
    if architecture == "mlp:256,256":
        layers = [nn.Flatten(), *linear(CHANNELS * SIDE**2, 256), *linear(256, 256), *head(256)]
    elif architecture == "cnn:32,32":
        layers = [*block(CHANNELS, 32), *block(32, 32), nn.Flatten(), *head(32 * (SIDE // 4) ** 2)]
    else:
        raise ValueError(f"{architecture} is not built here")
    return nn.Sequential(*layers)


def epochs(architecture: str, rule: str, rows: int, count: int) -> list[float]:
    """Seconds of each, after one that is not counted."""
    torch.manual_seed(0)
    x, y = torch.randn(rows, CHANNELS, SIDE, SIDE), (torch.rand(rows) < 0.5).float()
    model = network(architecture)
    optimiser = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[rule](model.parameters(), lr=1e-3)
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    seconds = []
    for _ in range(count + 1):
        start = time.perf_counter()
        for chosen in torch.randperm(rows).split(BATCH):
            optimiser.zero_grad()
            loss(model(x[chosen]).squeeze(1), y[chosen]).backward()
            optimiser.step()
        seconds.append(time.perf_counter() - start)
    return seconds[1:]
