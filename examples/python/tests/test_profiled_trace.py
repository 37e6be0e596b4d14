"""programs/profiled_trace.py on a data flow made by hand, and on one of PyTorch's profiler."""

import importlib.util
import json
import pathlib
import types

import pytest

PROGRAM = pathlib.Path(__file__).parent.parent / "programs/profiled_trace.py"
specification = importlib.util.spec_from_file_location("profiled_trace", PROGRAM)
program = importlib.util.module_from_spec(specification)
specification.loader.exec_module(program)


def edge(version=None, mutated=False):
    return types.SimpleNamespace(mutated=mutated, is_allocation=version is None, is_deletion=mutated is None)


def node(at, end, name, edges):
    return types.SimpleNamespace(
        start_time=at, _edges=edges, _event=types.SimpleNamespace(name=name, end_time_ns=end)
    )


Key = type("Key", (tuple,), {"device": property(lambda self: self[1])})
W, X, Y, T, H = (Key((name, "cuda:0" if name != "h" else "cpu")) for name in "wxyth")
SIZES = {W: 8, X: 100, Y: 50, T: 16, H: 4}


def check_trace(rows):
    """Rows ascend in time, and touch only what has memory."""
    present, before = set(), 0
    for row in rows[1:]:
        assert row["t"] >= before
        before = row["t"]
        if row["op"] == "malloc":
            assert row["buf"] not in present
            present.add(row["buf"])
        elif row["op"] != "mark":
            assert row["buf"] in present
        if row["op"] == "free":
            present.remove(row["buf"])
    assert rows[0]["duration"] >= before


def test_what_operations_read_write_allocate_and_free_are_rows():
    nodes = [
        node(1000, 1040, "mm", {W: edge(0), X: edge(), T: edge(mutated=None), H: edge(0)}),
        node(1040, 1060, "relu", {X: edge(0), Y: edge()}),
        node(1060, 1061, "[memory]", {X: edge(0, mutated=None)}),
        node(1070, 1090, "sgd", {W: edge(0, mutated=True), Y: edge(0, mutated=None)}),
    ]
    rows = program.trace_of(nodes, SIZES.get, "tiny")
    check_trace(rows)
    assert rows == [
        {"op": "header", "name": "tiny", "unit": "ns", "duration": 90},
        {"t": 0, "op": "malloc", "buf": 0, "bytes": 8},
        {"t": 0, "op": "mark", "name": "iteration"},
        {"t": 0, "op": "malloc", "buf": 1, "bytes": 100},
        {"t": 0, "op": "read", "buf": 0, "bytes": 8, "kernel": "mm", "run": 0, "workspace": 16},
        {"t": 0, "op": "write", "buf": 1, "bytes": 100, "kernel": "mm", "run": 0},
        {"t": 40, "op": "malloc", "buf": 2, "bytes": 50},
        {"t": 40, "op": "read", "buf": 1, "bytes": 100, "kernel": "relu", "run": 1},
        {"t": 40, "op": "write", "buf": 2, "bytes": 50, "kernel": "relu", "run": 1},
        {"t": 60, "op": "free", "buf": 1, "bytes": 100},
        {"t": 70, "op": "read", "buf": 0, "bytes": 8, "kernel": "sgd", "run": 3},
        {"t": 70, "op": "read", "buf": 2, "bytes": 50, "kernel": "sgd", "run": 3},
        {"t": 70, "op": "write", "buf": 0, "bytes": 8, "kernel": "sgd", "run": 3},
        {"t": 70, "op": "free", "buf": 2, "bytes": 50},
    ]
    assert {row["bytes"] for row in program.trace_of(nodes, SIZES.get, device="cpu") if "bytes" in row} == {4}


def test_a_profile_without_memory_is_refused():
    with pytest.raises(ValueError, match="saw no memory"):
        program.trace_of([node(0, 1, "mm", {})], SIZES.get)


def test_a_step_that_the_profiler_saw_is_a_trace(tmp_path):
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    given = torch.randn(32, 64)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True
    ) as seen:
        net(given).sum().backward()
    program.write_trace(seen, tmp_path / "step.jsonl", "step")
    rows = [json.loads(line) for line in (tmp_path / "step.jsonl").read_text().splitlines()]
    check_trace(rows)
    kernels = {row["kernel"] for row in rows if "kernel" in row}
    assert {"aten::linear", "aten::relu", "ReluBackward0"} <= kernels
    # The hidden layer is written in the forward pass and read again behind the loss.
    hidden = next(row["buf"] for row in rows if row.get("kernel") == "aten::relu" and row["op"] == "write")
    assert any(row.get("kernel") == "ReluBackward0" and row["buf"] == hidden for row in rows)
