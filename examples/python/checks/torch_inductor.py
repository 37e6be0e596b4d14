"""Does inductor's code keep to the planned bytes by torch's own profiler, and compute what inductor computes without?

torch_inductor.py [NETWORK[@BUDGET] ...]: unet, gpt, swin, mobilenet and resnet18 where none is named. At 100% the code
must be that of inductor without a plan. Compiles C++: minutes. Exit status 77, which ctest takes for skipped, without torch.
"""

from __future__ import annotations

import copy
import gc
import sys
import time
from collections.abc import Callable
from typing import Any

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble.torch as budgeted
from torch._inductor.utils import run_and_get_code
from torch.profiler import ProfilerActivity, profile
from torch_models import GPT, Loss, Swin, UNet, images, mobilenet, resnet, run_checks, words

NETWORKS: dict[str, Callable[[], tuple[torch.nn.Module, tuple[Any, ...]]]] = {
    "unet": lambda: (Loss(UNet(8, 3)), (torch.randn(4, 3, 96, 96), torch.randint(0, 2, (4, 96, 96)))),
    "gpt": lambda: (Loss(GPT(4, 64, 4, 100, 128)), words(8, 128, 100)),
    "swin": lambda: (Loss(Swin()), images(8, 64, 10)),
    "mobilenet": lambda: (Loss(mobilenet()), images(8, 64, 10)),
    "resnet18": lambda: (Loss(resnet([2, 2, 2, 2], 1, 16, 10, pool=False)), images(16, 32, 10)),
}
DEFAULT = [f"{name}@60%" for name in NETWORKS] + ["gpt@45%", "gpt@100%", "resnet18@100%"]


def profiled_peak(step: Callable[[], None]) -> int:
    """The most bytes at once that torch's allocator hands out during a step."""
    step()  # what it brings once only
    gc.collect()  # nothing of before is freed meanwhile
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step()
    events = enumerate(profiler.profiler.kineto_results.events())
    live = best = 0
    for _, _, size in sorted((e.start_ns(), k, e.nbytes()) for k, e in events if e.name() == "[memory]"):
        live += size
        best = max(best, live)
    return best


def gradients(call: Any, model: torch.nn.Module, data: tuple[Any, ...]) -> list[torch.Tensor]:
    """Loss and gradients of a step."""
    torch.manual_seed(1)
    model.zero_grad(set_to_none=True)
    loss = call(*data)
    loss.backward()
    return [loss.detach(), *(p.grad.clone() for p in model.parameters())]


def written(name: str, within: Callable[[], Any]) -> set[str]:
    """The code that inductor writes for a network in a context, without the line that numbers it."""
    torch.manual_seed(0)
    model, data = NETWORKS[name]()

    def step() -> None:
        with within():
            torch.compile(model, fullgraph=True)(*data).backward()

    return {code.partition("\n")[2] for code in run_and_get_code(step)[1]}


def check_default(name: str) -> bool:
    """Tells whether a budget that inductor's default is within gives the code of inductor without a plan."""
    theirs = written(name, lambda: torch._inductor.config.patch(force_disable_caches=True))
    mine = written(name, lambda: budgeted.partitioner("100%"))
    print(f"{name:10}  100% {'the code of inductor' if mine == theirs else 'BROKEN: other code'}", flush=True)
    return len(theirs) == 2 and mine == theirs


def check(name: str, budget: str, **options: Any) -> bool:
    """Prints a row and tells whether all is as promised."""
    if budget == "100%":
        return check_default(name)
    torch.manual_seed(0)
    model, data = NETWORKS[name]()
    plain = copy.deepcopy(model)
    torch._dynamo.reset()
    theirs = gradients(torch.compile(plain, fullgraph=True), plain, data)
    torch._dynamo.reset()
    begin = time.perf_counter()
    with budgeted.partitioner(budget, include=("gradients",), **options) as planning:
        compiled = torch.compile(model, fullgraph=True)
        loss = compiled(*data)
    loss.backward()
    del loss
    seconds = time.perf_counter() - begin
    mine = gradients(compiled, model, data)
    error = max(float((a - b).norm() / (1e-3 + b.norm())) for a, b in zip(mine, theirs, strict=True))
    del mine, theirs

    def step() -> None:
        model.zero_grad(set_to_none=True)
        compiled(*data).backward()
        model.zero_grad(set_to_none=True)

    measured = profiled_peak(step)
    plan = planning.reports[0].planned
    off = measured / plan.measured.peak - 1
    good = plan.measured.peak <= plan.budget and -0.03 <= off <= 0.02 and error < 1e-4 and plan.measured.recomputed > 0
    print(
        f"{name:10} {budget:>5} {plan.keep_all.peak:12,} {plan.budget:12,} {plan.measured.peak:12,} {measured:12,} "
        f"{100 * off:6.2f} % {100 * plan.overhead:8.2f} % {plan.measured.recomputed:5} {error:8.1e} {seconds:6.0f} s"
        f"{'' if good else '  BROKEN'}",
        flush=True,
    )
    return good


def main(arguments: list[str], **options: Any) -> int:
    torch.set_num_threads(1)
    print(
        f"{'network':10} {'':>5} {'keep all':>12} {'budget':>12} {'planned':>12} {'profiler':>12} {'more':>8} "
        f"{'overhead':>10} {'again':>5} {'error':>8}"
    )
    return run_checks(check, DEFAULT, arguments, **options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
