"""How far is torch's own activation memory budget from a plan? Both on the same joint graphs, at equal true peaks.

torch_tables.py [--quick] [NETWORK ...]

For each setting of `torch._functorch.config.activation_memory_budget` its forward and backward graphs run on
fake tensors, storages counted: the true peak. repebble then plans for that many bytes. Overheads are times of the
graphs that run, torch's and ours alike, by the A100's roofline, beyond and as shares of everything once. Nothing is
computed: networks may be larger than this machine.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import fx, nn
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.exc import ShortenTraceback
from torch._functorch import config, partitioners

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples/python/checks"))

import repebble  # noqa: E402
from repebble.torch import _times  # noqa: E402
from repebble.torch._capture import Captured  # noqa: E402
from repebble.torch._fake_run import run_both  # noqa: E402
from repebble.torch._planning import plan_joint  # noqa: E402
from repebble.torch._rebuild import rebuild  # noqa: E402
from torch_models import GPT, SMALL, Loss, UNet, images, resnet, words  # noqa: E402

NETWORKS: dict[str, Callable[[], tuple[nn.Module, tuple[Any, ...]]]] = {
    "resnet18, batch 128": lambda: (Loss(resnet([2, 2, 2, 2], 1)), images(128, 224, 1000)),
    "resnet50, batch 96": lambda: (Loss(resnet([3, 4, 6, 3], 4)), images(96, 224, 1000)),
    "unet, batch 8": lambda: (Loss(UNet(32, 4)), (torch.randn(8, 3, 256, 256), torch.randint(0, 2, (8, 256, 256)))),
    "gpt 6 x 256, batch 4": lambda: (Loss(GPT(6, 256, 8, 1000, 256)), words(4, 256, 1000)),
    "gpt 12 x 768, batch 8": lambda: (Loss(GPT(12, 768, 12, 8192, 512)), words(8, 512, 8192)),
}
SETTINGS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)


class _Enough(ShortenTraceback):
    """Raised when a joint graph is done with, so that nothing runs."""


def with_joint_graph(model: nn.Module, data: tuple[Any, ...], use: Callable[..., None]) -> None:
    """Calls `use(joint_module, **arguments of a partitioner)` in the middle of a compilation, which then ends."""

    def partition(module: fx.GraphModule, inputs: Any, **arguments: Any) -> Any:
        use(module, **arguments)
        raise _Enough("done", first_useful_frame=None)

    torch._dynamo.reset()
    backend = aot_autograd(fw_compiler=lambda m, _: m, partition_fn=partition)
    try:
        torch.compile(model, backend=backend, fullgraph=True, dynamic=False)(*data)
    except _Enough:
        pass


def copied(module: fx.GraphModule) -> fx.GraphModule:
    """The module with a graph of its own, as partitioners change graphs."""
    graph = fx.Graph()
    values = graph.graph_copy(module.graph, {})
    graph.output(values).meta.update(next(iter(module.graph.find_nodes(op="output"))).meta)
    return fx.GraphModule(module, graph)


def time_of(module: fx.GraphModule) -> float:
    """Nanoseconds of a graph by the roofline; views and getitems take none."""
    total = 0.0
    for node in module.graph.nodes:
        values = _times.tensors(node) if node.op == "call_function" else []
        before = {v.untyped_storage()._cdata for v in _times.tensors((node.args, node.kwargs))}
        if any(v.untyped_storage()._cdata not in before for v in values) and "getitem" not in str(node.target):
            total += _times.node_time(node, "a100")
    return total


def table(name: str, seconds: float, settings: tuple[float, ...]) -> list[float]:
    """Prints the rows of a network and returns the ratios of the overheads, ours to torch's."""
    model, data = (NETWORKS.get(name) or SMALL[name])()
    ratios: list[float] = []

    def use(module: fx.GraphModule, num_fwd_outputs: int, static_lifetime_input_indices: Any = None, **_: Any) -> None:
        module.graph.eliminate_dead_code()
        captured = Captured(copied(module), num_fwd_outputs)
        joint, once = captured.joint, time_of(module)
        print(
            f"\n{name}: {len(joint.planned()) - 1} operations\n"
            f"| torch's setting | true peak, MB | torch's overhead | ours | bound | time least | planned in |\n"
            f"|---|--:|--:|--:|--:|---|--:|",
            flush=True,
        )
        best: dict[int, Any] = {}
        for setting in settings:
            with config.patch(activation_memory_budget=setting):
                theirs = partitioners.min_cut_rematerialization_partition(
                    copied(module),
                    None,
                    num_fwd_outputs=num_fwd_outputs,
                    static_lifetime_input_indices=static_lifetime_input_indices,
                )
            peak = run_both(theirs, joint).peak
            overhead = sum(map(time_of, theirs)) / once - 1
            begin = time.perf_counter()
            try:
                found = best.get(peak) or plan_joint(joint, peak, seconds=seconds)
            except repebble.NoPlan as error:
                print(f"| {setting} | {peak / 1e6:.1f} | {100 * overhead:.2f} % | {error} | | | |", flush=True)
                ratios.append(float("inf"))
                continue
            spent = time.perf_counter() - begin
            best[peak] = found
            ours = sum(map(time_of, rebuild(captured, found.program, num_fwd_outputs))) / once - 1
            if overhead > 0.0005:
                ratios.append(ours / overhead)
            bound = (found.lower_bound or 0) / once
            print(
                f"| {setting} | {peak / 1e6:.1f} | {100 * overhead:.2f} % | {100 * ours:.2f} % | "
                f"{100 * bound:.2f} % | {'yes' if found.time_least else ''} | {spent:.1f} s |",
                flush=True,
            )
        keep = next(iter(best.values())).keep_all.peak
        peaks = []
        for tenth in range(10):
            try:
                found = plan_joint(joint, int(keep * (0.45 + 0.055 * tenth)), seconds=min(seconds, 3))
            except repebble.NoPlan:
                continue
            peaks.append(run_both(rebuild(captured, found.program, num_fwd_outputs), joint).peak)
        rising = all(a <= b for a, b in zip(peaks, peaks[1:]))
        print(
            f"true peaks of ours over ten budgets: {', '.join(f'{p / 1e6:.1f}' for p in peaks)} MB: "
            f"{'monotone' if rising else 'NOT MONOTONE'}",
            flush=True,
        )

    with_joint_graph(model, data, use)
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", help=f"some of {', '.join([*NETWORKS, *SMALL])}")
    parser.add_argument("--quick", action="store_true", help="small networks and few settings")
    parser.add_argument("--seconds", type=float, default=60, help="CPU seconds for each plan (60)")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    names = chosen.networks or (["resnet18", "unet", "gpt"] if chosen.quick else list(NETWORKS))
    settings = (1.0, 0.5, 0.3, 0.0) if chosen.quick else SETTINGS
    ratios = [
        r for name in names for r in table(name, min(chosen.seconds, 5) if chosen.quick else chosen.seconds, settings)
    ]
    worst = max(ratios, default=0.0)
    print(f"\nours to torch's overhead at equal peaks: mean {statistics.mean(ratios or [0]):.2f}, greatest {worst:.2f}")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
