"""Does repebble.torch train as eager torch does, bit for bit, in the bytes that it planned?

torch_networks.py [NETWORK[@BUDGET] ...]: networks of torch_models.py; resnet18, resnet50, unet and gpt where none is
named. Exit status 77, which ctest takes for skipped, without torch.
"""

from __future__ import annotations

import copy
import sys
import time
from typing import Any

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble.torch as budgeted
from torch_models import SMALL, run_checks

DEFAULT = [f"{n}@{b}%" for n in ("resnet18", "resnet50", "unet", "gpt") for b in (60, 40)] + ["gpt@28%"]


def train(call: Any, model: torch.nn.Module, data: tuple[Any, ...]) -> list[torch.Tensor]:
    """Loss, gradients and buffers of a step."""
    torch.manual_seed(1)
    model.zero_grad(set_to_none=True)
    loss = call(*data)
    loss.backward()
    return [loss.detach(), *(p.grad for p in model.parameters()), *model.buffers()]


def check(name: str, budget: str, **options: Any) -> bool:
    """Prints a row and tells whether all is as promised."""
    torch.manual_seed(0)
    model, data = SMALL[name]()
    eager = copy.deepcopy(model)
    backend = budgeted.backend(budget, **options)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    begin = time.perf_counter()
    equal = True
    for _ in range(2):  # the second step starts with running statistics of the first
        mine, theirs = train(compiled, model, data), train(eager, eager, data)
        equal = equal and all(torch.equal(a, b) for a, b in zip(mine, theirs, strict=True))
        del mine
    seconds = time.perf_counter() - begin
    model.zero_grad(set_to_none=True)
    with budgeted.StorageCounter([data, list(model.parameters()), list(model.buffers())]) as counter:
        loss = compiled(*data)
        loss.backward()
    measured = counter.peak([p.grad for p in model.parameters()])
    plan = backend.reports[0].planned
    random = sum(
        c.run > 0 and backend.reports[0].captured.joint.nodes[c.node].kind == "random"
        for c in plan.program.calls
        if c.node >= 0
    )
    difference = measured - plan.measured.peak
    good = equal and len(backend.reports) == 1 and 0 <= difference <= 4 and plan.measured.peak <= plan.budget
    good = good and (budget != "28%" or random > 0)
    print(
        f"{name:10} {budget:>5} {plan.keep_all.peak:12,} {plan.budget:12,} {plan.measured.peak:12,} {measured:12,} "
        f"{difference:6} {100 * plan.overhead:8.2f} % {plan.measured.recomputed:5} {random:4} {seconds:6.1f} s "
        f"{'bitwise equal' if equal else 'DIFFERS'}{'' if good else '  BROKEN'}",
        flush=True,
    )
    return good


def main(arguments: list[str], **options: Any) -> int:
    torch.set_num_threads(1)
    print(
        f"{'network':10} {'':>5} {'keep all':>12} {'budget':>12} {'planned':>12} {'measured':>12} {'more':>6} "
        f"{'overhead':>10} {'again':>5} {'rng':>4}"
    )
    return run_checks(check, DEFAULT, arguments, **options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
