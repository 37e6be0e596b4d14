"""Pipelines on ranks of torch.distributed: each runs its list of passes of one plan, and keeps what the plan says.

A stage is a row of blocks. Its choices: the first r blocks run again, all of them right before the gradients, so that
this may lie where the rank would wait. The bytes of each choice are counted on a microbatch of example values before
anything is planned. Rank 0 plans; measures and plan go through the store, with a timeout. Invariant: what a rank holds
is in its buffers (`fixed`), or of a microbatch between its forward pass and its backward pass.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.autograd.graph import get_gradient_edge
from torch.distributed.distributed_c10d import _get_default_store
from torch.utils._python_dispatch import TorchDispatchMode

from .._budget import Budget
from .._errors import BadGraph, BadOption, Error
from .._pipeline import PipelinePlan, plan_pipeline
from ._measure import StorageCounter
from ._ranks import Talk
from ._times import DEVICES, roofline, tensor_bytes
from ._wires import Edge, edges_of, find_slots, is_run, keep_steps, reading_order, wire_bytes

_INCLUDE = ("parameters", "gradients", "optimizer")
_made: collections.Counter[str] = collections.Counter()  # pipelines of each group, the same on all its ranks


class _RooflineTime(TorchDispatchMode):
    """Adds up nanoseconds of what runs, by the roofline of a device."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device, self.total = device, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if not func.is_view:
            self.total += int(roofline(func, args, kwargs or {}, out, self.device))
        return out


class _Kept:
    """What a stage has of a microbatch between its passes."""

    def __init__(self, x: Tensor, again: int, target: Tensor | None) -> None:
        self.x, self.again, self.target = x, again, target
        self.states: dict[int, Tensor] = {}  # of the random numbers, before blocks that run again
        self.leaf: Tensor | None = None  # what the first block reads that does not run again
        self.edge: Any = None  # of the output


class Stage:
    """Blocks in a row, run forward and backward microbatch by microbatch. With `loss`, that is its last block."""

    def __init__(
        self, blocks: Sequence[nn.Module], number: int, loss: Callable[[Tensor, Tensor], Tensor] | None
    ) -> None:
        self.blocks, self.number, self.loss = list(blocks), number, loss
        self.length = len(self.blocks) + (loss is not None)
        self.draws: set[int] = set()  # blocks that draw random numbers
        self.kept: dict[int, _Kept] = {}
        self.parameters = list({id(p): p for b in self.blocks for p in b.parameters()}.values())
        self.buffers = list({id(p): p for b in self.blocks for p in b.buffers()}.values())

    def run_block(self, i: int, x: Tensor, target: Tensor | None) -> Tensor:
        if i == len(self.blocks):
            return self.loss(x, target)  # type: ignore[misc, arg-type]
        return self.blocks[i](x)

    def forward(self, microbatch: int, x: Tensor, again: int, target: Tensor | None = None) -> Tensor:
        """The output, of which nothing is kept that the backward pass does not read."""
        item = self.kept[microbatch] = _Kept(x, again, target)
        h = x.detach()
        with torch.no_grad():
            for i in range(again):
                if i in self.draws:
                    item.states[i] = torch.get_rng_state().clone()
                h = self.run_block(i, h, target)
        if again == self.length:
            return h
        item.leaf = h = h.detach().requires_grad_(h.is_floating_point() and (again > 0 or self.number > 0))
        with torch.enable_grad():
            for i in range(again, self.length):
                h = self.run_block(i, h, target)
        item.edge = get_gradient_edge(h) if h.requires_grad else None
        return h.detach()

    def run_again(self, item: _Kept) -> tuple[Tensor, Any]:
        """What reads the input of the stage, and the edge of what the first block reads that was kept."""
        h = source = item.x.detach().requires_grad_(item.x.is_floating_point() and self.number > 0)
        with torch.enable_grad(), torch.random.fork_rng(devices=[], enabled=bool(item.states)):
            for i in range(item.again):
                if i in item.states:
                    torch.set_rng_state(item.states.pop(i))
                h = self.run_block(i, h, item.target)
        return source, get_gradient_edge(h) if h.requires_grad else None

    def backward(self, microbatch: int, gradient: Callable[[], Tensor]) -> Tensor | None:
        """The gradient of the input; adds to those of parameters. `gradient` waits for that of the output."""
        item = self.kept.pop(microbatch)
        source, edge = self.run_again(item) if item.again else (item.leaf, None)
        flowing: Tensor | None = gradient()
        if item.edge is not None:
            torch.autograd.backward([item.edge], [flowing])
            item.edge = None
        if item.again:
            if item.leaf is not None:
                flowing, item.leaf = item.leaf.grad, None
            if edge is not None and flowing is not None:
                torch.autograd.backward([edge], [flowing])
        return source.grad  # type: ignore[union-attr]


class _Outbox:
    """Messages to another rank that were not yet read: as many as there are slots."""

    def __init__(self, like: Tensor, slots: int, peer: Callable[[Tensor, int], Any], places: list[int]) -> None:
        self.free = [torch.empty_like(like) for _ in range(slots)]
        self.buffers, self.send = list(self.free), peer
        self.place = {microbatch: i for i, microbatch in enumerate(places)}
        self.sent: dict[int, tuple[Tensor, Any]] = {}

    def put(self, microbatch: int, value: Tensor) -> None:
        if not self.free:
            self.wait_for(min(self.sent))
        buffer = self.free.pop()
        buffer.copy_(value)
        self.sent[self.place[microbatch]] = buffer, self.send(buffer, microbatch)

    def wait_for(self, place: int) -> None:
        buffer, work = self.sent.pop(place)
        work()
        self.free.append(buffer)

    def flush(self) -> None:
        for place in sorted(self.sent):
            self.wait_for(place)


class _Inbox:
    """The next message from another rank, for which a buffer waits ahead."""

    def __init__(self, like: Tensor, peer: Callable[[Tensor, int], Any], order: list[int]) -> None:
        self.buffer, self.receive, self.order = torch.empty_like(like), peer, order
        self.buffers = [self.buffer]
        self.work: Any = None

    def begin(self) -> None:
        self.left = iter(self.order)
        self.post()

    def post(self) -> None:
        following = next(self.left, None)
        self.work = None if following is None else self.receive(self.buffer, following)

    def take(self, microbatch: int) -> Tensor:
        self.work()
        value = self.buffer.clone()
        self.post()
        return value


class _Shelf:
    """Messages from a stage to another one on the same rank."""

    def __init__(self, like: Tensor, slots: int) -> None:
        self.free = [torch.empty_like(like) for _ in range(slots)]
        self.buffers = list(self.free)
        self.there: dict[int, Tensor] = {}

    def put(self, microbatch: int, value: Tensor) -> None:
        self.there[microbatch] = self.free.pop()
        self.there[microbatch].copy_(value)

    def take(self, microbatch: int) -> Tensor:
        self.free.append(self.there.pop(microbatch))
        return self.free[-1].clone()


def _row(counter: StorageCounter, middle: int) -> dict[str, int]:
    """Bytes in two passes, by the events up to the middle and those behind."""
    levels = list(itertools.accumulate((change for _, change in counter.events), initial=0))
    if levels[-1]:
        raise BadGraph(f"{levels[-1]} bytes of a microbatch are still there after its backward pass")
    return {"kept": levels[middle], "in_forward": max(levels[: middle + 1]), "in_backward": max(levels[middle:])}


class _Measure:
    """Times and bytes of a stage on a microbatch. Leaves parameters, gradients, buffers and random numbers as they
    were."""

    def __init__(self, stage: Stage, x: Tensor, target: Tensor | None, device: str) -> None:
        self.stage, self.x, self.target, self.device = stage, x, target, device
        gradients, buffers = [p.grad for p in stage.parameters], [b.clone() for b in stage.buffers]
        for p in stage.parameters:
            p.grad = torch.zeros_like(p) if p.requires_grad else None
        try:
            with torch.random.fork_rng(devices=[]):
                self.blocks, self.output = self.time_blocks()
                self.gradient = torch.zeros_like(self.output)
                rows = [self.count(again) for again in range(self.most + 1)]
                self.step_time = self.time_step()
        finally:
            stage.kept.clear()
            for p, g in zip(stage.parameters, gradients):
                p.grad = g
            with torch.no_grad():
                for b, was in zip(stage.buffers, buffers):
                    b.copy_(was)
        self.numbers, choices = keep_steps(rows)
        self.choices = [
            {**row, "recomputation": sum(self.blocks[:number])} for number, row in zip(self.numbers, choices)
        ]

    def time_blocks(self) -> tuple[list[int], Tensor]:
        """Of each block; and which ones draw random numbers, and how many may run again: those before the first one
        that writes a buffer."""
        stage, times, h = self.stage, [], self.x.detach()
        self.most = stage.length
        for i in range(stage.length):
            state, versions, before = torch.get_rng_state(), [b._version for b in stage.buffers], h._version
            with torch.no_grad(), _RooflineTime(self.device) as time:
                out = stage.run_block(i, h, self.target)
            if not isinstance(out, Tensor):
                raise BadGraph(f"block {i} of stage {stage.number} gives no tensor but {type(out).__name__}")
            if h._version != before:
                raise BadGraph(f"block {i} of stage {stage.number} writes over what it reads")
            times.append(time.total)
            if not torch.equal(state, torch.get_rng_state()):
                stage.draws.add(i)
            if versions != [b._version for b in stage.buffers]:
                self.most = min(self.most, i)
            h = out
        return times, h.detach()

    def run(self, again: int, between: Callable[[], Any] = lambda: None) -> None:
        """Both passes as a step runs them."""
        x = self.x.clone() if self.stage.number else self.x
        self.stage.forward(0, x, again, self.target)
        del x
        between()
        read = (lambda: self.gradient) if self.stage.loss is not None else (lambda: self.gradient.clone())
        if self.stage.backward(0, read) is None and self.stage.number:
            raise BadGraph(f"stage {self.stage.number} gives no gradient of its input")

    def count(self, again: int) -> dict[str, int]:
        stage, middle = self.stage, [0]
        known = [
            self.x,
            self.target,
            self.gradient,
            stage.parameters,
            stage.buffers,
            [p.grad for p in stage.parameters],
        ]
        with StorageCounter(known) as counter:
            self.run(again, lambda: middle.__setitem__(0, len(counter.events)))
        return _row(counter, middle[0])

    def time_step(self) -> int:
        with _RooflineTime(self.device) as time:
            self.run(0)
        return time.total

    def report(self) -> dict[str, Any]:
        """What rank 0 and the next stage have to know."""
        parameters = self.stage.parameters
        trained = sum(map(tensor_bytes, (p for p in parameters if p.requires_grad)))
        return {
            "forward": sum(self.blocks), "input_gradient": max(0, self.step_time - sum(self.blocks)),
            "choices": self.choices, "numbers": self.numbers, "size": tensor_bytes(self.output),
            "shape": tuple(self.output.shape), "dtype": self.output.dtype,
            "parameters": sum(map(tensor_bytes, [*parameters, *self.stage.buffers])), "trained": trained,
        }  # fmt: skip


class Pipeline:
    """A training step on the ranks of a process group, by one plan. Every rank of the group makes it, at the same time.

    stages: this rank's, by number: the blocks of each, modules of one tensor to one tensor, which run in this order.
    budget: bytes of each rank, as of `repebble.plan_pipeline`; a list has one for each rank.
    microbatches: of a step, all of the shape of `example`.
    example: a microbatch of inputs, where stage 0 lies. target, loss: where the last stage lies; the loss of a
        microbatch is `loss(output, target)`, a tensor without dimensions.
    order: as of `plan_pipeline`, without "zero_bubble": gradients of weights come with those of inputs.
    times: a device of DEVICES, whose roofline prices the operators; bandwidth: bytes/s from a rank to the next, whose
        time is 0 where None.
    include: what else is in the budget: "parameters" (with buffers), "gradients", "optimizer", which has
        `optimizer_states` times the trained parameters.
    timeout: seconds until a rank that says nothing is an error, while this is made and in a step.
    plan_options: work, seed, seconds of `plan_pipeline`.

    Tensors are on the CPU; checked with gloo. Raises NoPlan, BadOption, BadGraph, on every rank alike.
    """

    def __init__(
        self,
        stages: Mapping[int, Sequence[nn.Module]],
        budget: Budget | Sequence[Budget],
        *,
        microbatches: int,
        example: Tensor | None = None,
        target: Tensor | None = None,
        loss: Callable[[Tensor, Tensor], Tensor] | None = None,
        group: Any = None,
        order: str | None = None,
        times: str = "a100",
        bandwidth: float | None = None,
        include: Sequence[str] = (),
        optimizer_states: int = 2,
        timeout: float = 300.0,
        **plan_options: Any,
    ) -> None:
        self.group: Any = dist.group.WORLD if group is None else group
        self.rank, self.microbatches, self.timeout = dist.get_rank(group), microbatches, timeout
        self.example, self.target, self.loss = example, target, loss
        self.settings: dict[str, Any] = {
            "budget": budget, "microbatches": microbatches, "order": order, "times": times, "bandwidth": bandwidth,
            "include": tuple(include), "optimizer_states": optimizer_states, "plan_options": plan_options,
        }  # fmt: skip
        name = getattr(self.group, "group_name", "default")
        self.talk = Talk(dist.PrefixStore(f"repebble/{name}/{_made[name]}", _get_default_store()), timeout)
        _made[name] += 1
        self.ranks = self._agree(sorted(stages))
        measured = self._measure(stages)
        self.plan, self.slots, self.reports = self._share_plan()
        self._make_buffers(measured)
        self.measured_peak: int | None = None
        """Most bytes of this rank in the last step that measured them."""

    @property
    def planned_peak(self) -> int:
        """Most bytes of this rank, by the plan."""
        return self.plan.peaks[self.rank]

    def _agree(self, mine: list[int]) -> list[int]:
        """The rank of each stage. Every rank comes to the same answer, or the same error."""
        self.talk.say(f"rank {self.rank}", (mine, repr(self.settings)))
        said = [self.talk.hear(f"rank {r}") for r in range(dist.get_world_size(self.group))]
        for r, (_, settings) in enumerate(said):
            if settings != said[0][1]:
                raise BadOption(f"rank {r} asks for another pipeline than rank 0: {settings}, {said[0][1]}")
        there = sorted((s, r) for r, (numbers, _) in enumerate(said) for s in numbers)
        if [s for s, _ in there] != list(range(len(there))) or not there:
            raise BadGraph(f"the stages of all ranks are not 0, 1, 2, ... each once: {[s for s, _ in there]}")
        times, order, include = (self.settings[name] for name in ("times", "order", "include"))
        if times not in DEVICES:
            raise BadOption(f"times are those of a device ({', '.join(DEVICES)}), not {times!r}")
        if order == "zero_bubble":
            raise BadOption("order 'zero_bubble' splits gradients of weights off, which is not run here")
        if unknown := [name for name in include if name not in _INCLUDE]:
            raise BadOption(f"include knows {', '.join(_INCLUDE)}, not {unknown[0]!r}")
        return [r for _, r in there]

    def _measure(self, stages: Mapping[int, Sequence[nn.Module]]) -> dict[int, _Measure]:
        """Each stage of this rank, on what the one before it says that it gives."""
        found: dict[int, _Measure] = {}
        for number in sorted(stages):
            try:
                found[number] = self._measure_stage(number, stages[number])
                self.talk.say(f"stage {number}", found[number].report())
            except Exception as error:
                why = error if isinstance(error, Error) else Error(f"stage {number}: {type(error).__name__}: {error}")
                for left in sorted(stages)[len(found) :]:
                    self.talk.say(f"stage {left}", why)
                if self.rank == 0:
                    self.talk.say("plan", why)
                raise
        return found

    def _measure_stage(self, number: int, blocks: Sequence[nn.Module]) -> _Measure:
        last = number + 1 == len(self.ranks)
        if last and (self.loss is None or self.target is None):
            raise BadOption(f"stage {number} is the last one: its rank needs loss and target")
        stage = Stage(blocks, number, self.loss if last else None)
        if number == 0:
            if self.example is None:
                raise BadOption("the rank of stage 0 needs example, a microbatch of inputs")
            x = self.example
        else:
            before = self.talk.hear(f"stage {number - 1}")
            x = torch.zeros(before["shape"], dtype=before["dtype"])
        elsewhere = [t for t in (x, *stage.parameters, *stage.buffers) if t.device.type != "cpu"]
        if elsewhere:
            raise BadOption(f"stage {number} has tensors on {elsewhere[0].device}; only those on the CPU are planned")
        measured = _Measure(stage, x, self.target if last else None, self.settings["times"])
        if last and measured.output.dim():
            raise BadGraph(f"the loss has dimensions: {tuple(measured.output.shape)}")
        return measured

    def _share_plan(self) -> tuple[PipelinePlan, int, list[dict[str, Any]]]:
        """Rank 0 plans for all."""
        if self.rank == 0:
            try:
                self.talk.say("plan", self._plan())
            except Exception as error:
                self.talk.say("plan", error if isinstance(error, Error) else Error(f"rank 0: {error}"))
                raise
        return self.talk.hear("plan")  # type: ignore[no-any-return]

    def _plan(self) -> tuple[PipelinePlan, int, list[dict[str, Any]]]:
        reports = [self.talk.hear(f"stage {s}") for s in range(len(self.ranks))]
        given, slots = self.settings, 1
        while True:
            stages = [self.describe(reports, s, slots) for s in range(len(reports))]
            of = {"ranks": dist.get_world_size(self.group), "microbatches": self.microbatches, "stages": stages}
            plan = plan_pipeline(
                {**of, "time_unit": "ns"}, given["budget"], order=given["order"], **given["plan_options"]
            )
            needed = find_slots(plan.orders, self.ranks)
            if needed <= slots:
                return plan, slots, reports
            slots = needed

    def describe(self, reports: list[dict[str, Any]], s: int, slots: int) -> dict[str, Any]:
        """A stage as pipeline files have it."""
        report, given = reports[s], self.settings
        sizes = [r["size"] for r in reports]
        constant = wire_bytes(s, sizes, self.ranks, slots)
        constant += (
            report["size"] * (self.microbatches + 1) if s + 1 == len(reports) else 0
        )  # losses, and their gradient
        constant += self.beside(report)
        transfer = int(1e9 * report["size"] / given["bandwidth"]) if given["bandwidth"] else 0
        return {
            "rank": self.ranks[s], "forward": report["forward"], "input_gradient": report["input_gradient"],
            "transfer": transfer, "constant": constant, "choices": report["choices"],
        }  # fmt: skip

    def _make_buffers(self, measured: dict[int, _Measure]) -> None:
        self.stages = {number: one.stage for number, one in measured.items()}
        self.order = [one for one in self.plan.orders[self.rank] if is_run(one)]
        self.inputs: dict[Edge, Any] = {}
        self.outputs: dict[Edge, Any] = {}
        orders = {e: ks for one in self.plan.orders for e, ks in reading_order(one, len(self.ranks)).items()}
        for one in self.order:
            read, written = edges_of(one, len(self.ranks))
            for edge, boxes in ((read, self.inputs), (written, self.outputs)):
                if edge is not None and edge not in boxes:
                    boxes[edge] = self._make_box(edge, boxes is self.outputs, orders[edge])
        self.losses = self.seed = None
        if len(self.ranks) - 1 in self.stages:
            output = measured[len(self.ranks) - 1].output
            self.losses, self.seed = output.new_zeros(self.microbatches), output.new_ones(()).div_(self.microbatches)

    def _make_box(self, edge: Edge, is_output: bool, order: list[int]) -> Any:
        stage, back = edge
        report = self.reports[stage]
        like = torch.empty(report["shape"], dtype=report["dtype"])
        peers = {self.ranks[stage], self.ranks[stage + 1]} - {self.rank}
        if not peers:
            other = self.inputs.get(edge) or self.outputs.get(edge)
            return other or _Shelf(like, self.slots)
        peer = dist.get_global_rank(self.group, peers.pop())

        def begin(buffer: Tensor, microbatch: int) -> Callable[[], Any]:
            call = dist.isend if is_output else dist.irecv
            work: Any = call(buffer, peer, group=self.group, tag=2 * (stage * self.microbatches + microbatch) + back)
            return lambda: work.wait(timedelta(seconds=self.timeout))

        return _Outbox(like, self.slots, begin, order) if is_output else _Inbox(like, begin, order)

    def fixed(self) -> list[Tensor]:
        """The buffers that are always there: between stages, and of losses."""
        boxes = {id(box): box for box in (*self.inputs.values(), *self.outputs.values())}
        found = [buffer for box in boxes.values() for buffer in box.buffers]
        return found + [t for t in (self.losses, self.seed) if t is not None]

    def step(
        self, inputs: Sequence[Tensor] = (), targets: Sequence[Tensor] = (), *, measure: bool = False
    ) -> Tensor | None:
        """Runs this rank's passes: adds the gradients of the mean loss to those of its parameters. Returns the losses
        of the microbatches where the last stage lies.

        inputs: the microbatches, where stage 0 lies; targets: where the last one lies. measure: counts the bytes of
        storages, for `measured_peak`; each operator then takes longer.
        """
        for name, stage, given, like in (("inputs", 0, inputs, self.example), ("targets", -1, targets, self.target)):
            if self.ranks[stage] == self.rank:
                self._check(name, given, like)
        parameters = [p for stage in self.stages.values() for p in stage.parameters]
        for p in parameters:
            if p.requires_grad and p.grad is None:
                p.grad = torch.zeros_like(p)
        if not measure:
            self._run(inputs, targets)
        else:
            buffers = [stage.buffers for stage in self.stages.values()]
            fixed = self.fixed()
            known = [inputs, targets, parameters, [p.grad for p in parameters], buffers, fixed]
            with StorageCounter(known) as counter:
                self._run(inputs, targets)
            beside = sum(self.beside(self.reports[s]) for s in self.stages)
            self.measured_peak = counter.peak() + sum(map(tensor_bytes, fixed)) + beside
        return None if self.losses is None else self.losses.clone()

    def _check(self, name: str, given: Sequence[Tensor], like: Any) -> None:
        if len(given) != self.microbatches:
            raise BadOption(f"{len(given)} {name} for {self.microbatches} microbatches")
        for k, one in enumerate(given):
            if (one.shape, one.dtype) != (like.shape, like.dtype):
                raise BadOption(f"{name}[{k}] is {tuple(one.shape)}, {one.dtype}, not as the example")

    def beside(self, report: dict[str, Any]) -> int:
        """Bytes of what `include` names of a stage."""
        given = self.settings
        sizes = (report["parameters"], report["trained"], given["optimizer_states"] * report["trained"])
        return sum(size for name, size in zip(_INCLUDE, sizes) if name in given["include"])

    def _run(self, inputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
        for box in self.inputs.values():
            if isinstance(box, _Inbox):
                box.begin()
        for one in self.order:
            self._run_forward(one, inputs, targets) if one[0] == "forward" else self._run_backward(one)
        for box in self.outputs.values():
            if isinstance(box, _Outbox):
                box.flush()

    def _run_forward(self, one: Any, inputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
        _, s, k = one
        read, written = edges_of(one, len(self.ranks))
        x = inputs[k] if read is None else self.inputs[read].take(k)
        again = self.reports[s]["numbers"][self.plan.choices[s][k]]
        y = self.stages[s].forward(k, x, again, targets[k] if written is None else None)
        if written is not None:
            self.outputs[written].put(k, y)
        else:
            self.losses[k].copy_(y)  # type: ignore[index]

    def _run_backward(self, one: Any) -> None:
        _, s, k = one
        read, written = edges_of(one, len(self.ranks))
        take = (lambda: self.seed) if read is None else (lambda: self.inputs[read].take(k))
        gradient = self.stages[s].backward(k, take)  # type: ignore[arg-type]
        if written is not None:
            self.outputs[written].put(k, gradient)
