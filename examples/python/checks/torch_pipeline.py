"""Does a pipeline of 4 gloo processes train as one process does, bit for bit, in the bytes that were planned?

torch_pipeline.py [--slow RUNS]: a row for each case, then RUNS steps (20) in each of which another rank is slow. Exit
status 1 where something is not as promised, 77 without torch.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble.torch as budgeted
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch_models import Attention, words
from torch_ranks import run_ranks

RANKS, WIDTH, HEADS, LENGTH, BATCH, VOCABULARY = 4, 64, 4, 32, 2, 100
SLOW_SECONDS = 0.02
#: Blocks, microbatches, stages, order, budget as a share of 1F1B's.
CASES = [
    (blocks, m, RANKS, order, share)
    for blocks, m in ((8, 8), (16, 16))
    for order in ("1F1B", "found")
    for share in (100, 50, 33)
] + [(16, 8, 2 * RANKS, None, share) for share in (100, 50, 33)]


class Embedding(nn.Module):
    """Tokens and places."""

    def __init__(self) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.token(x) + self.place(torch.arange(x.shape[1]))


class Block(nn.Module):
    """A layer of GPT."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.attention, self.second = nn.LayerNorm(WIDTH), Attention(WIDTH, HEADS, 0.0), nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


def make_stages(blocks: int, stages: int) -> list[list[nn.Module]]:
    """A GPT in stages; the same whenever it is called."""
    torch.manual_seed(0)
    each = blocks // stages
    made: list[list[nn.Module]] = [[Block() for _ in range(each)] for _ in range(stages)]
    made[0].insert(0, Embedding())
    made[-1].append(nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)))
    return made


def make_data(m: int) -> tuple[list[Tensor], list[Tensor]]:
    torch.manual_seed(1)
    x, y = words(m * BATCH, LENGTH, VOCABULARY)
    return list(x.chunk(m)), list(y.chunk(m))


def loss_of(output: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(output.flatten(0, 1), target.flatten())


def train_whole(stages: list[list[nn.Module]], data: tuple[list[Tensor], list[Tensor]]) -> Any:
    """In one process: the loss of each microbatch, and its gradients by stage; and those of the batch as one."""
    model = nn.Sequential(*(block for blocks in stages for block in blocks))

    def gradients(x: Tensor, y: Tensor, parts: int) -> Any:
        model.zero_grad(set_to_none=True)
        loss = loss_of(model(x), y)
        (loss / parts).backward()
        return loss.detach(), [[p.grad for b in blocks for p in b.parameters()] for blocks in stages]

    return [gradients(x, y, len(data[0])) for x, y in zip(*data)], gradients(torch.cat(data[0]), torch.cat(data[1]), 1)


def equals_whole(pipeline: Any, stages: list[list[nn.Module]], losses: Any, whole: Any) -> tuple[bool, float]:
    """Whether losses and gradients are those of one process, bit for bit, summed in the order of the passes; and the
    greatest difference from those of the batch as one, as a share of the greatest gradient of a parameter."""
    parts, (_, together) = whole
    equal = losses is None or torch.equal(losses, torch.stack([loss for loss, _ in parts]))
    furthest = 0.0
    for s in pipeline.stages:
        order = [k for kind, stage, k in pipeline.order if stage == s and kind != "forward"]
        for i, p in enumerate(q for block in stages[s] for q in block.parameters()):
            expected = torch.zeros_like(p)
            for k in order:
                expected += parts[k][1][s][i]
            equal = equal and torch.equal(expected, p.grad)
            furthest = max(furthest, float((p.grad - together[s][i]).abs().max() / together[s][i].abs().max()))
    return equal, furthest


def rank_of(stage: int) -> int:
    """There and back."""
    return stage if stage < RANKS else 2 * RANKS - 1 - stage


def make_pipeline(rank: int, case: Any) -> Any:
    """The pipeline of a case, its stages and its data."""
    blocks, m, count, order, share = case
    stages, data = make_stages(blocks, count), make_data(m)
    mine = {s: stages[s] for s in range(count) if rank_of(s) == rank}
    pipeline = budgeted.Pipeline(
        mine, f"{share}%", microbatches=m, example=data[0][0], target=data[1][0], loss=loss_of, order=order,
        timeout=120, work=100_000,
    )  # fmt: skip
    return pipeline, stages, data


def run_case(rank: int, case: Any) -> bool:
    """Trains a step, prints a row on rank 0, and tells every rank whether all is as promised on all."""
    pipeline, stages, data = make_pipeline(rank, case)
    whole = train_whole(make_stages(case[0], case[2]), data)
    losses = pipeline.step(*data, measure=True)
    equal, furthest = equals_whole(pipeline, stages, losses, whole)
    rows: list[Any] = [None] * RANKS
    dist.all_gather_object(rows, (equal, furthest, pipeline.planned_peak, pipeline.measured_peak))
    budgets = pipeline.plan.budgets
    good = all(row[0] and row[2] == row[3] <= most and row[1] < 1e-4 for row, most in zip(rows, budgets))
    if rank == 0:
        plan = pipeline.plan
        again = sum(c > 0 for of in plan.choices for c in of) / sum(map(len, plan.choices))
        peaks = " ".join(f"{row[2]:,}/{row[3]:,}" for row in rows)
        print(
            f"{case[0]:3} {case[1]:3} {case[2]:2} {plan.made_by:15} {case[4]:4} % {plan.budgets[0]:10,} {peaks} "
            f"{pipeline.slots} {100 * again:5.1f} % {plan.makespan / 1e3:9,.1f} us {100 * plan.gap:5.1f} % "
            f"{'bitwise equal' if all(row[0] for row in rows) else 'DIFFERS'} {max(row[1] for row in rows):.1e}"
            f"{'' if good else '  BROKEN'}",
            flush=True,
        )
    return good


def run_slow(rank: int, runs: int) -> bool:
    """Steps in each of which one rank sleeps before every pass of its first block."""
    good = True
    for order, share in (("1F1B", 50), ("found", 50)):
        pipeline, stages, data = make_pipeline(rank, (8, 8, RANKS, order, share))
        begin = time.perf_counter()
        for run in range(runs // 2):
            hook = None
            if run % RANKS == rank:
                hook = stages[rank][0].register_forward_pre_hook(lambda *_: time.sleep(SLOW_SECONDS))
            for p in (p for block in stages[rank] for p in block.parameters()):
                p.grad = None
            pipeline.step(*data)
            if hook:
                hook.remove()
        whole = train_whole(make_stages(8, RANKS), data)
        good = equals_whole(pipeline, stages, None, whole)[0] and good
        if rank == 0:
            print(f"{runs // 2} steps with a slow rank, {order}: {time.perf_counter() - begin:.1f} s", flush=True)
    return good


def work(rank: int, runs: int) -> bool:
    good = [run_case(rank, case) for case in CASES]
    good.append(run_slow(rank, runs))
    return all(good)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", type=int, default=20, metavar="RUNS")
    return run_ranks(RANKS, work, parser.parse_args().slow)


if __name__ == "__main__":
    sys.exit(main())
