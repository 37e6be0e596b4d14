"""Schedule files: written and read again, and refused where they are not those of the graph."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
import repebble
from test_strategies import training_step


def forward() -> dict[str, Any]:
    """A value with two readers, so that its gradients are added up."""
    return {
        "values": [{"size": 8}, {"size": 8}, {"size": 8}, {"size": 8, "view_of": 2}, {"size": 4}],
        "operations": [
            {"time": 2, "reads": [], "writes": [0]},
            {"time": 3, "reads": [0], "writes": [1]},
            {"time": 4, "reads": [0, 1], "writes": [2]},
            {"time": 0, "reads": [2], "writes": [3]},
            {"time": 1, "reads": [0, 3], "writes": [4]},
        ],
    }


@pytest.mark.parametrize("convention", ["value_grad", "op_backward", "executable", None])
def test_a_written_schedule_is_read_again(convention: str | None, tmp_path: pathlib.Path) -> None:
    graph = repebble.Graph(forward(), name="small") if convention else repebble.Graph(training_step(), name="joint")
    if convention:
        graph = repebble.make_training_graph(graph, convention=convention)
    plan = repebble.find_least_budget(graph).plan
    assert plan is not None and (convention == "value_grad" or convention is None or plan.steps)
    file = tmp_path / "small.schedule.json.gz"
    repebble.write_schedule(file, graph, plan)
    assert repebble.read_schedule(file, graph) == list(plan.steps)
    content = repebble.schedule_file(graph, plan)
    assert content["graph"] == graph.name and content["convention"] == (convention or "")
    passes = {row[2] for row in content["steps"]}
    assert passes == {"forward", "backward"} | ({"accumulate"} if convention == "executable" else set())


def test_copies_have_their_pool(tmp_path: pathlib.Path) -> None:
    graph = training_step()
    steps = [("compute", 0), ("offload", None, 0), ("discard", None, 0), ("prefetch", None, 0), ("discard_host", None, 0)]
    rows = repebble.schedule_file(graph, steps)["steps"]
    assert rows[1:] == [["offload", 0, "forward", 0, 0], ["discard", 0, "forward", 0, 0], ["prefetch", 0, "forward", 0, 0],
                        ["discard", 0, "forward", 0, 0, {"from": "host"}]]  # fmt: skip
    repebble.write_schedule(tmp_path / "file", graph, steps)
    assert [s.action for s in repebble.read_schedule(tmp_path / "file", graph)] == [s[0] for s in steps]


def test_a_schedule_file_says_name_and_strategy_and_may_be_of_version_2(tmp_path: pathlib.Path) -> None:
    graph = repebble.Graph(training_step(), name="own")
    plan = repebble.keep_all(graph)
    content = repebble.schedule_file(graph, plan)
    assert (content["graph"], content["strategy"]) == ("own", "keep_all")
    content = repebble.schedule_file(graph, plan, name="other", strategy="mine")
    assert (content["graph"], content["strategy"]) == ("other", "mine")
    assert repebble.schedule_file(graph, [("compute", 0)])["strategy"] == ""
    (tmp_path / "file").write_text(json.dumps({**content, "version": 2}), encoding="utf-8")
    assert repebble.read_schedule(tmp_path / "file", graph) == list(plan.steps)


def test_a_value_that_was_written_over_is_that_of_its_last_writer(tmp_path: pathlib.Path) -> None:
    graph: dict[str, Any] = {
        "values": [{"size": 8}, {"size": 0, "view_of": 0}],
        "operations": [{"time": 1, "reads": [], "writes": [0]},
                       {"time": 1, "reads": [0], "writes": [1], "mutates": [0]}],
    }  # fmt: skip
    steps = [("compute", 0), ("compute", 1), ("discard", None, 0)]
    assert repebble.schedule_file(graph, steps)["steps"][-1] == ["discard", 1, "forward", 0, 0]
    repebble.write_schedule(tmp_path / "file", graph, steps)
    assert repebble.read_schedule(tmp_path / "file", graph)[-1] == ("discard", None, 0)
    graph["operations"][1]["node"] = 1
    with pytest.raises(repebble.BadGraph, match="nodes that are inputs"):
        repebble.schedule_file(graph, steps)


def test_a_step_may_say_that_it_is_of_the_device(tmp_path: pathlib.Path) -> None:
    content = repebble.schedule_file(training_step(), [("compute", 0), ("discard", None, 0)])
    content["steps"][1].append({"from": "device"})
    (tmp_path / "file").write_text(json.dumps(content), encoding="utf-8")
    assert repebble.read_schedule(tmp_path / "file", training_step())[1] == ("discard", None, 0)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["compute", 99, "forward", 0], "step 1: no step of this graph"),
        (["compute", 1, "backward", 0], "no step"),
        (["compute", 1, "forward", 1], "run is not number 0"),
        (["discard", 0, "forward", 0, 1], "another run"),
        (["discard", 0, "forward", -1, 0], "no step"),
        (["forget", 0, "forward", 0, 0], "no step"),
        (["compute", 1, "forward", 0, {"in_place": 0, "over": [0, "forward", 0, 0]}], "in place"),
        (["compute", 1, "forward", 0, {"over": 1}], "no step"),
        (["compute", 1, "forward", 0, {"from": "host"}], "no step"),
        (["discard", 0, "forward", 0, 0, {"from": "disk"}], "no step"),
        ([], "no step"),
        (7, "no step"),
    ],
)
def test_wrong_steps_are_named(row: Any, words: str, tmp_path: pathlib.Path) -> None:
    content = repebble.schedule_file(training_step(), [("compute", 0)])
    content["steps"].append(row)
    (tmp_path / "file").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(repebble.BadFile, match=f"file: step 1: .*{words}|{words}"):
        repebble.read_schedule(tmp_path / "file", training_step())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "repebble-schedule", "version": 3}',
                                  '{"format": "repebble-schedule", "version": 1, "steps": 7}'])  # fmt: skip
def test_other_files_are_refused(text: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    with pytest.raises(repebble.BadFile, match="file: "):
        repebble.read_schedule(tmp_path / "file", training_step())
    with pytest.raises(repebble.IllegalSchedule, match="step 0: value 3"):
        repebble.schedule_file(training_step(), [("discard", None, 3)])
    with pytest.raises(repebble.IllegalSchedule, match="step 0: there is no operation 24"):
        repebble.schedule_file(training_step(), [("compute", 24)])
