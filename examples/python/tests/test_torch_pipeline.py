"""Pipelines on ranks of torch.distributed: here one process has all stages. `checks/torch_pipeline.py` has four."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: no pipeline can run")

import repebble  # noqa: E402
import repebble.torch as budgeted  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch import nn  # noqa: E402

MICROBATCHES, ROWS, WIDTH = 6, 128, 16


@pytest.fixture(autouse=True)
def group() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


class Squared(nn.Module):
    """A layer that keeps two values, the random numbers of `dropout` beside them."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.linear, self.drop = nn.Linear(WIDTH, WIDTH), nn.Dropout(dropout)

    def forward(self, x: Any) -> Any:
        return self.drop(self.linear(x).tanh()) + x


def make_stages(dropout: float = 0.0) -> dict[int, list[Any]]:
    torch.manual_seed(0)
    return {s: [Squared(dropout) for _ in range(3)] for s in range(2)}


def make_data() -> tuple[Any, Any]:
    torch.manual_seed(1)
    return tuple(list(torch.randn(MICROBATCHES, ROWS, WIDTH).unbind(0)) for _ in range(2))


def make_pipeline(stages: Any, budget: Any = "100%", **options: Any) -> Any:
    x, y = make_data()
    given = {"microbatches": MICROBATCHES, "example": x[0], "target": y[0], "loss": nn.functional.mse_loss, "work": 100}
    return budgeted.Pipeline(stages, budget, **{**given, "timeout": 5, **options})


def gradients(stages: Any) -> list[Any]:
    return [p.grad for blocks in stages.values() for block in blocks for p in block.parameters()]


@pytest.mark.parametrize("order", ["1F1B", "one_at_a_time"])
@pytest.mark.parametrize("budget", ["100%", "min"])
def test_a_step_has_the_gradients_of_one_model_in_the_planned_bytes(budget: str, order: str) -> None:
    stages, (x, y) = make_stages(), make_data()
    pipeline = make_pipeline(stages, budget, order=order)
    assert all(g is None for g in gradients(stages))
    losses = pipeline.step(x, y, measure=True)
    assert pipeline.measured_peak == pipeline.planned_peak <= pipeline.plan.budgets[0]
    assert any(map(any, pipeline.plan.choices)) == (budget == "min")
    again = make_stages()
    model = nn.Sequential(*again[0], *again[1])
    expected = [nn.functional.mse_loss(model(a), b) for a, b in zip(x, y)]
    for loss in expected:
        (loss / MICROBATCHES).backward()
    assert torch.equal(losses, torch.stack(expected))
    assert all(map(torch.equal, gradients(stages), gradients(again)))


def test_random_numbers_are_drawn_again() -> None:
    found = []
    for budget in ("100%", "min"):
        stages, data = make_stages(0.5), make_data()
        pipeline = make_pipeline(stages, budget, order="one_at_a_time")
        torch.manual_seed(2)
        pipeline.step(*data, measure=True)
        assert pipeline.measured_peak == pipeline.planned_peak
        found.append((gradients(stages), pipeline.plan.choices))
    assert found[0][1] != found[1][1] and all(map(torch.equal, found[0][0], found[1][0]))


def test_blocks_that_write_buffers_run_once() -> None:
    stages = make_stages()
    stages[0][1] = nn.BatchNorm1d(WIDTH)
    pipeline = make_pipeline(stages, "min")
    assert max(pipeline.reports[0]["numbers"]) == 1 and int(stages[0][1].num_batches_tracked) == 0
    pipeline.step(*make_data())
    assert int(stages[0][1].num_batches_tracked) == MICROBATCHES


def test_parameters_gradients_and_states_are_counted_where_asked() -> None:
    plain = make_pipeline(make_stages()).planned_peak
    both = make_pipeline(make_stages(), include=("parameters", "gradients", "optimizer"), optimizer_states=3)
    assert both.planned_peak - plain == 5 * 6 * 4 * (WIDTH * WIDTH + WIDTH)
    both.step(*make_data(), measure=True)
    assert both.measured_peak == both.planned_peak


class Wrong(nn.Module):
    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def forward(self, x: Any) -> Any:
        return {"in place": lambda: x.add_(1), "tuple": lambda: (x, x), "fails": lambda: x @ x}[self.what]()


@pytest.mark.parametrize(
    "change, options, error, message",
    [
        (Wrong("in place"), {}, repebble.BadGraph, "writes over what it reads"),
        (Wrong("tuple"), {}, repebble.BadGraph, "block 0 of stage 1 gives no tensor but tuple"),
        (Wrong("fails"), {}, RuntimeError, "shapes"),
        (None, {"budget": 100}, repebble.NoPlan, "rank 0 needs"),
        (None, {"order": "zero_bubble"}, repebble.BadOption, "splits gradients of weights off"),
        (None, {"loss": None}, repebble.BadOption, "needs loss and target"),
        (None, {"loss": lambda a, b: (a - b).abs()}, repebble.BadGraph, "the loss has dimensions"),
        (None, {"include": ["inputs"]}, repebble.BadOption, "'inputs'"),
        (None, {"times": "abacus"}, repebble.BadOption, "abacus"),
    ],
)
def test_what_cannot_be_is_refused(change: Any, options: Any, error: Any, message: str) -> None:
    stages = make_stages()
    if change:
        stages[1].insert(0, change)
    with pytest.raises(error, match=message):
        make_pipeline(stages, options.pop("budget", "100%"), **options)


def test_stages_that_nobody_has_and_inputs_of_another_size_are_refused() -> None:
    stages, (x, y) = make_stages(), make_data()
    with pytest.raises(repebble.BadGraph, match=r"not 0, 1, 2, ... each once: \[0, 2\]"):
        make_pipeline({0: stages[0], 2: stages[1]})
    pipeline = make_pipeline(stages)
    with pytest.raises(repebble.BadOption, match="5 inputs for 6 microbatches"):
        pipeline.step(x[1:], y)
    with pytest.raises(repebble.BadOption, match=r"targets\[5\] is \(4, 16\)"):
        pipeline.step(x, [*y[1:], y[0][:4]])


def test_a_rank_that_says_nothing_is_an_error_and_no_hang() -> None:
    from repebble.torch._ranks import Talk

    begin = datetime.datetime.now()
    with pytest.raises(repebble.Error, match="nothing was heard of stage 7"):
        Talk(dist.HashStore(), 0.2).hear("stage 7")
    assert datetime.datetime.now() - begin < datetime.timedelta(seconds=60)
