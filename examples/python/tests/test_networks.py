"""Networks by name, graph files and ONNX models as graphs, and graphs that are built once."""

from __future__ import annotations

import copy
import gzip
import json
import pathlib
import pickle
from typing import Any

import pytest
import repebble

PROJECT = pathlib.Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(not (PROJECT / "examples/data").is_dir(), reason="the project's data are not here")


def test_a_network_by_name_has_the_sizes_that_are_asked_for() -> None:
    graph = repebble.network("resnet18", batch=2, resolution=64, classes=10)
    assert graph.name == "resnet18" and len(graph) == len(graph.operations) == 71
    first = graph.operations[0]
    assert first["op"] == "conv" and first["extra"]["shape"] == [2, 64, 32, 32]
    assert graph.values[first["writes"][0]]["size"] == 2 * 64 * 32 * 32 * 4
    half = repebble.network("resnet18", batch=2, resolution=64, classes=10, dtype="bfloat16")
    assert half.values[first["writes"][0]]["size"] == 2 * 64 * 32 * 32 * 2
    slow = repebble.network("resnet18", batch=2, resolution=64, classes=10, device="1080ti")
    assert repebble.keep_all(slow).time > repebble.keep_all(graph).time


def test_a_network_has_the_channels_and_rates_that_are_asked_for() -> None:
    def first(**given: Any) -> tuple[int, int]:
        graph = repebble.network("resnet18", batch=1, resolution=32, **given)
        return graph.extra["input_bytes"], graph.operations[0]["time"]

    flops, image = 2 * 64 * 16 * 16 * 7 * 7 * 3, 4 * 3 * 32 * 32 + 8  # and a label
    assert first(flops_per_second=1e9) == (image, flops)
    assert first(channels=1, flops_per_second=1e9) == (image - 4 * 2 * 32 * 32, flops // 3)
    assert first(bytes_per_second=1e6)[1] > 20 * flops
    assert not [name for name in repebble.network_names() if " " in name]


@pytest.mark.parametrize(("name", "sizes"), [("resnet50", {}), ("unet", {}), ("lstm", {"length": 4}), ("resnet20", {})])
def test_a_network_by_name_is_one_that_the_functions_take(name: str, sizes: dict[str, int]) -> None:
    assert name in repebble.network_names() or name == "resnet20"
    graph = repebble.network(name, batch=1, **sizes)
    training = repebble.make_training_graph(graph)
    assert isinstance(training, repebble.Graph) and training.name == name
    everything = repebble.keep_all(training)
    assert everything.peak > repebble.keep_all(graph).peak
    assert repebble.find_strategy("save_set")(training, "80%").peak <= 0.8 * everything.peak


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: repebble.network("resnet51"), repebble.BadGraph, "resnet51"),
        (lambda: repebble.network("gpt2", resolution=4), repebble.BadGraph, "resolution"),
        (lambda: repebble.network("unet", device="abacus"), repebble.BadOption, "abacus"),
        (lambda: repebble.network("unet", dtype="int4"), repebble.BadOption, "int4"),
        (lambda: repebble.network("unet", batch=-1), repebble.BadOption, "batch"),
    ],
)
def test_what_a_network_cannot_be_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_graph_file_is_the_graph_that_the_program_plans() -> None:
    joint = repebble.read_graph(PROJECT / "examples/data/resnet50_joint.json")
    assert f"{repebble.keep_all(joint).peak / 2**30:.2f}" == "7.70"  # examples/README.md
    assert len(joint) == 358 and {o["pass"] for o in joint.operations} == {"forward", "backward"}
    assert joint.extra["batch"] == 96
    forward = repebble.read_graph(PROJECT / "examples/data/unet_small.json")
    assert forward.operations[3]["op"] == "conv" and forward.operations[3]["extra"]["aten"] == "convolution"
    assert repebble.make_training_graph(forward).operations[-1]["pass"] == "backward"


@pytest.mark.parametrize("convention", ["value_grad", "op_backward", "executable"])
@pytest.mark.parametrize(("name", "sizes"), [("resnet18", {}), ("lstm", {"length": 4})])
def test_a_written_graph_is_read_again(
    name: str, sizes: dict[str, int], convention: str, tmp_path: pathlib.Path
) -> None:
    graph = repebble.network(name, batch=1, **sizes)
    file = tmp_path / "graph.json.gz"
    repebble.write_graph(file, graph, time_unit="ns")
    again = repebble.read_graph(file)
    assert gzip.decompress(file.read_bytes()).startswith(b"{") and again.name == name
    assert again.options == {"time_unit": "ns"}
    one, other = (repebble.keep_all(repebble.make_training_graph(g, convention=convention)) for g in (graph, again))
    assert (one.peak, one.time, list(one.steps)) == (other.peak, other.time, list(other.steps))


def test_options_of_a_written_graph_are_its_own_unless_others_are_given(tmp_path: pathlib.Path) -> None:
    rows = {"values": [{"size": 8}], "operations": [{"time": 3, "reads": [], "writes": [0]}]}
    options = {"time_unit": "ns", "link": "4GB/s,5us", "must_keep": [0]}
    graph = repebble.Graph(rows, name="small", options=options)
    repebble.write_graph(tmp_path / "own.json", graph)
    repebble.write_graph(tmp_path / "other.json", graph, link="1GB/s", name="other", time_unit="us")
    own, other = (repebble.read_graph(tmp_path / f"{name}.json") for name in ("own", "other"))
    assert (own.name, own.options) == ("small", options)
    assert (other.name, other.options) == ("other", {**options, "link": "1GB/s"})
    assert [read.operations[0]["time"] for read in (own, other)] == [3, 3000]


def file_of(**changes: Any) -> dict[str, Any]:
    """Two inputs, one let go; what writes over the other; a view of two outputs; a result."""
    return {
        "name": "small",
        "time_unit": "us",
        "link": "4GB/s,5us",
        "nodes": [
            {"id": 0, "memory": 8, "input": True},
            {"id": 1, "memory": 16, "input": True, "donated": True},
            {"id": 2, "time": 1.5, "memory": 4, "reads": [[0, 0], [1, 0], "x"], "must_keep": [0]},
            {"id": 3, "time": 1, "memory": 12, "outputs_memory": [4, 8], "reads": [[2, 0]], "has_gradient": [0]},
            {"id": 4, "time": 0, "memory": 0, "alias_of": 3, "reads": [[3, 1]]},
            {"id": 5, "time": 2, "memory": 4, "reads": [[2, 0], [4, 0]], "mutates": [[0, 2, 0]], "workspace": 3},
            {"id": 6, "time": 3, "memory": 2, "reads": [[5, 0]], "result": [0], "own": {"any": 1}},
        ],
        "edges": [[3, 6]],
        "edge_outputs": [[3, 6]],
        **changes,
    }


def written(folder: pathlib.Path, content: Any) -> pathlib.Path:
    path = folder / "file.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_graph_file_has_all_that_it_says(tmp_path: pathlib.Path) -> None:
    graph = repebble.read_graph(written(tmp_path, file_of()))
    assert graph.options == {"time_unit": "ns", "link": "4GB/s,5us", "must_keep": [2]}
    assert graph.to_mapping()["operations"] == [
        {"node": 2, "time": 1500, "reads": [0, 1, 8], "writes": [2], "gradient_reads": [0, 1, 2]},
        {"node": 3, "time": 1000, "reads": [2], "writes": [3, 4], "gradient_reads": [2, 4]},
        {"node": 4, "time": 0, "reads": [4], "writes": [5], "gradient_reads": [4, 5]},
        {"node": 5, "time": 2000, "reads": [2, 5], "writes": [6], "mutates": [2], "workspace": 3,
         "gradient_reads": [2, 5, 6]},
        {"node": 6, "time": 3000, "reads": [6], "writes": [7], "after": [1], "extra": {"own": {"any": 1}},
         "gradient_reads": [6, 7]},
    ]
    values = graph.to_mapping()["values"]
    assert [v["size"] for v in values] == [8, 16, 4, 4, 8, 0, 4, 2, 0]
    assert values[1]["donated"] and values[7]["result"] and values[4]["has_gradient"] is False
    assert values[5]["view_of"] == [4] and values[6]["view_of"] == [2] and values[8]["name"] == "x"
    kept = repebble.keep_all(graph, inputs=True)
    assert kept.peak == 28  # both inputs, and what node 2 writes; then the donated input is gone
    assert ("discard", None, 1) in list(kept.steps) and ("discard", None, 0) not in list(kept.steps)
    assert repebble.replay(graph, kept, inputs=True).peak == 28
    assert repebble.plan(graph, "100%", **graph.options).overhead == 0


def test_what_a_graph_has_no_words_for_is_refused(tmp_path: pathlib.Path) -> None:
    late = file_of()
    late["nodes"][6]["reads"].append([2, 0])
    with pytest.raises(repebble.Error, match="node 6|vertex 6|operation 6"):
        repebble.read_graph(written(tmp_path, late))


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"{", repebble.BadFile, "file: .*byte"),
        (b"\xff\xfe", repebble.BadFile, "file: "),
        (b'{"nodes": [{"id": 0, "time": 1, "memory": -1}]}', repebble.BadWeight, "file: .*node 0"),
        (b'{"nodes": [{"id": 0, "time": 0.5, "memory": 1}]}', repebble.BadFile, "file: .*node 0"),
        (gzip.compress(b"{}")[:-3], repebble.BadFile, "file: damaged gzip"),
        (gzip.compress(b" " * 5_000_000), repebble.LimitReached, "file: gzip data of more"),
    ],
)
def test_bad_files_are_named(
    content: bytes, error: type[Exception], words: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repebble._networks._MOST_UNPACKED", 1 << 20)
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(error, match=words):
        repebble.read_graph(tmp_path / "file")


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: pathlib.Path) -> None:
    for read in (repebble.read_graph, repebble.read_onnx):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "none")


def test_an_onnx_model_is_a_graph(tmp_path: pathlib.Path) -> None:
    packed = PROJECT / "tests/data/onnx/googlenet.onnx.gz"
    graph = repebble.read_onnx(packed)
    plain = tmp_path / "googlenet.onnx"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    from_file, from_bytes = repebble.read_onnx(plain), repebble.read_onnx(plain.read_bytes())
    assert from_file.operations == from_bytes.operations == graph.operations
    assert len(repebble.read_onnx(plain, training=False)) < len(graph)
    assert repebble.keep_all(repebble.make_training_graph(graph)).peak > repebble.keep_all(graph).peak
    with pytest.raises(repebble.BadGraph, match="no_such"):
        repebble.read_onnx(plain, dimensions={"no_such": 4})
    with pytest.raises(repebble.BadFile, match="model: "):
        repebble.read_onnx(b"no model")
    with pytest.raises(repebble.BadOption, match="ModelProto"):
        repebble.read_onnx(7)


def field(number: int, content: int | bytes) -> bytes:
    """A field of protocol buffers."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    return bytes([number << 3 | 2, len(content)]) + content


def one_operation() -> bytes:
    """An ONNX model of a Relu, of shape n, t, 4."""
    shape = b"".join(field(1, extent) for extent in (field(2, b"n"), field(2, b"t"), field(1, 4)))
    values = [field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))) for name in (b"x", b"y")]
    node = field(1, b"x") + field(2, b"y") + field(3, b"r") + field(4, b"Relu")
    graph = field(1, node) + field(2, b"g") + field(11, values[0]) + field(12, values[1])
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"batch": 2, "dimensions": {"t": 3}}, 2 * 3 * 16),
        ({"batch": 2, "dimensions": {"x[1]": 5}}, 2 * 5 * 16),
        ({"dimensions": {"n": 7, "t": 3}}, 7 * 3 * 16),
    ],
)
def test_extents_that_a_model_leaves_open_are_those_asked_for(options: dict[str, Any], size: int) -> None:
    graph = repebble.read_onnx(one_operation(), **options, bytes_per_second=1e6)
    assert graph.values[graph.operations[0]["writes"][0]]["size"] == size
    assert graph.operations[0]["time"] == 2 * size * 1000  # it is read and written


def test_files_are_packed_by_their_name_and_may_leave_the_unit_to_the_reader(tmp_path: pathlib.Path) -> None:
    graph = {"values": [{"size": 4}], "operations": [{"time": 3, "reads": [], "writes": [0]}]}
    for name in ("plain.json", "packed.json.gz", "again.json.gz"):
        repebble.write_graph(tmp_path / name, graph)
    plain, packed, again = ((tmp_path / n).read_bytes() for n in ("plain.json", "packed.json.gz", "again.json.gz"))
    assert gzip.decompress(packed) == plain and packed == again and packed[4:8] == bytes(4)  # no time of day
    read = [repebble.read_graph(tmp_path / "plain.json", time_unit=unit) for unit in (None, "us", "s")]
    assert [(r.operations[0]["time"], r.options) for r in read] == [
        (3, {}), (3000, {"time_unit": "ns"}), (3 * 10**9, {"time_unit": "ns"})]  # fmt: skip


def small() -> dict[str, Any]:
    return {
        "values": [{"size": 8, "colour": "red"}, {"size": 4}, {"size": 2, "view_of": 1}],
        "operations": [
            {"time": 1, "reads": [], "writes": [0]},
            {"time": 2.5, "reads": 0, "writes": 1, "name": "half"},
            {"time": 0, "reads": [1], "writes": [2]},
        ],
    }


def test_a_graph_is_taken_like_its_mapping() -> None:
    mapping = small()
    graph = repebble.Graph(mapping, name="small")
    before = repebble.plan(graph, "100%")
    mapping["operations"].clear()
    assert len(graph) == 3 and "3 operations" in repr(graph) and graph.values[0]["colour"] == "red"
    assert graph.to_mapping()["operations"][1] == {"time": 2.5, "reads": [0], "writes": [1], "name": "half"}
    for taken in (graph, small(), graph.to_mapping(), json.dumps(small())):
        assert repebble.plan(taken, "100%") == before
        assert repebble.keep_all(taken, inputs=True).peak == 12
        assert repebble.find_treewidth(taken).upper == 1
        assert repebble.graph_file(taken, time_unit="us") == repebble.graph_file(graph, time_unit="us")
        training = repebble.Graph(repebble.make_training_graph(taken)).to_mapping()
        assert repebble.make_training_graph(repebble.Graph(taken)).to_mapping() == training
    columns = {"values": {"size": [8, 4]}, "operations": {"time": [1, 2], "reads": [[], [0]], "writes": [[0], [1]]}}
    assert repebble.Graph(columns).operations[1] == {"time": 2, "reads": (0,), "writes": (1,)}


def test_a_graph_that_was_planned_is_planned_with_other_options_like_its_mapping() -> None:
    training = repebble.make_training_graph(small() | {"values": [{"size": 8}, {"size": 4}, {"size": 2, "view_of": 1}]})
    graph = repebble.Graph(training)
    options: list[dict[str, Any]] = [{}, {"alignment": 256}, {"inputs": True}, {"link": "1GB/s", "time_unit": "s"},
                                     {"link": "1GB/s", "time_unit": "ns"}, {"alignment": 16}, {}]  # fmt: skip
    found = [(repebble.plan(graph, "100%", **given), repebble.plan(training, "100%", **given)) for given in options]
    assert all(held == fresh for held, fresh in found)
    assert [held.peak % 256 for held, _ in found[:2]] == [found[0][0].peak, 0]


def test_a_graph_is_copied_and_pickled_but_not_changed() -> None:
    graph = repebble.Graph(small(), name="small", options={"must_keep": [1]}, extra={"batch": 3})
    assert pickle.loads(pickle.dumps(graph)) == graph == copy.deepcopy(graph) == repebble.Graph(
        graph, name="small", options=graph.options, extra=graph.extra)  # fmt: skip
    assert graph != repebble.Graph(small())
    given: dict[str, Any] = {"options": {"must_keep": [1]}, "extra": {"batch": 3}}
    held = repebble.Graph(small(), **given)
    for mapping in given.values():
        mapping.clear()
    assert (held.options, held.extra) == (graph.options, graph.extra)
    with pytest.raises(TypeError):
        graph.operations[0]["time"] = 7  # type: ignore[index]
    with pytest.raises(AttributeError):
        graph.colour = "red"  # type: ignore[attr-defined]
    with pytest.raises(repebble.NotADag):
        repebble.Graph({"values": [{"size": 1}], "operations": [{"time": 1, "reads": [0], "writes": [0]}]})
