"""Does a model in shards on 4 gloo processes train within a budget as whole weights do, and gather again alike on all?

torch_shards.py [--slow RUNS] [--only-apart]: a row for each case, then RUNS steps (100) in each of which another rank is
slow, then ranks that disagree, each of which is an error on all. Exit status 1 where something is not as promised, 77
without torch.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble
import repebble.torch as budgeted
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, init_device_mesh
from torch_models import words
from torch_ranks import run_ranks

RANKS, LAYERS, WIDTH, HEADS, HIDDEN, LENGTH, BATCH, VOCABULARY = 4, 4, 64, 4, 192, 32, 2, 128
SLOW_SECONDS, SILENCE, LETTING_GO = 0.02, 40.0, 0.005
GATHER = torch.ops._c10d_functional.all_gather_into_tensor.default
WAIT = torch.ops._c10d_functional.wait_tensor.default
INCLUDE = ("parameters", "gradients", "optimizer")
#: An interconnect that is fast for a model so small: a gather is about as long as a product of its weights.
OPTIONS: dict[str, Any] = {"interconnect": "300GB/s,10ns", "work": 20_000}


class Norm(nn.Module):
    """RMSNorm."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: Tensor, whole: Callable[[Tensor], Tensor]) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * whole(self.weight)


class Layer(nn.Module):
    """A layer of Llama: attention and SwiGLU, each behind RMSNorm."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Norm(), Norm()
        shapes = {"qkv": (3 * WIDTH, WIDTH), "out": (WIDTH, WIDTH), "gate": (HIDDEN, WIDTH), "up": (HIDDEN, WIDTH)}
        for name, shape in {**shapes, "down": (WIDTH, HIDDEN)}.items():
            self.register_parameter(name, nn.Parameter(torch.randn(shape) / shape[1] ** 0.5))

    def forward(self, x: Tensor, whole: Callable[[Tensor], Tensor]) -> Tensor:
        b, t, c = x.shape
        q, k, v = F.linear(self.first(x, whole), whole(self.qkv)).view(b, t, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c)
        x = x + F.linear(mixed, whole(self.out))
        h = self.second(x, whole)
        return x + F.linear(F.silu(F.linear(h, whole(self.gate))) * F.linear(h, whole(self.up)), whole(self.down))


class Llama(nn.Module):
    """A small Llama with its loss. `whole` makes a weight of a parameter, which may be a shard."""

    def __init__(self, whole: Callable[[Tensor], Tensor], layers: int = LAYERS) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.whole = whole
        self.token = nn.Parameter(torch.randn(VOCABULARY, WIDTH))
        self.layers, self.norm = nn.ModuleList(Layer() for _ in range(layers)), Norm()
        self.head = nn.Parameter(torch.randn(VOCABULARY, WIDTH) / WIDTH**0.5)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = F.embedding(x, self.whole(self.token))
        for layer in self.layers:
            h = layer(h, self.whole)
        return F.cross_entropy(F.linear(self.norm(h, self.whole), self.whole(self.head)).flatten(0, 1), y.flatten())


def in_shards(way: str, layers: int = LAYERS) -> Llama:
    """The model, each parameter of which is this rank's rows."""
    mesh = init_device_mesh("cpu", (RANKS,))

    def by_hand(shard: Tensor) -> Tensor:
        return collectives.all_gather_tensor_autograd(shard, 0, dist.group.WORLD)

    def by_redistribution(shard: Any) -> Tensor:
        return shard.redistribute(placements=[Replicate()]).to_local(grad_placements=[Partial()])

    model = Llama(by_hand if way == "by hand" else by_redistribution, layers)
    for module in model.modules():
        for name, p in list(module.named_parameters(recurse=False)):
            rows = p.detach().chunk(RANKS)[dist.get_rank()].clone()
            shard = rows if way == "by hand" else DTensor.from_local(rows, mesh, [Shard(0)])
            module.register_parameter(name, nn.Parameter(shard))
    return model


def make_data(rank: int) -> tuple[Tensor, ...]:
    torch.manual_seed(10 + rank)
    return words(BATCH, LENGTH, VOCABULARY)


def local(x: Any) -> Tensor:
    return x.to_local() if isinstance(x, DTensor) else x


def train_whole(data: tuple[Tensor, ...]) -> tuple[Tensor, list[Tensor]]:
    """With whole weights: the loss, and this rank's rows of the sum of all ranks' gradients, by the same reduction."""
    model = Llama(lambda weight: weight)
    torch._dynamo.reset()
    loss = torch.compile(model, backend="aot_eager")(*data)
    loss.backward()
    reduce = torch.ops._c10d_functional.reduce_scatter_tensor
    sums = [reduce(p.grad, "sum", RANKS, dist.group.WORLD.group_name) for p in model.parameters()]
    return loss.detach(), [collectives.wait_tensor(s) for s in sums]


class Gathers(budgeted.StorageCounter):
    """Counts bytes, and gathers that run. Gloo's thread lets go of what it has sent a moment after the wait for it."""

    gathers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.gathers += func is GATHER
        out = super().__torch_dispatch__(func, types, args, kwargs)
        if func is WAIT:
            time.sleep(LETTING_GO)
        return out


def step(model: nn.Module, call: Any, data: tuple[Tensor, ...]) -> tuple[Tensor, list[Tensor]]:
    model.zero_grad(set_to_none=True)
    loss = call(*data)
    loss.backward()
    return loss.detach(), [local(p.grad) for p in model.parameters()]


def run_case(rank: int, way: str, budget: str, include: tuple[str, ...]) -> bool:
    """Trains a step, prints a row on rank 0, and tells every rank whether all is as promised on all."""
    data = make_data(rank)
    whole = train_whole(data)
    model = in_shards(way)
    torch._dynamo.reset()
    backend = budgeted.backend(budget, include=include, timeout=120, **OPTIONS)
    call = torch.compile(model, backend=backend, fullgraph=True)
    loss, gradients = step(model, call, data)
    equal = torch.equal(loss, whole[0]) and all(map(torch.equal, gradients, whole[1]))
    model.zero_grad(set_to_none=True)
    shards = [local(p) for p in model.parameters()]
    del gradients
    with Gathers([data, shards]) as counter:
        call(*data).backward()
    report = backend.reports[0]
    plan, without = report.planned, [] if "gradients" in include else [local(p.grad) for p in model.parameters()]
    measured = counter.peak(without) + report.fixed
    held = sum(s.nbytes for s in shards)
    fixed = held * (("parameters" in include) + 2 * ("optimizer" in include))
    once = counter.gathers - plan.measured.gathered
    rows: list[Any] = [None] * RANKS
    row = equal, plan.measured.peak + report.fixed, measured, counter.gathers, report.fixed == fixed
    dist.all_gather_object(rows, row)
    limit = plan.budget + report.fixed
    good = all(e and planned == m <= limit and n == rows[0][3] and f for e, planned, m, n, f in rows)
    if budget != "100%":
        good = good and plan.measured.gathered > 0
    if rank == 0:
        everything, peaks = plan.keep_all.peak + report.fixed, ", ".join(f"{r[1]:,}/{r[2]:,}" for r in rows)
        print(
            f"{way:18} {budget:>5} of {everything:9,} {limit:9,} {peaks} {plan.measured.gathered:3} of {once} again, "
            f"{plan.measured.recomputed:3} in all, overhead {100 * plan.overhead:5.2f} %, "
            f"{'bitwise equal' if all(r[0] for r in rows) else 'DIFFERS'}{'' if good else '  BROKEN'}",
            flush=True,
        )
    return good


def run_slow(rank: int, runs: int) -> bool:
    """Steps in each of which one rank in turn sleeps before it begins, by a plan of times that were measured."""
    data, model = make_data(rank), in_shards("by hand")
    torch._dynamo.reset()
    call = torch.compile(model, backend=budgeted.backend("40%", times="measure", timeout=120, **OPTIONS))
    first, begin = step(model, call, data), time.perf_counter()
    for run in range(runs):
        if run % RANKS == rank:
            time.sleep(SLOW_SECONDS)
        last = step(model, call, data)
    good = torch.equal(first[0], last[0]) and all(map(torch.equal, first[1], last[1]))
    if rank == 0:
        print(f"{runs} steps with a slow rank: {time.perf_counter() - begin:.1f} s", flush=True)
    return good


def run_apart(rank: int, name: str) -> bool:
    """Ranks that disagree: an error on every one of them that compiles."""
    odd, compiled = rank == 1, name != "a silent rank"
    options = {**OPTIONS, "timeout": 300.0 if compiled else SILENCE}
    model = in_shards("by hand", LAYERS + 1 if odd and name == "another model" else LAYERS)
    data, budget = make_data(rank), "41%" if odd and name == "another budget" else "40%"
    if name == "seconds":
        options["seconds"] = 1.0
    torch._dynamo.reset()
    dist.barrier()
    begin, said = time.perf_counter(), ""
    if compiled or not odd:
        try:
            torch.compile(model, backend=budgeted.backend(budget, **options))(*data)
        except repebble.Error as error:
            said = str(error).splitlines()[0]  # Dynamo adds some
    spent = time.perf_counter() - begin
    dist.barrier()
    rows: list[Any] = [None] * RANKS
    dist.all_gather_object(rows, (said, spent))
    words_of = {"seconds": "work limits", "a silent rank": "nothing was heard of rank"}.get(name, "rank 1")
    good = all(words_of in s for s, _ in (rows if compiled else rows[:1] + rows[2:]))
    if rank == 0:
        print(
            f"{name}: {max(t for _, t in rows):.1f} s: {said[:200]}{'' if good else '  BROKEN: ' + str(rows)}",
            flush=True,
        )
    return good


def work(rank: int, apart: bool, runs: int) -> bool:
    good = []
    if not apart:
        cases = [(way, f"{share}%", ()) for way in ("by hand", "redistribution") for share in (100, 40, 30, 25)]
        cases += [(way, "50%", INCLUDE) for way in ("by hand", "redistribution")]
        good += [run_case(rank, *case) for case in cases]
        good.append(run_slow(rank, runs))
    good += [run_apart(rank, name) for name in ("another budget", "another model", "seconds", "a silent rank")]
    return all(good)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only-apart", action="store_true")
    parser.add_argument("--slow", type=int, default=100, metavar="RUNS")
    given = parser.parse_args()
    return run_ranks(RANKS, work, given.only_apart, given.slow)


if __name__ == "__main__":
    sys.exit(main())
