"""Records the joint graphs, with plans, that tests/test_torch_split.py runs without torch.

record_joint_graphs.py FOLDER
"""

from __future__ import annotations

import gzip
import json
import pathlib
import sys
from typing import Any

import repebble.torch as budgeted
import torch
import torch.distributed as dist
import torch_shards
from torch import nn
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch_models import GPT, SMALL, Loss, Mixture, words


class Mutated(nn.Module):
    """Layers that read a buffer, which then changes: what runs again reads its clone."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.ModuleList(nn.Linear(32, 32) for _ in range(6))
        self.register_buffer("shift", torch.ones(32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for linear in self.linear:
            x = (linear(x) + self.shift).sin().tanh()
        self.shift.mul_(0.5)
        return x.mean()


def make_shards() -> Any:
    """Two layers of Llama in shards of ranks that are not there, each cast before it is gathered."""
    if not dist.is_initialized():
        dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=torch_shards.RANKS)
    model = torch_shards.in_shards("by hand", 2)
    gathered = model.whole
    model.whole = lambda shard: gathered(shard.bfloat16()).float()
    return model, torch_shards.make_data(0)


GRAPHS: dict[str, tuple[Any, tuple[str, ...]]] = {
    **{name: (SMALL[name], ("60%", "40%")) for name in ("resnet18", "unet")},
    "gpt": (SMALL["gpt"], ("60%", "36%")),
    "swin": (SMALL["swin"], ("50%",)),
    "mixture": (lambda: (Loss(GPT(2, 64, 4, 100, 64, mixture=Mixture)), words(8, 64, 100)), ("60%",)),
    "sharded": (make_shards, ("40%", "25%")),
    "mutated": (lambda: (Mutated(), (torch.randn(64, 32),)), ("45%",)),
}


def main(folder: str) -> None:
    torch.set_num_threads(1)
    for name, (make, budgets) in GRAPHS.items():
        plans = {}
        for budget in budgets:
            torch.manual_seed(0)
            torch._dynamo.reset()
            model, data = make()
            backend = budgeted.backend(budget)
            torch.compile(model, backend=backend, fullgraph=True)(*data)
            plans[budget] = [n if a == "compute" else -1 - n for a, n in backend.reports[0].planned.steps]
        joint = backend.reports[0].captured.joint
        joint.name = name
        text = json.dumps({"joint": json.loads(joint.to_json()), "plans": plans}, separators=(",", ":"))
        packed = gzip.compress(text.encode(), 9, mtime=0)
        (pathlib.Path(folder) / f"{name}.json.gz").write_bytes(packed)
        print(name, len(joint.nodes), "nodes", len(packed), "bytes", backend.reports[0].planned.measured)


if __name__ == "__main__":
    main(sys.argv[1])
