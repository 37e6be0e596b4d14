"""Graphs as graph files: what they say and cannot say. tests/checks/graph_schema.py has the program read them."""

from __future__ import annotations

import json
from typing import Any

import pytest
import repebble


def small() -> dict[str, Any]:
    return {
        "values": [
            {"size": 8, "name": "weight"},
            {"size": 4},
            {"size": 6},
            {"size": 99, "view_of": 1},
            {"size": 2, "result": True},
            {"size": 5},
        ],
        "operations": [
            {"name": "split", "time": 1, "reads": [0], "writes": [1, 2], "workspace": 7, "recomputable": False},
            {"name": "view", "time": 0, "reads": [1], "writes": [3]},
            {"name": "join", "time": 3, "reads": [3, 2, 3], "writes": [4], "after": [0]},
            {"name": "late", "time": 2, "reads": [5], "writes": [], "after": [2], "pass": "backward"},
        ],
    }


def test_a_graph_file_has_all_that_the_graph_says() -> None:
    file = repebble.graph_file(small(), name="small", time_unit="us")
    assert json.loads(json.dumps(file)) == file
    assert file == {
        "name": "small",
        "time_unit": "us",
        "nodes": [
            {"id": 0, "name": "split", "time": 1, "memory": 10, "reads": ["weight"], "outputs_memory": [4, 6]}
            | {"workspace": 7, "recomputable": False},
            {"id": 1, "name": "view", "time": 0, "memory": 0, "reads": [[0, 0]], "views": [[0, 0, 0]]},
            {"id": 2, "name": "join", "time": 3, "memory": 2, "reads": [[1, 0], [0, 1], [1, 0]], "result": [0]},
            {"id": 3, "name": "late", "time": 2, "memory": 0, "reads": ["value 5"], "phase": "backward"},
        ],
        "edges": [[2, 3]],
        "edge_outputs": [[2, 3]],
    }


def test_a_graph_file_has_what_an_operation_says_of_itself_and_its_gradient() -> None:
    graph = {
        "values": [{"size": 4}, {"size": 4}, {"size": 4, "has_gradient": False}],
        "operations": [{"time": 1, "reads": [], "writes": [0], "op": "conv", "extra": {"stride": 2}, "colour": "red"},
                       {"time": 1, "reads": [0], "writes": [1, 2], "gradient_reads": [2], "after": [0]}],
    }  # fmt: skip
    file = repebble.graph_file(graph)
    assert file["nodes"] == [
        {"stride": 2, "id": 0, "name": "", "time": 1, "memory": 4, "op": "conv", "reads": []},
        {"id": 1, "name": "", "time": 1, "memory": 8, "reads": [[0, 0]], "outputs_memory": [4, 4]}
        | {"bwd_needs_inputs": [], "bwd_needs_output": [1], "has_gradient": [0]},
    ]
    assert "name" not in file and file["edges"] == []  # what is read is no order of its own


def test_a_graph_file_has_alternatives_also_in_a_circle() -> None:
    """A value, a copy of it in fewer bytes, and the value again of the copy, which stands first in the list."""
    graph: dict[str, Any] = {
        "values": [{"size": 100}, {"size": 25}, {"size": 8, "result": True}],
        "operations": [
            {"name": "widen", "time": 1, "reads": [1], "writes": [0]},
            {"name": "make", "time": 10, "reads": [], "writes": [0]},
            {"name": "round", "time": 1, "reads": [0], "writes": [1]},
            {"name": "use", "time": 5, "reads": [0], "writes": [2]},
        ],
    }
    file = repebble.graph_file(graph)
    assert [n.get("alternative_to") for n in file["nodes"]] == [[[0, 1, 0]], None, None, None]
    assert [n["memory"] for n in file["nodes"]] == [0, 100, 25, 8]
    assert [n["reads"] for n in file["nodes"]] == [[[2, 0]], [], [[1, 0]], [[1, 0]]]
    again = repebble.plan(graph, 1000)
    assert (again.time, again.overhead, again.time_least) == (15, 0, True)
    graph["values"].append({"size": 0, "view_of": 0})
    graph["operations"] += [{"time": 0, "reads": [0], "writes": [3]}, {"time": 0, "reads": [0], "writes": [3]}]
    with pytest.raises(repebble.BadGraph, match=r"operations\[5\] writes value 3, a view that operations\[4\] writes, too"):
        repebble.graph_file(graph)


def test_a_graph_file_has_link_and_policies() -> None:
    more: dict[str, Any] = {"link": {"bandwidth": "4GB/s", "latency": "5us"}, "host_budget": "1KiB"}
    file = repebble.graph_file(small(), time_unit="us", must_keep=[0, 4], must_recompute={2}, **more)
    assert file["link"] == "4GB/s,5us" and file["host_budget"] == 1024
    assert [n.get("must_keep") for n in file["nodes"]] == [None, None, [0], None]
    assert [n.get("must_recompute") for n in file["nodes"]] == [[1], None, None, None]
    with pytest.raises(repebble.BadOption, match="time_unit"):
        repebble.graph_file(small(), link="pcie4")
    with pytest.raises(repebble.BadGraph, match="must_keep names value 6"):
        repebble.graph_file(small(), must_keep=[6])
    with pytest.raises(repebble.BadGraph, match="value 0 must be recomputed, and is an input"):
        repebble.graph_file(small(), must_recompute=[0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"time": 0.5}, "time_unit"),
        ({"time": -1}, "negative"),
        ({"writes": [9]}, "writes value 9"),
        ({"reads": [-1]}, "reads value -1"),
        ({"mutates": [1]}, "mutates value 1"),
        ({"read": [1]}, "misspelt|meant"),
        ({"extra": 5}, r"operations\[2\]: extra is no mapping: 5"),
        ({"gradient_reads": [6]}, r"operations\[2\]: gradient_reads names value 6, but there are 6"),
        ({"pass": "forwards"}, r"operations\[2\]: pass is neither 'forward' nor 'backward': 'forwards'"),
    ],
)
def test_what_a_graph_file_cannot_say_is_refused(change: dict[str, Any], words: str) -> None:
    graph = small()
    graph["operations"][2].update(change)
    with pytest.raises(repebble.Error, match=words):
        repebble.graph_file(graph)
