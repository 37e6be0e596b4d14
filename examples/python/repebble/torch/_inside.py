"""What of torch's inside is replaced or made here. A line says of which version it is, where versions differ.

`checks/torch_inside.py` looks for every name of torch's inside that this package uses, and says which ones a version of
torch has not.
"""

from __future__ import annotations

import inspect
import types
from typing import Any
from unittest import mock

import torch._functorch.config
import torch._inductor.config
from torch._dynamo import symbolic_convert
from torch._functorch._aot_autograd import graph_compile
from torch._inductor import async_compile, choices, compile_fx, graph
from torch._inductor.codegen import cpp
from torch._inductor.cudagraph_utils import BoxedDeviceIndex
from torch._inductor.utils import BoxedBool

#: What is replaced while inductor compiles: owner, name, and the parameters that it has.
REPLACED: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "lower": (graph.GraphLowering, "run_node", ("self", "n")),
    "write": (graph.GraphLowering, "compile_to_module", ("self",)),
    "write loops": (cpp.CppScheduling, "codegen_node", ("self", "node")),
    "compile kernels": (async_compile, "AsyncCompile", ()),
}

#: What is called, with the parameters that it must take.
CALLED: dict[str, tuple[Any, tuple[str, ...]]] = {
    "forward": (
        compile_fx.compile_fx_forward,
        ("gm", "example_inputs", "num_orig_model_outputs", "num_example_inputs", "compiler_config_extra"),
    ),
    "backward": (compile_fx.compile_fx_backward, ("gm", "example_inputs", "compiler_config_extra")),
    "donated": (
        graph_compile.collect_fw_donated_buffer_idxs,
        ("fw_ins", "user_fw_outs", "bw_outs", "saved_tensors"),
    ),
    "can fuse": (choices.InductorChoices.can_fuse, ("scheduler", "node1", "node2", "shared_data_score")),
}

#: Settings of inductor by which it keeps to a plan, and of AOTAutograd. A version may lack those of `SINCE`.
SETTINGS = {"fusion_memory_timeline_peak_memory_pct_threshold": 0.0}
FUNCTORCH_SETTINGS = {"force_non_lazy_backward_lowering": True}
SINCE = {"fusion_memory_timeline_peak_memory_pct_threshold": "2.15"}  # no fusion may raise the peak


def replaced(name: str, by: Any) -> Any:
    """A context in which an entry of `REPLACED` is another."""
    return mock.patch.object(*REPLACED[name][:2], by)


def original(name: str) -> Any:
    """What an entry of `REPLACED` is now."""
    return getattr(*REPLACED[name][:2])


def settings() -> dict[str, Any]:
    """`SETTINGS`, without those that this version has not."""
    return {name: x for name, x in SETTINGS.items() if name not in SINCE or hasattr(torch._inductor.config, name)}


def compiler_config_extra() -> Any:
    """What `compile_fx_forward` wants beside a graph: no CUDA graphs."""
    parts = [BoxedBool(False), -1, BoxedDeviceIndex(None)]  # 2.11
    if "forward_is_cudagraph_partitioned" in compile_fx.CompilerConfigExtra.__annotations__:
        parts.append(BoxedBool(False))  # 2.15
    return compile_fx.CompilerConfigExtra(*parts)


def metadata(donated: list[int]) -> Any:
    """What inductor reads of AOTAutograd's metadata, which come after the partition; `donated` are `bw_donated_idxs`."""
    return types.SimpleNamespace(bw_donated_idxs=donated, num_mutated_inp_runtime_indices=0, static_input_indices=[])


def frame() -> tuple[types.CodeType | None, bool]:
    """The code that Dynamo compiles now, and whether more of it follows behind a graph break."""
    try:
        output = symbolic_convert.InstructionTranslator.current_tx().output
    except AttributeError:  # nothing is compiled by Dynamo
        return None, False
    return output.root_tx.f_code, bool(output.compile_subgraph_reason.graph_break)


def has_saved_tensors_hooks() -> bool:
    """Whether hooks are given what autograd saves now; True where a version does not tell."""
    top = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return top is None or top(False) is not None


def planning_callback(compiled: Any) -> Any:
    """What Dynamo calls to compile: of a compiled module or function, or of a module after `compile()`."""
    compiled = getattr(compiled, "_compiled_call_impl", None) or compiled
    context = getattr(compiled, "dynamo_ctx", None)  # of a module
    if context is None and (configured := getattr(compiled, "get_compiler_config", None)):
        context = inspect.getclosurevars(configured).nonlocals.get("self")
    return getattr(context, "callback", compiled)
