#!/usr/bin/env python3
"""Trains the networks of gpu_tables with torch, eager, compiled and by `repebble.torch`, and adds what was measured to
its JSON.

    torch_rows.py gpu_tables.json [--seconds N] [--dry]

`benchmark_gpu_tables --page gpu_tables.json` then has a table of them. The peak is torch's own, of what an iteration
allocates; the time that of forward and backward, the median. Its networks are those of torch_models.py, of the same
depth and width but not the same to the last layer: the U-Net is padded, with batch norm, and the LSTM is cuDNN's.

Plans of `repebble.torch` are for activations and gradients, with times that it measures on the device. Their rows have
what was planned, and their peaks count gradients, too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/python/checks"))

from torch_models import GPT, Loss, UNet, images, resnet, words  # noqa: E402


class Lstm(nn.Module):
    """Layers of an LSTM between an embedding and scores of words."""

    def __init__(self, layers: int, width: int, vocabulary: int) -> None:
        super().__init__()
        self.table, self.scores = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary)
        self.layers = nn.LSTM(width, width, layers, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.scores(self.layers(self.table(x))[0])


Made = tuple[nn.Module, tuple[Any, ...]]
NETWORKS: dict[str, tuple[int, Callable[[int], Made]]] = {
    "resnet50": (96, lambda n: (Loss(resnet([3, 4, 6, 3], 4)), images(n, 224, 1000))),
    "unet": (8, lambda n: (Loss(UNet(64, 4)), (torch.randn(n, 3, 576, 576), torch.randint(0, 2, (n, 576, 576))))),
    "gpt2": (8, lambda n: (Loss(GPT(12, 768, 12, 50257, 512)), words(n, 512, 50257))),
    "lstm": (128, lambda n: (Loss(Lstm(4, 1024, 10000)), words(n, 64, 10000))),
}
SMALL: dict[str, tuple[int, Callable[[int], Made]]] = {
    "gpt2": (2, lambda n: (Loss(GPT(2, 16, 2, 11, 64)), words(n, 64, 11))),
    "lstm": (2, lambda n: (Loss(Lstm(1, 8, 7)), words(n, 4, 7))),
}
PRECISIONS = ("fp32", "tf32", "bf16")


def on(device: str, precision: str) -> contextlib.AbstractContextManager[Any]:
    """Sets what products are made of."""
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    return torch.autocast(device, torch.bfloat16) if precision == "bf16" else contextlib.nullcontext()


def measure(name: str, batch: int, made: Made, precision: str, mode: str, device: str, dry: bool) -> dict[str, Any]:
    """A row: peak and time of an iteration."""
    torch._dynamo.reset()
    model, data = made[0].to(device), tuple(x.to(device) for x in made[1])
    run, by_plan = model, mode not in ("eager", "compiled")
    if mode == "compiled":
        run = torch.compile(model, backend="eager" if dry else "inductor")
    elif by_plan:
        import repebble.torch

        plan_for = repebble.torch.backend(mode, times="measure", include=("gradients",), seconds=5)
        run = torch.compile(model, backend=plan_for)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    times: list[float] = []

    def iteration() -> None:
        wait()
        begin = time.perf_counter()
        with on(device, precision):
            loss = run(*data)
        loss.backward()
        wait()
        times.append(time.perf_counter() - begin)

    for _ in range(3):
        iteration()
    times.clear()
    row = {"network": name, "batch": batch, "precision": precision, "plan": f"torch, {mode}"}
    if by_plan:
        (found,) = plan_for.reports
        row["plan"] = f"repebble.torch, {mode}"
        row["planned_peak"] = found.planned.measured.peak + found.fixed
        row["predicted_overhead"] = found.planned.overhead
    if device == "cuda":
        model.zero_grad(set_to_none=by_plan)  # without a plan, gradients lie beside the arena as in gpu_tables
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        iteration()
        row["peak"] = torch.cuda.max_memory_allocated() - before
        times.clear()
    while len(times) < (1 if dry else 10) and (len(times) < 3 or sum(times) < 0.5):
        iteration()
    return {**row, "measured": round(1e9 * statistics.median(times))}


def cause(error: BaseException) -> str:
    """The innermost exception: its class, and the first and last line of its text, without Dynamo's advice."""
    while inner := getattr(error, "inner_exception", None) or error.__cause__:  # the former is that of a backend
        error = inner
    text = str(error).partition("\nSet TORCHDYNAMO_VERBOSE")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"{type(error).__name__}: {' ... '.join(dict.fromkeys([*lines[:1], *lines[-1:]]))}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=pathlib.Path, help="what benchmark_gpu_tables wrote")
    parser.add_argument("--seconds", type=float, default=240, help="after which nothing more is begun (240)")
    parser.add_argument("--dry", action="store_true", help="small networks, on the processor")
    chosen = parser.parse_args()
    if not chosen.dry and not torch.cuda.is_available():
        print("torch_rows.py: torch sees no GPU", file=sys.stderr)
        return 77
    whole = json.loads(chosen.measured.read_text())
    rows, left_out = [], [text for text in whole["left_out"] if not text.startswith("torch, ")]
    begin = time.monotonic()
    for mode in ("eager", "100%", "60%", "compiled"):
        for precision in PRECISIONS:
            for name, (batch, make) in (SMALL if chosen.dry else NETWORKS).items():
                if "%" in mode and (precision != "tf32" or name == "lstm"):  # an LSTM is left to eager torch
                    continue
                if time.monotonic() - begin > chosen.seconds:
                    left_out.append(f"torch, {mode}: {name}, {precision}")
                else:
                    device = "cpu" if chosen.dry else "cuda"
                    try:
                        rows.append(measure(name, batch, make(batch), precision, mode, device, chosen.dry))
                    except Exception as error:  # no memory, no compiler, no repebble
                        left_out.append(f"torch, {mode}: {name}, {precision}: {cause(error)}")
                chosen.measured.write_text(json.dumps({**whole, "torch": rows, "left_out": left_out}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
