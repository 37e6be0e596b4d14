"""What a joint graph may hold, case by case: each is trained bitwise as eager torch does, in the planned bytes.

torch_cases.py [CASE ...]. Exit status 77 without torch.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble
import repebble.torch as budgeted
import torch.nn.functional as F
from torch import Tensor, nn
from torch_models import SMALL


def step(call: Any, model: nn.Module, data: tuple[Any, ...]) -> list[Tensor]:
    """Outputs, gradients and buffers of a step; all outputs are held until the end."""
    torch.manual_seed(1)
    model.zero_grad(set_to_none=True)
    outputs = call(*data)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    sum(o.square().mean() for o in outputs if o.requires_grad).backward()
    return [
        *(o.detach() for o in outputs),
        *(p.grad for p in model.parameters() if p.grad is not None),
        *model.buffers(),
    ]


def agree(
    model: nn.Module,
    *datas: tuple[Any, ...],
    budget: str = "60%",
    slack: int = 4,
    plans: int = 1,
    dynamic: bool | None = False,
    **options: Any,
) -> budgeted.Backend:
    """Trains with each of the data, eager and within a budget, and compares."""
    eager = copy.deepcopy(model)
    backend = budgeted.backend(budget, **options)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend, fullgraph=True, dynamic=dynamic)
    for data in datas:
        mine, theirs = step(compiled, model, data), step(eager, eager, data)
        assert len(mine) == len(theirs) and all(map(torch.equal, mine, theirs)), "not bitwise equal"
    del mine
    assert len(backend.reports) == plans, f"{len(backend.reports)} plans instead of {plans}"
    plan = backend.reports[-1].planned
    assert plan.measured.peak <= plan.budget, "the plan does not fit"
    assert plan.measured.recomputed, "nothing runs again"
    fake = backend.reports[-1].measured_peak()
    assert 0 <= fake - plan.measured.peak <= slack, f"on fake tensors {fake}, planned {plan.measured.peak}"
    return backend


class Layers(nn.Module):
    """Layers of equal width; `body` says what a layer is."""

    def __init__(
        self,
        body: Callable[[int, Tensor], Tensor],
        count: int = 6,
        width: int = 32,
        end: Callable[[list[Tensor]], Any] = lambda hs: hs[-1].square().mean(),
    ) -> None:
        super().__init__()
        self.linear = nn.ModuleList(nn.Linear(width, width) for _ in range(count))
        self.register_buffer("seen", torch.zeros(width))
        self.body, self.end = body, end

    def forward(self, x: Tensor) -> Any:
        hidden = [x]
        for k, linear in enumerate(self.linear):
            hidden.append(self.body(k, linear(hidden[-1])))
        if self.training and getattr(self, "count_seen", False):
            self.seen.add_(hidden[-1].detach().mean(0))
        return self.end(hidden)


X = torch.randn(64, 32)


def case_random() -> None:
    """Dropouts that run again get the saved state; the order of first runs is eager's."""
    backend = agree(Layers(lambda k, h: F.dropout(h.sin(), 0.5)), (X,), (X,), budget="45%")
    plan = backend.reports[0]
    assert any(
        plan.captured.joint.nodes[c.node].kind == "random" and c.run for c in plan.planned.program.calls if c.node >= 0
    )


def case_attention() -> None:
    """Attention without dropout, which draws no random numbers, runs again."""

    def body(k: int, h: Tensor) -> Tensor:
        q, k_, v = (h.sin().view(1, 64, 4, 8).transpose(1, 2) * c for c in (1, 2, 3))
        return F.scaled_dot_product_attention(q, k_, v).transpose(1, 2).reshape(64, 32)

    report = agree(Layers(body), (X,), budget="30%", on_infeasible="least").reports[0]
    nodes, calls = report.captured.joint.nodes, report.planned.program.calls
    assert any(c.run and "attention" in nodes[c.node].name for c in calls if c.node >= 0), "attention runs once"


def case_subgraphs() -> None:
    """Regions that are compiled once for all calls may run again, but for those that draw random numbers."""
    for dropout, kind in ((0.0, "compute"), (0.25, "ordered")):

        @torch.compiler.nested_compile_region
        def region(h: Tensor, p: float = dropout) -> Tensor:
            return F.dropout(h.sin(), p).cos()

        model = Layers(lambda k, h: region(h).tanh())
        eager, backend = copy.deepcopy(model), budgeted.backend("60%", on_infeasible="least")
        torch._dynamo.reset()
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        assert all(map(torch.equal, step(compiled, model, (X,)), step(eager, eager, (X,)))), "not bitwise equal"
        _, report = backend.reports  # of the region, and of the model
        forward = [n for n in report.captured.joint.nodes if not n.backward]
        kinds = {n.kind for n in forward if n.name.startswith("invoke_subgraph")}
        assert kinds == {kind}, kinds


def case_views() -> None:
    """Views of what runs again, with several outputs, of inputs, and of views."""

    def body(k: int, h: Tensor) -> Tensor:
        a, b = h.view(8, 8, 32).transpose(0, 1).chunk(2, -1)
        return torch.cat([a * b.sigmoid(), b.tanh()], -1).transpose(0, 1).reshape(64, 32)

    agree(Layers(body), (X.T.contiguous().T,), (X,), budget="50%", plans=2)


def case_several_outputs() -> None:
    """Operations with several results, some of which nobody reads."""

    def body(k: int, h: Tensor) -> Tensor:
        top, _ = h.sort(-1)
        values, indices = h.topk(4)
        return (
            top.sin()
            + values.mean(-1, keepdim=True)
            + F.layer_norm(h, (32,))
            + h.scatter_add(1, indices, values.tanh())
        )

    agree(Layers(body, 4), (X,), budget="50%")


def case_held_results() -> None:
    """The user holds the logits and a hidden layer; the loss is computed outside."""
    agree(Layers(lambda k, h: F.gelu(h), end=lambda hs: (hs[3], hs[-1].view(-1))), (X,), budget="80%")


def case_mutation() -> None:
    """A buffer is written in place, and so is a hidden layer."""
    model = Layers(lambda k, h: h.sin().mul_(2))
    model.count_seen = True
    agree(model, (X,), (X,), budget="50%")


def case_mutated_reads() -> None:
    """What runs again reads a buffer that the forward pass has changed meanwhile: its clone is counted."""

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.ModuleList(nn.Linear(32, 32) for _ in range(6))
            self.register_buffer("scale", torch.ones(32))

        def forward(self, x: Tensor) -> Tensor:
            for linear in self.linear:
                x = (linear(x) + self.scale).sin().tanh()
            self.scale.mul_(0.5)
            return x.mean()

    backend = agree(Scaled(), (X,), (X,), budget="40%")
    assert any(c.node == -2 for c in backend.reports[0].planned.program.calls), "no clone"


def case_symbolic_sizes() -> None:
    """One plan for a hint and other sizes; a new one when a guard fails."""
    backend = agree(
        Layers(lambda k, h: F.gelu(h).reshape(-1, 32)),
        *((torch.randn(n, 32),) for n in (64, 48, 40)),
        budget="60%",
        dynamic=True,
    )
    assert backend.reports[0].planned.measured.recomputed
    agree(Layers(lambda k, h: F.gelu(h)), (torch.randn(64, 32),), (torch.randn(48, 32),), budget="60%", plans=2)


def case_larger_sizes() -> None:
    """A plan holds up to its sizes: larger ones are planned before they run."""
    model, budget = Layers(lambda k, h: F.gelu(h)), 100_000
    torch._dynamo.reset()
    backend = budgeted.backend(budget)
    compiled = torch.compile(model, backend=backend, dynamic=True)
    for rows, plans in ((64, 1), (48, 1), (96, 2), (80, 2), (640, 3)):
        data = (torch.randn(rows, 32),)
        if rows == 640:
            try:
                step(compiled, model, data)
            except repebble.NoPlan as error:
                assert error.found and error.found > budget
            else:
                raise AssertionError("no error")
            continue
        step(compiled, model, data)
        model.zero_grad(set_to_none=True)
        with budgeted.StorageCounter([data, list(model.parameters()), list(model.buffers())]) as counter:
            compiled(*data).backward()
        assert counter.peak([p.grad for p in model.parameters()]) <= budget
        assert len(backend.reports) == plans, (rows, len(backend.reports))


def case_policies() -> None:
    """Values are kept or run again by module, operator, or the marks of torch.utils.checkpoint."""
    from torch.utils.checkpoint import checkpoint

    def again(backend: budgeted.Backend) -> set[str]:
        nodes, calls = backend.reports[0].captured.joint.nodes, backend.reports[0].planned.program.calls
        return {nodes[c.node].name for c in calls if c.node >= 0 and c.run and nodes[c.node].kind == "compute"}

    def plan(body: Callable[[int, Tensor], Tensor], **options: Any) -> budgeted.Backend:
        model = Layers(body)
        eager = copy.deepcopy(model)
        torch._dynamo.reset()
        backend = budgeted.backend("100%", **options)
        mine, theirs = step(torch.compile(model, backend=backend), model, (X,)), step(eager, eager, (X,))
        assert all(map(torch.equal, mine, theirs))
        return backend

    plain = lambda k, h: F.gelu(h).sin()  # noqa: E731
    assert not again(plan(plain))
    assert {n.split("_")[0] for n in again(plan(plain, recompute=["aten.gelu"]))} == {"gelu"}
    assert any("addmm" in n for n in again(plan(plain, recompute=["linear.2"])))
    assert not again(plan(plain, recompute=["aten.gelu"], keep=["aten.*"]))
    marked = plan(lambda k, h: checkpoint(lambda z: F.gelu(z).sin(), h, use_reentrant=False), recompute=["checkpoint"])
    assert again(marked) and not again(plan(plain, recompute=["checkpoint"]))
    assert "nothing is kept or recomputed by 'linear.9'" in budgeted.report(plan(plain, keep=["linear.9"]))


def case_link() -> None:
    """Values are copied to the host and back, in the planned bytes on both sides."""
    held = Layers(lambda k, h: F.dropout(F.gelu(h), 0.2) * h.sigmoid(), end=lambda hs: (hs[2], hs[-1]))
    for model, data, options in (
        (held, (X,), dict()),
        (held, (X,), dict(host_budget="40kB", include=["gradients"])),
        (held, (X,), dict(keep=["aten.gelu"])),
        (*SMALL["resnet18"](), dict()),
        (*SMALL["mixture"](), dict()),
    ):
        eager = copy.deepcopy(model)
        torch._dynamo.reset()
        backend = budgeted.backend("50%", **{"link": "1TB/s", **options})
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        for _ in range(2):
            mine, theirs = step(compiled, model, data), step(eager, eager, data)
            assert all(map(torch.equal, mine, theirs)), "not bitwise equal"
        del mine
        model.zero_grad(set_to_none=True)
        with budgeted.StorageCounter([data, list(model.parameters()), list(model.buffers())]) as counter:
            outputs = compiled(*data)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            sum(o.square().mean() for o in outputs).backward()
        del outputs
        report, plan = backend.reports[0], backend.reports[0].planned
        assert plan.fits and plan.measured.copied, budgeted.report(backend)
        assert counter.host_peak() == plan.measured.host, (counter.host_peak(), plan.measured.host)
        assert 0 <= report.measured_peak() - plan.measured.peak <= 4
        if "host_budget" in options:
            assert plan.measured.host <= 40_000
        assert "bytes copied to the host" in budgeted.report(backend)
        taken = sum(size for _, size in (*report.run.forward, *report.run.backward) if size > 0)
        seen = sum(size for number, size in counter.events if size > 0)
        assert taken < seen and seen - taken >= plan.measured.copied, (
            taken,
            seen,
        )  # CUDA's allocator has no host's bytes
    try:
        with budgeted.partitioner("60%", link="pcie4"):
            raise AssertionError("no error")
    except repebble.BadOption as error:
        assert "a partitioner takes no link" in str(error)


def case_streams() -> None:
    """A copy on a device begins when its source is made, and its memory serves others when it has ended; by a stand-in."""
    from repebble.torch import _copies

    log: list[str] = []

    class Stream:
        def __init__(self, device: Any) -> None:
            self.name = f"stream of {device}"

        def wait_stream(self, other: Any) -> None:
            log.append(f"{self.name} waits for {other.name}")

        def record_event(self) -> str:
            return "an end"

        def wait_event(self, event: str) -> None:
            log.append(f"{self.name} waits for {event}")

    device, compute = torch.device("cuda:0"), Stream("computation")
    stand_in = dict(Stream=Stream, stream=lambda stream: contextlib.nullcontext(), current_stream=lambda _: compute)
    with mock.patch.multiple(torch.cuda, **stand_in):
        source = torch.randn(4, 5).t()[1:]
        host = _copies._begin(source, _copies._like(source, torch.device("cpu")), device, False)
        assert torch.equal(host, source) and host.stride() == source.stride()
        assert log == ["stream of cuda:0 waits for stream of computation"]
        _copies._wait_now(host, device)
        back = _copies._begin(host, _copies._like(host, torch.device("cpu")), device, True)
        del back  # nobody has waited for it
        assert log[1::2] == 2 * ["stream of computation waits for an end"] and not _copies._ends
    _copies._streams.clear()


def case_included() -> None:
    """The budget also holds parameters, gradients and optimizer state."""
    model = SMALL["unet"]()[0]
    data = SMALL["unet"]()[1]
    parameters = sum(p.nbytes for p in model.parameters())
    held = parameters + sum(b.nbytes for b in model.buffers())
    backend = agree(model, data, budget="70%", include=("parameters", "gradients", "optimizer"))
    assert abs(backend.reports[0].fixed - held - 2 * parameters) < 64, (backend.reports[0].fixed, held + 2 * parameters)
    budget = backend.reports[0].planned.budget + backend.reports[0].fixed
    bare = agree(model, data, budget="70%")
    assert budget > bare.reports[0].planned.budget + held


def case_no_plan() -> None:
    """One error, with the floor, the operation that needs it, and a budget that works."""
    model, data = SMALL["resnet18_pool"]()
    torch._dynamo.reset()
    try:
        torch.compile(model, backend=budgeted.backend("20%", on_infeasible="raise"), fullgraph=True)(*data)
    except repebble.NoPlan as error:
        print("   ", error)
        assert error.needed > 0 and error.operation is not None and "backward" in str(error)
        found = error.found
    else:
        raise AssertionError("no error")
    assert found is not None
    backend = budgeted.backend(found)
    step(torch.compile(model, backend=backend, fullgraph=True), model, data)
    assert backend.reports[0].planned.fits


def case_least() -> None:
    """Where a share does not fit, the least is taken, which the report says."""
    model, data = SMALL["resnet18_pool"]()
    eager = copy.deepcopy(model)
    torch._dynamo.reset()
    backend = budgeted.backend("20%")
    mine, theirs = step(torch.compile(model, backend=backend, fullgraph=True), model, data), step(eager, eager, data)
    assert all(map(torch.equal, mine, theirs)) and not backend.reports[0].planned.fits
    assert "the least that was found" in budgeted.report(backend), budgeted.report(backend)


def case_report() -> None:
    """The report of a compiled model, function, or method, of a backend, and of what has none."""
    model = Layers(lambda k, h: F.gelu(h))
    backend = budgeted.backend("60%")
    compiled = torch.compile(model, backend=backend)
    assert "Dynamo has brought no graph" in budgeted.report(compiled)
    with torch.no_grad():
        compiled(X)
    assert "outside torch.no_grad()" in budgeted.report(compiled)
    step(compiled, model, (X,))
    print("   ", budgeted.report(compiled))
    inside = Layers(lambda k, h: F.gelu(h))
    inside.compile(backend=budgeted.backend("60%"))
    function = torch.compile(lambda x: inside.linear[0](x).sin().sin().mean(), backend=budgeted.backend("60%"))
    step(inside, inside, (X,))
    step(function, inside, (X,))
    for made in (inside, function):
        assert "operations: budget" in budgeted.report(made)
    for wrong in (model, None, torch.compile(model, backend="aot_eager")):
        try:
            budgeted.report(wrong)
        except ValueError as error:
            assert "report takes" in str(error)
        else:
            raise AssertionError("no error")


def case_copies() -> None:
    """Copies and pickles of a compiled model plan for themselves."""
    model = nn.Sequential(*(x for _ in range(6) for x in (nn.Linear(32, 32), nn.GELU())))
    compiled = torch.compile(model, backend=budgeted.backend("60%"))
    for call in (compiled, copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        step(call, call, (X,))
        assert budgeted.report(call).count("operations") == 1
    again = pickle.loads(pickle.dumps(budgeted.backend("60%", seconds=3)))
    assert again.options == budgeted.backend("60%", seconds=3).options


def case_cache() -> None:
    """A graph is planned once for all processes, and its operators measured once."""
    model = Layers(lambda k, h: F.gelu(h).sin())
    with tempfile.TemporaryDirectory() as folder:
        for options in (dict(), dict(times="measure"), dict(link="1TB/s")):
            first, second = (plan_of(copy.deepcopy(model), folder, **options) for _ in range(2))
            assert (first.cached, second.cached) == (False, True)
            assert dataclasses.replace(second, cached=False).steps == first.steps and first.measured == second.measured
        assert not plan_of(copy.deepcopy(model), False).cached


def plan_of(model: nn.Module, cache: Any, **options: Any) -> Any:
    """The plan of a step, by a backend of its own, which is that of eager torch."""
    eager = copy.deepcopy(model)
    torch._dynamo.reset()
    backend = budgeted.backend("50%", cache=cache, **options)
    mine, theirs = step(torch.compile(model, backend=backend), model, (X,)), step(eager, eager, (X,))
    assert all(map(torch.equal, mine, theirs))
    assert backend.reports[0].planned.cached == ("planned before" in budgeted.report(backend))
    return backend.reports[0].planned


def case_ctrl_c() -> None:
    """Ctrl-C while it plans ends the call, though the planner returns the best so far; the next call plans anew."""
    stopped = [True]

    def planner(*arguments: Any, **options: Any) -> Any:
        return dataclasses.replace(
            repebble.plan(*arguments, **options), interrupted=stopped.pop() if stopped else False
        )

    model = Layers(lambda k, h: F.gelu(h))
    torch._dynamo.reset()
    backend = budgeted.backend("60%", planner=planner)
    compiled = torch.compile(model, backend=backend)
    try:
        compiled(X)
    except KeyboardInterrupt:
        step(compiled, model, (X,))
        assert len(backend.reports) == 1
    else:
        raise AssertionError("it went on")


def case_refused() -> None:
    """What cannot be is refused by `backend` itself, in a line that names it."""
    for wrong, words in (
        (dict(budget="60 percent"), "a budget is"),
        (dict(budget=-1), "negative"),
        (dict(include="gradients"), "include is a list"),
        (dict(include=["weights"]), "['weights']"),
        (dict(times="v100"), "times are those"),
        (dict(on_infeasible="stop"), "on_infeasible"),
        (dict(optimizer_states=-1), "optimizer_states"),
        (dict(secs=3), "'secs'"),
        (dict(gap=-1.0), "gap"),
        (dict(link="fast"), "link 'fast'"),
        (dict(host_budget="1GiB"), "host_budget has no meaning without a link"),
        (dict(link="pcie4", time_unit="s"), "time_unit is 'ns'"),
        (dict(interconnect="fast"), "interconnect: link 'fast'"),
        (dict(interconnect="50GB/s,half-duplex"), "half-duplex"),
        (dict(timeout=0), "timeout"),
        (dict(timeout=True), "timeout"),
        (dict(timeout=1e20), "timeout"),
        *((dict(cache=wrong), "cache is a folder") for wrong in (None, 3)),
        *((dict(passes=wrong), "passes is a number") for wrong in (0, True, 1.5)),
    ):
        try:
            budgeted.backend(**{"budget": "60%", **wrong})
        except repebble.Error as error:
            assert words in str(error) and "\n" not in str(error), error
        else:
            raise AssertionError(f"no error: {wrong}")
    torch._dynamo.reset()
    try:
        torch.compile(nn.Linear(32, 32), backend=budgeted.backend("60%"), mode="max-autotune")(X)
    except repebble.BadOption as error:
        assert "mode" in str(error), error
    else:
        raise AssertionError("no error")


def case_times() -> None:
    """Times are measured on demand, or given by name or function."""
    model = Layers(lambda k, h: F.gelu(h))
    agree(copy.deepcopy(model), (X,), times="measure")
    agree(copy.deepcopy(model), (X,), times={"aten.gelu.default": 1.0, "aten.addmm.default": 1e6})
    agree(copy.deepcopy(model), (X,), times=lambda node: 5.0)


def case_collectives() -> None:
    """Collectives never run again, and keep their order."""
    import torch.distributed as dist
    import torch.distributed._functional_collectives as collectives

    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())

    class Reduce(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return collectives.all_reduce(x, "sum", dist.group.WORLD) * 1

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> Tensor:
            return collectives.all_reduce(gradient, "sum", dist.group.WORLD) * 1

    try:
        backend = agree(Layers(lambda k, h: F.gelu(Reduce.apply(h) if k % 2 else h).sin()), (X.clone(),), budget="55%")
    finally:
        dist.destroy_process_group()
    joint, program = backend.reports[0].captured.joint, backend.reports[0].planned.program
    runs = [c.node for c in program.calls if c.node >= 0 and joint.nodes[c.node].kind == "ordered"]
    assert len(runs) >= 6 and runs == sorted(set(runs)), runs


def case_gathers() -> None:
    """All-gathers run again, with their waits, are priced by the interconnect though times are measured, and counted."""
    import torch.distributed as dist
    import torch.distributed._functional_collectives as collectives

    class Sharded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.shards = nn.ParameterList(torch.randn(32, 32) / 6 for _ in range(6))

        def forward(self, x: Tensor) -> Tensor:
            for shard in self.shards:
                weight = collectives.all_gather_tensor_autograd(shard.bfloat16(), 0, dist.group.WORLD).float()
                x = (x @ weight.T).sin()
            return x.square().mean()

    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    try:
        backend = agree(Sharded(), (X[:8].clone(),), budget="40%", times="measure", interconnect="50GB/s,10ns")
    finally:
        dist.destroy_process_group()
    from repebble.torch import _times

    assert not any("c10d" in key for key in _times.measured), "a collective was measured on one rank alone"
    plan = backend.reports[0].planned
    assert plan.measured.gathered and f"{plan.measured.gathered} of them gathers of 6" in budgeted.report(backend)


def case_symbols() -> None:
    """Ranks compare graphs without addresses, which differ between processes: `max` is a Python function of torch."""

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(32, 32) / 6)

        def forward(self, x: Tensor) -> Tensor:
            return (x @ self.weight).sin().square().mean() * max(x.shape[0], 3)

    backend = budgeted.backend("60%")
    torch._dynamo.reset()
    torch.compile(Scaled(), backend=backend, dynamic=True)(torch.randn(8, 32)).backward()
    lines = backend.reports[0].captured.lines()
    assert any("sym_max" in line for line in lines) and not any(" at 0x" in line for line in lines), lines


def case_pool() -> None:
    """Inductor's pool of compilers may begin, by a call that is pickled by name, while kernels are replaced."""
    from repebble.torch import _inductor, _inside

    begin = torch._inductor.async_compile.AsyncCompile._get_ready
    with _inside.replaced("compile kernels", _inductor._NoKernels):
        assert pickle.loads(pickle.dumps(begin)) is begin


def case_ddp() -> None:
    """DistributedDataParallel cuts a graph at its buckets: the parts share the budget."""
    import torch.distributed as dist

    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    try:
        model, data = Layers(lambda k, h: F.gelu(h).sin(), 12, 256), (torch.randn(64, 256),)
        eager = copy.deepcopy(model)
        torch._dynamo.reset()
        backend = budgeted.backend("60%")
        call = torch.compile(nn.parallel.DistributedDataParallel(model, bucket_cap_mb=1), backend=backend)
        for _ in range(3):
            mine, theirs = step(call, model, data), step(eager, eager, data)
            assert all(map(torch.equal, mine, theirs)), "not bitwise equal"
    finally:
        dist.destroy_process_group()
    print("   ", budgeted.report(call).replace("\n", "\n    "))
    assert len(backend.reports) > 1 and backend.step.fits


def case_checkpointed() -> None:
    """A part that the user has marked for checkpointing is planned as all else."""
    from torch.utils.checkpoint import checkpoint

    agree(
        Layers(lambda k, h: checkpoint(lambda z: F.dropout(F.gelu(z)).sin(), h, use_reentrant=False)),
        (X.clone(),),
        budget="50%",
    )


def case_within_checkpoint() -> None:
    """A compiled model under torch.utils.checkpoint updates batch norm's statistics as often as eager torch does."""
    from torch.utils.checkpoint import checkpoint

    model, data = SMALL["resnet18"]()
    eager = copy.deepcopy(model)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=budgeted.backend("60%", seconds=2), fullgraph=True)
    mine, theirs = (
        step(lambda *xs, call=call: checkpoint(call, *xs, use_reentrant=False), of, data)
        for call, of in ((compiled, model), (eager, eager))
    )
    assert all(map(torch.equal, mine, theirs)), "not bitwise equal"


def case_bfloat16() -> None:
    """Mixed precision."""

    class Mixed(Layers):
        def forward(self, x: Tensor) -> Any:
            with torch.autocast("cpu", torch.bfloat16):
                return super().forward(x)

    agree(Mixed(lambda k, h: F.gelu(h), end=lambda hs: hs[-1].float().square().mean()), (X.clone(),), budget="55%")


class Measured:
    """Steps of a model and its eager copy; of the last one the most bytes at once, without gradients."""

    def __init__(self, call: Any, model: nn.Module, data: tuple[Any, ...], steps: int = 4) -> None:
        eager = copy.deepcopy(model)
        for _ in range(steps - 1):
            mine, theirs = step(call, model, data), step(eager, eager, data)
            assert len(mine) == len(theirs) and all(map(torch.equal, mine, theirs)), "not bitwise equal"
        del mine, theirs
        model.zero_grad(set_to_none=True)
        with budgeted.StorageCounter([data, list(model.parameters()), list(model.buffers())]) as counter:
            call(*data).backward()
        self.peak = counter.peak([p.grad for p in model.parameters() if p.grad is not None])


def case_graph_breaks() -> None:
    """Several graphs share the budget, in bytes and as a share; a step in them is bitwise eager's."""

    class Three(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            parts = (Layers(lambda k, h: F.gelu(h).sin(), 5, end=lambda hs: hs[-1]) for _ in range(3))
            self.first, self.second, self.third = parts

        def forward(self, x: Tensor) -> Tensor:
            x = self.first(x)
            torch._dynamo.graph_break()
            x = self.second(x).relu()
            torch._dynamo.graph_break()
            return self.third(x).square().mean()

    for budget in ("150KiB", "60%"):
        model = Three()
        torch._dynamo.reset()
        backend = budgeted.backend(budget)
        measured = Measured(torch.compile(model, backend=backend), model, (X,)).peak
        print("   ", budgeted.report(backend).replace("\n", "\n    "), "\n    measured", measured)
        assert backend.step.fits and len(backend.reports) == 3 and backend.reports[0].planned.measured.recomputed
        assert measured <= backend.step.budget, (measured, backend.step.budget)


def case_passes() -> None:
    """One graph whose passes are all in flight at once, as blocks that are compiled by themselves: they share, too."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.up, self.down = nn.Linear(32, 128), nn.Linear(128, 32)

        def forward(self, x: Tensor) -> Tensor:
            return x + self.down(F.gelu(self.up(x)).sin())

    model = nn.Sequential(*(Block() for _ in range(8)))
    eager = copy.deepcopy(model)
    torch._dynamo.reset()
    backend = budgeted.backend("60%")
    for block in model:
        block.compile(backend=backend)
    for _ in range(3):
        with torch.enable_grad():
            model(X)  # is given up, and has no part in the step
        mine, theirs = step(model, model, (X,)), step(eager, eager, (X,))
        assert all(map(torch.equal, mine, theirs)), "not bitwise equal"
    del mine
    model.zero_grad(set_to_none=True)
    with budgeted.StorageCounter([X, list(model.parameters())]) as counter:
        model(X).square().mean().backward()
    measured = counter.peak([p.grad for p in model.parameters()])
    print("   ", budgeted.report(backend).replace("\n", "\n    "), "\n    measured", measured)
    assert backend.step.fits and "7 passes" in budgeted.report(backend)
    assert measured <= backend.step.budget + 3 * X.nbytes  # the loss is eager torch's


def case_expected_passes() -> None:
    """Passes that are told before are within the budget from the first step on, and compiled once."""
    model = Layers(lambda k, h: F.gelu(h).sin())
    eager, data = copy.deepcopy(model), [torch.randn(64, 32) for _ in range(3)]

    def gradients(call: Any, of: nn.Module) -> list[Tensor]:
        of.zero_grad(set_to_none=True)
        sum(call(x) for x in data).backward()
        return [p.grad for p in of.parameters()]

    torch._dynamo.reset()
    backend = budgeted.backend("60%", passes=3, seconds=2)
    compiled = torch.compile(model, backend=backend)
    with budgeted.StorageCounter([data, list(model.parameters())]) as counter:
        mine = gradients(compiled, model)
    assert all(map(torch.equal, mine, gradients(eager, eager)))
    measured = counter.peak(mine)
    print("   ", budgeted.report(backend).replace("\n", "\n    "), "\n    measured", measured)
    assert backend.step.fits and measured <= backend.step.budget + 64, (measured, backend.step.budget)
    gradients(compiled, model)
    assert len(backend.reports) == 1 and "3 passes" in budgeted.report(backend)
    torch._dynamo.reset()
    backend = budgeted.backend("60%", seconds=2)  # which finds out, in whatever order the passes run backward
    compiled = torch.compile(model, backend=backend)
    for _ in range(2):
        for loss in [compiled(x) for x in data]:
            loss.backward()
    assert "3 passes" in budgeted.report(backend), budgeted.report(backend)


def case_nothing_to_give() -> None:
    """The loss behind a graph break needs all of its bytes: the network makes room."""

    class Broken(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = Layers(lambda k, h: F.gelu(h).sin(), 12, end=lambda hs: hs[-1]), nn.Linear(32, 256)

        def forward(self, x: Tensor) -> Tensor:
            y = self.head(self.body(x))
            torch._dynamo.graph_break()
            return F.cross_entropy(y, torch.zeros(len(x), dtype=torch.int64))

    model = Broken()
    torch._dynamo.reset()
    backend = budgeted.backend("60%")
    measured = Measured(torch.compile(model, backend=backend), model, (X,)).peak
    print("   ", budgeted.report(backend).replace("\n", "\n    "), "\n    measured", measured)
    first, last = (r.planned for r in backend.reports)
    assert backend.step.fits and first.measured.recomputed and not last.measured.recomputed
    assert measured <= backend.step.budget


def cases() -> Iterator[tuple[str, Callable[[], None]]]:
    for name, function in list(globals().items()):
        if name.startswith("case_"):
            yield name[5:], function


def main(arguments: list[str]) -> int:
    torch.set_num_threads(1)
    failed = 0
    for name, function in cases():
        if arguments and name not in arguments:
            continue
        try:
            function()
            print("ok  ", name, flush=True)
        except Exception as error:
            failed += 1
            print("FAIL", name, type(error).__name__, str(error)[:1500], flush=True)
            if arguments:
                raise
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
