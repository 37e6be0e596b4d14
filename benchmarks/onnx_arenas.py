"""How large is ONNX Runtime's arena for a network's inference, and how large is ours? Bytes against bytes.

onnx_arenas.py [--program allocate] [--batch N] [FILE | TORCHVISION_NETWORK ...]

ONNX Runtime runs each file twice on the CPU, with its default optimisations and numbers drawn at random for weights and
inputs (weights may be missing). From the first run it learns a memory pattern: offsets in one block, which the second
run allocates. Its own log says how large that block is (arena extended as requested, shrunk after each run), and what
the arena holds in the end with default settings. Ours is `allocate FILE --json`: order of the file, steps in place.
Weights, inputs and results are outside both.
Needs onnx, onnxruntime, and torchvision for networks that are no files.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort  # type: ignore[import-untyped]
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = sorted(str(p) for p in (ROOT / "tests/data/onnx").glob("*.onnx*"))
NETWORKS = [
    "convnext_tiny",
    "densenet121",
    "efficientnet_b0",
    "inception_v3",
    "mobilenet_v2",
    "mobilenet_v3_large",
    "shufflenet_v2_x1_0",
    "swin_t",
    "vgg16",
    "vit_b_16",
]
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16)
DATA = ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data")


def exported(name: str, batch: int, folder: str) -> str:
    """A network of torchvision as a file."""
    import torch
    import torchvision  # type: ignore[import-untyped]

    torch.manual_seed(1)
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    model = torchvision.models.get_model(name, weights=None, **options).eval()
    side = 299 if name == "inception_v3" else 224
    path = f"{folder}/{name}.onnx"
    program = torch.onnx.export(
        model, (torch.randn(batch, 3, side, side),), dynamo=True, opset_version=20, verbose=False
    )
    assert program is not None
    onnx.save(program.model_proto, path)
    return path


def read(path: str) -> Any:
    """The model as it is in a file, which may be gzip data."""
    data = pathlib.Path(path).read_bytes()
    return onnx.load_model_from_string(gzip.decompress(data) if path.endswith(".gz") else data)


def loaded(path: str) -> Any:
    """The model; weights that are missing are drawn at random."""
    model = read(path)
    generator = np.random.default_rng(1)
    for tensor in model.graph.initializer:
        if not any(getattr(tensor, field) for field in DATA) and math.prod(tensor.dims):
            values = 0.05 * generator.standard_normal(math.prod(tensor.dims), dtype=np.float32)
            tensor.raw_data = values.astype(helper.tensor_dtype_to_np_dtype(tensor.data_type)).tobytes()
            tensor.ClearField("data_location")
            tensor.ClearField("external_data")
    return model


def inputs_of(model: Any, batch: int) -> dict[str, Any]:
    generator, weights, found = np.random.default_rng(2), {t.name for t in model.graph.initializer}, {}
    for value in model.graph.input:
        if value.name not in weights:
            kind = value.type.tensor_type
            shape = [d.dim_value if d.HasField("dim_value") else batch for d in kind.shape.dim]
            numbers = (
                generator.standard_normal(shape, dtype=np.float32)
                if kind.elem_type in FLOATS
                else generator.integers(0, 2, shape)
            )
            found[value.name] = numbers.astype(helper.tensor_dtype_to_np_dtype(kind.elem_type))
    return found


def open_extents(path: str, batch: int) -> list[str]:
    """Options that give each open extent the size that ONNX Runtime is given."""
    graph = read(path).graph
    names = [
        d.dim_param or f"{value.name}[{axis}]"
        for value in graph.input
        for axis, d in enumerate(value.type.tensor_type.shape.dim)
        if not d.HasField("dim_value")
    ]
    return [text for name in dict.fromkeys(names) for text in ("--dimension", f"{name}={batch}")]


def measure(path: str, batch: int, as_requested: bool) -> None:
    """Runs twice in this process, which then has the log on its standard error stream."""
    ort.set_default_logger_severity(0)
    settings = ort.OrtArenaCfg(0, 1 if as_requested else 0, -1, -1)  # 1: kSameAsRequested
    memory = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    ort.create_and_register_allocator(memory, settings)
    options, run = ort.SessionOptions(), ort.RunOptions()
    options.log_severity_level, options.intra_op_num_threads = 0, 1
    options.add_session_config_entry("session.use_env_allocators", "1")
    if as_requested:
        run.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    model = loaded(path)
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    data = inputs_of(model, batch)
    for _ in range(2):
        os.write(2, b"BEGIN OF A RUN\n")
        results = session.run(None, data, run)
    print(sum(r.nbytes for r in results))


def runtime_arenas(path: str, batch: int) -> tuple[int, int, int]:
    """ONNX Runtime's pattern block, what its arena holds by default, and the results, in bytes."""
    logs = []
    for how in ("requested", "default"):
        command = [sys.executable, __file__, "--measure", how, "--batch", str(batch), path]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        logs.append(done.stderr.split("BEGIN OF A RUN"))
    block = re.search(r"num_bytes: (\d+)", logs[0][2])
    if not block:
        raise SystemExit(f"{path}: the log of ONNX Runtime says nothing of a pattern block")
    extended = [int(n) for part in logs[1][1:] for n in re.findall(r"Extended allocation by (\d+)", part)]
    return int(block[1]), sum(extended), int(done.stdout)


def row(path: str, batch: int, program: str) -> float:
    """Prints a row and returns our share of ONNX Runtime's block."""
    block, holds, results = runtime_arenas(path, batch)
    command = [program, path, "--json", *open_extents(path, batch)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    name = pathlib.Path(path).name.removesuffix(".gz").removesuffix(".onnx")
    theirs = f"| {name} | {block / 1e6:.2f} | {holds / 1e6:.2f}"
    if done.returncode:
        print(f"{theirs} | {done.stderr.strip() or done.returncode} | | | |", flush=True)
        return math.inf
    ours = json.loads(done.stdout)
    share = ours["height"] / block
    print(
        f"{theirs} | {ours['height'] / 1e6:.2f} | {100 * share:.1f} % | {'yes' if ours['height_least'] else ''} "
        f"| {results / 1e6:.2f} | {ours['seconds']:.2f} s |",
        flush=True,
    )
    return float(share)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", help="files, or names that torchvision knows")
    parser.add_argument("--program", default=str(ROOT / "build/release/examples/allocate"))
    parser.add_argument("--batch", type=int, default=8, help="of dimensions without a number")
    parser.add_argument("--measure", choices=["requested", "default"], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.networks[0], asked.batch, asked.measure == "requested")
        return 0
    print(
        "| network | pattern block, MB | it holds | our arena | of the block | height least | results | planned in |\n"
        "|---|--:|--:|--:|--:|---|--:|--:|"
    )
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.networks or [*FILES, *NETWORKS]:
            path = name if ".onnx" in name else exported(name, asked.batch, folder)
            shares.append(row(path, asked.batch, asked.program))
    print(f"\nOurs is at most {100 * max(shares):.0f} % of the pattern block.")
    return int(max(shares) > 1)


if __name__ == "__main__":
    sys.exit(main())
