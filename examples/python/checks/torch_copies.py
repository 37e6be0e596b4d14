"""Does repebble.torch train as eager torch does, bit for bit, where values are copied to the host and back?

torch_copies.py [NETWORK[@BUDGET] ...]: networks of torch_models.py over a fast link, and gpt2-medium, of 24 layers 1024
wide, over PCIe 4 with the times of an A100; gpt2-medium where none is named. Exit status 77, which ctest takes for
skipped, without torch.
"""

from __future__ import annotations

import copy
import sys
import time

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble.torch as budgeted
from torch_models import GPT, SMALL, Loss, run_checks, words
from torch_networks import train

MEDIUM = "gpt2-medium"
WORDS = 50257


def check(name: str, budget: str) -> bool:
    """Prints a row and tells whether all is as promised."""
    torch.manual_seed(0)
    medium = name == MEDIUM
    options = {"link": "pcie4"} if medium else {"link": "1TB/s"}
    model, data = (Loss(GPT(24, 1024, 16, WORDS, 512)), words(2, 512, WORDS)) if medium else SMALL[name]()
    alone = budgeted.backend(budget, **{**options, "link": None})
    torch._dynamo.reset()
    torch.compile(model, backend=alone, fullgraph=True)(*data)
    eager = copy.deepcopy(model)  # with running statistics of one pass, as the model
    backend = budgeted.backend(budget, **options)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    begin = time.perf_counter()
    mine = train(compiled, model, data)
    seconds = time.perf_counter() - begin
    equal = all(torch.equal(a, b) for a, b in zip(mine, train(eager, eager, data), strict=True))
    del mine, eager
    model.zero_grad(set_to_none=True)
    with budgeted.StorageCounter([data, list(model.parameters()), list(model.buffers())]) as counter:
        compiled(*data).backward()
    device, host = counter.peak([p.grad for p in model.parameters()]), counter.host_peak()
    plan, other = backend.reports[0].planned, alone.reports[0].planned
    good = equal and plan.fits and plan.measured.copied > 0 and host == plan.measured.host
    good = good and 0 <= device - plan.measured.peak <= 4
    print(
        f"{name:12} {budget:>5} {plan.keep_all.peak:14,} {plan.budget:14,} {plan.measured.peak:14,} {device:14,} "
        f"{plan.measured.host:14,} {host:14,} {plan.measured.copied:14,} {plan.measured.recomputed:5} "
        f"{100 * plan.overhead:8.2f} % {100 * other.overhead:8.2f} % {seconds:6.1f} s "
        f"{'bitwise equal' if equal else 'DIFFERS'}{'' if good else '  BROKEN'}",
        flush=True,
    )
    return good


def main(arguments: list[str]) -> int:
    print(
        f"{'network':12} {'':>5} {'keep all':>14} {'budget':>14} {'planned':>14} {'measured':>14} {'planned, host':>14} "
        f"{'measured, host':>14} {'copied there':>14} {'again':>5} {'overhead':>10} {'no copies':>10}"
    )
    return run_checks(check, [f"{MEDIUM}@50%"], arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
