"""The code that inductor writes for CUDA within a budget, without a GPU: planned bytes against its allocations.

torch_cuda_code.py [MODEL[@BUDGET] ...]: all of MODELS at 60% where none is named. Models are traced on fake tensors of the
CPU; their graphs are moved to a pretended H200, lowered and written there, and run on fake tensors without kernels.
Attention is an operator with the results of the fused one. Nothing is computed, and no memory is needed; minutes a
model. Exit status 77, which ctest takes for skipped, without torch or transformers.
"""

from __future__ import annotations

import contextlib
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

try:
    import torch
    import transformers as hf
except ImportError:
    print("torch or transformers is not installed: skipped")
    sys.exit(77)

import repebble.torch as budgeted
import torch.nn.functional as F
from repebble.torch import _backend, _inductor, _report
from repebble.torch._fake_run import reserved_by_step
from torch import Tensor, fx, nn
from torch._dynamo import device_interface
from torch._dynamo.exc import ShortenTraceback
from torch._inductor import scheduler
from torch._subclasses import fake_tensor
from torch.utils import _pytree as pytree
from torch.utils import _triton
from torch_models import run_checks

DEVICE = types.SimpleNamespace(
    name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, total_memory=150 << 30, warp_size=32, gcnArchName="",
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, is_integrated=0,
    shared_memory_per_block=49152, shared_memory_per_block_optin=232448, L2_cache_size=60 << 20,
)  # fmt: skip


@torch.library.custom_op("repebble::attend", mutates_args=())
def attend(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(q), q.new_empty(q.shape[:3], dtype=torch.float32)


@torch.library.custom_op("repebble::attend_backward", mutates_args=())
def attend_backward(
    g: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, s: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)


attend.register_fake(lambda q, k, v: (torch.empty_like(q), q.new_empty(q.shape[:3], dtype=torch.float32)))
attend_backward.register_fake(lambda g, q, k, v, o, s: tuple(map(torch.empty_like, (q, k, v))))
attend.register_autograd(
    lambda ctx, g, _: torch.ops.repebble.attend_backward(g, *ctx.saved_tensors),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs, *output),
)


@contextlib.contextmanager
def pretended() -> Iterator[None]:
    """A CUDA device, as far as inductor asks for one when it lowers and writes code."""
    import triton
    from triton.backends.compiler import GPUTarget

    cuda, native, interface = torch.cuda, torch._C, device_interface.CudaInterface
    zero, state = (lambda *_: 0), (lambda *_: torch.empty(0, dtype=torch.uint8))
    sizes = {"max_shared_mem": 232448, "multiprocessor_count": 132, "mem_clock_rate": 3201000, "mem_bus_width": 6144}
    sizes |= {"sm_clock_rate": 1980000, "max_num_regs": 65536, "warpSize": 32}
    driver = types.SimpleNamespace(
        get_current_target=lambda: GPUTarget("cuda", 90, 32), get_current_device=zero, get_current_stream=zero,
        utils=types.SimpleNamespace(get_device_properties=lambda *_: sizes),
    )  # fmt: skip
    answers: list[tuple[Any, dict[str, Any]]] = [
        (fake_tensor, {"init_gpu_context": lambda *_: None}),
        (cuda, dict.fromkeys(("is_available", "is_bf16_supported"), lambda *_, **__: True)),
        (cuda, dict.fromkeys(("_lazy_init", "synchronize", "set_device", "set_rng_state"), lambda *_, **__: None)),
        (cuda, dict.fromkeys(("current_device", "_exchange_device", "_maybe_exchange_device"), zero)),
        (cuda, {"device_count": lambda: 1, "get_device_capability": lambda *_: (9, 0), "get_rng_state": state}),
        (cuda, {"get_device_properties": lambda *_: DEVICE, "get_device_name": lambda *_: DEVICE.name}),
        (native, dict.fromkeys(("_cuda_getDevice", "_cuda_exchangeDevice", "_cuda_maybeExchangeDevice"), zero)),
        (native, {"_cuda_setDevice": lambda *_: None, "_cuda_getDeviceCount": lambda: 1}),
        (interface, dict.fromkeys(("get_device_properties",), staticmethod(lambda *_: DEVICE))),
        (interface, dict.fromkeys(("current_device",), staticmethod(zero))),
        (interface, {"is_available": staticmethod(lambda: True), "get_compute_capability": staticmethod(lambda *_: 90)}),
        (interface, {"raise_if_triton_unavailable": staticmethod(lambda *_: None)}),
        (interface.Worker, {"get_device_properties": staticmethod(lambda *_: DEVICE)}),
        (interface.Worker, {"current_device": staticmethod(zero)}),
        (scheduler, {"has_triton": lambda *_: True}),
        (_triton, {"has_triton": lambda *_: True}),
    ]
    with contextlib.ExitStack() as stack:
        for owner, names in answers:
            stack.enter_context(mock.patch.multiple(owner, create=True, **names))
        stack.enter_context(mock.patch.object(triton.runtime.driver, "_active", driver, create=True))
        yield


def moved(module: fx.GraphModule) -> fx.GraphModule:
    """A copy of a graph whose tensors are on the device."""
    device = torch.device("cuda:0")
    module = _inductor._copy(module)
    mode = next(v.fake_mode for v in map(value, module.graph.nodes) if isinstance(v, fake_tensor.FakeTensor))
    storages: dict[int, Tensor] = {}

    def move(v: Any) -> Any:
        if not isinstance(v, Tensor):
            return v
        with mode:
            base = storages.setdefault(
                v.untyped_storage()._cdata,
                torch.empty(v.untyped_storage().nbytes() // v.element_size(), dtype=v.dtype, device=device),
            )
            return torch.as_strided(base.view(v.dtype), v.shape, v.stride(), v.storage_offset())

    for node in module.graph.nodes:
        change = lambda x: device if isinstance(x, torch.device) else x  # noqa: E731
        node.args, node.kwargs = pytree.tree_map(change, node.args), pytree.tree_map(change, node.kwargs)
        if "val" in node.meta:
            node.meta["val"] = pytree.tree_map(move, node.meta["val"])
    module.recompile()
    return module


def value(node: fx.Node) -> Any:
    return node.meta.get("val")


class Done(ShortenTraceback):
    """Raised when a model is planned, so that nothing runs."""


def language(name: str, length: int, batch: int, **config: Any) -> Callable[[], tuple[nn.Module, dict[str, Any]]]:
    """A model of words in bfloat16, by the name of its class."""

    def make() -> tuple[nn.Module, dict[str, Any]]:
        model = getattr(hf, name)
        model = model(model.config_class(use_cache=False, attn_implementation="sdpa", **config))
        model.loss_type = "ForCausalLM"  # of GPT-2 nothing says so, which is logged: a graph break
        ids = torch.zeros(batch, length, dtype=torch.int64)
        return model, {"input_ids": ids, "labels": ids}

    return make


def vision(name: str, batch: int, **config: Any) -> Callable[[], tuple[nn.Module, dict[str, Any]]]:
    """A model of images of 224 pixels in bfloat16, by the name of its class."""

    def make() -> tuple[nn.Module, dict[str, Any]]:
        model = getattr(hf, name)
        model = model(model.config_class(num_labels=1000, **config))
        pixels = torch.zeros(batch, 3, 224, 224, dtype=torch.bfloat16)
        return model, {"pixel_values": pixels, "labels": torch.zeros(batch, dtype=torch.int64)}

    return make


LLAMA = {"hidden_size": 2048, "intermediate_size": 5632, "num_attention_heads": 32, "num_key_value_heads": 4}
LLAMA |= {"vocab_size": 32000, "max_position_embeddings": 2048}
LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
MODELS: dict[str, Callable[[], tuple[nn.Module, dict[str, Any]]]] = {
    "llama, 6 layers": language("LlamaForCausalLM", 2048, 12, num_hidden_layers=6, **LLAMA),
    "llama, 22 layers": language("LlamaForCausalLM", 2048, 8, num_hidden_layers=22, **LLAMA),
    "gpt2 medium": language("GPT2LMHeadModel", 1024, 12, n_layer=24, n_embd=1024, n_head=16, n_positions=1024),
    "vit-l/16": vision("ViTForImageClassification", 96, **LARGE),
    "resnet-50": vision("ResNetForImageClassification", 256),
}


def trace(call: Callable[[], Any], options: dict[str, Any], budget: str) -> Any:
    """The report of a model's plan, and seconds."""
    graphs: dict[int, Any] = {}
    write, run = _inductor.compiled_without_kernels, _backend.run_both

    def on_device(modules: Any, results: int) -> Any:
        there = moved(modules[0]), moved(modules[1])
        graphs[id(modules[0])] = modules, there
        with pretended(), torch.no_grad():
            return write(there, results)

    def run_on_device(modules: Any, joint: Any, calls: Any = None) -> Any:
        with pretended():
            return run(graphs[id(modules[0])][1], joint, calls)

    raw_stream = _inductor._run_on_fake_tensors

    def without_streams(module: Any) -> None:
        raw_stream(module)
        module.get_raw_stream = lambda *_: 0

    def attention(q: Tensor, k: Tensor, v: Tensor, *_: Any, **__: Any) -> Tensor:
        return torch.ops.repebble.attend(q, k, v)[0]

    begin = time.perf_counter()
    with (
        budgeted.partitioner(budget, times="h100", include=("gradients",), **options) as planning,
        mock.patch.object(_inductor, "compiled_without_kernels", on_device),
        mock.patch.object(_backend, "run_both", run_on_device),
        mock.patch.object(_report, "run_both", run_on_device),
        mock.patch.object(_inductor, "_run_on_fake_tensors", without_streams),
        mock.patch.object(F, "scaled_dot_product_attention", attention),
        mock.patch.object(hf.integrations.sdpa_attention, "use_gqa_in_sdpa", lambda *_: True),
    ):
        partition = planning.partition

        def partition_only(*arguments: Any, **named: Any) -> Any:
            partition(*arguments, **named)
            raise Done("planned", first_useful_frame=None)

        planning.partition = partition_only
        with contextlib.suppress(Done):
            torch.compile(call, fullgraph=True, dynamic=False)()
        report = planning.reports[0]
        return report, report.run, time.perf_counter() - begin


def check(name: str, budget: str, **options: Any) -> bool:
    """Prints a row and tells whether the plan is within its budget."""
    torch._dynamo.reset()
    with fake_tensor.FakeTensorMode(allow_non_fake_inputs=True):
        torch.set_default_dtype(torch.bfloat16)
        model, data = MODELS[name]()
        torch.set_default_dtype(torch.float32)
        report, run, seconds = trace(lambda: model.train()(**data).loss, options, budget)
    plan = report.planned
    mib = [x / 2**20 for x in (plan.keep_all.peak, plan.budget, plan.measured.peak, reserved_by_step([run]))]
    good = plan.fits and run.peak == plan.measured.peak
    print(
        f"{name:18} {budget:>5} {mib[0]:9,.0f} {mib[1]:9,.0f} {mib[2]:9,.0f} {100 * mib[2] / mib[1]:6.1f} % {mib[3]:9,.0f} "
        f"{100 * plan.overhead:7.2f} % {plan.measured.recomputed:5} {seconds:6.0f} s{'' if good else '  BROKEN'}",
        flush=True,
    )
    return good


def main(arguments: list[str], **options: Any) -> int:
    torch.set_num_threads(1)
    print(
        f"{'MiB':18} {'':>5} {'default':>9} {'budget':>9} {'planned':>9} {'used':>8} {'reserved':>9} {'overhead':>9} "
        f"{'again':>5}"
    )
    return run_checks(check, [*MODELS], arguments, **options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
