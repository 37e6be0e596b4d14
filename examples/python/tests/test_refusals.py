"""What cannot be is refused in one line of the package's own, which names the place."""

from __future__ import annotations

import json
import unittest.mock
from typing import Any, Callable

import pytest

import repebble

VALUES = [{"size": 4}, {"size": 4}]
OPERATIONS = [{"time": 1, "reads": [], "writes": [0]}, {"time": 1, "reads": [0], "writes": [1]}]
GRAPH = {"values": VALUES, "operations": OPERATIONS}
STAGE = {"forward_time": 1, "backward_time": 1, "output": 1}
DIGITS = "9" * 5000


def planned(values: Any = VALUES, operations: Any = OPERATIONS) -> Any:
    return repebble.plan({"values": values, "operations": operations}, 100)


def with_option(**option: Any) -> Any:
    return repebble.plan(GRAPH, 100, **option)


class Silent:
    def __repr__(self) -> str:
        raise RuntimeError("two\nlines")


REFUSED: list[tuple[Callable[[], Any], str]] = [
    # A mapping of columns without one that is known, or that is needed.
    (lambda: planned({"size": [4, 4]}, {"cost": [1, 1], "kind": ["a", "b"]}), "operations has none of the columns time,.*'cost'"),
    (lambda: planned({"bytes": [4, 4]}, []), "values has none of the columns size"),
    (lambda: planned({}, {}), "values has none of the columns"),
    (lambda: planned({"name": []}, []), "values has no column 'size', only 'name'"),
    (lambda: repebble.solve_chain({"a": [1]}), "stages has none of the columns forward_time"),
    (lambda: repebble.solve_chain([{**STAGE, "tapes": {"b": 1}}]), r"stages\[0\]: tapes has none of the columns"),
    # What is no column, list or row.
    (lambda: planned({"size": "44"}, []), "values: size is no column: '44'"),
    (lambda: repebble.assign_offsets({"lifetime": [(0, 1)], "size": [4], "pinned": {5: 0}}), "pinned is no column: {5: 0}"),
    (lambda: repebble.assign_offsets([({0: 1, 3: 4}, 4)]), "lifetime of buffer 0 is no pair of steps"),
    (lambda: repebble.assign_offsets([((0, 1), 4, 1, None, "x", 6)]), "buffer 0 is no "),
    (lambda: repebble.plan(GRAPH, b"60%"), "budget is neither a budget nor a list of budgets: b'60%'"),
    (lambda: repebble.plan(GRAPH, {100: 1}), "budget is neither"),
    # A field twice, and other text that is no JSON of a graph.
    (lambda: repebble.plan('{"values": [], "operations": [], "values": [{"size": 1}]}', 9), "'values' twice"),
    (lambda: repebble.make_training_graph('{"values": [{"size": 1, "size": 2}], "operations": []}'), "'size' twice"),
    (lambda: repebble.plan("[" * 100_000, 9), "nested too deeply"),
    (lambda: repebble.plan('{"a":' * 100_000, 9), "nested too deeply"),
    (lambda: repebble.plan(b'{"values": "\xff"}', 9), "no UTF-8 from byte 12 on"),
    (lambda: repebble.plan('{"values": [{"size": NaN}], "operations": []}', 9), "NaN is no number"),
    (lambda: repebble.plan(f'{{"values": [{{"size": {DIGITS}}}], "operations": []}}', 9), "thousands of digits|64 bits"),
    # Numbers.
    (lambda: repebble.plan(GRAPH, DIGITS), "a text of 5000 letters"),
    (lambda: repebble.plan(GRAPH, DIGITS + "%"), "a text of 5001 letters"),
    (lambda: repebble.plan(GRAPH, 10**5000), "64 bits: a huge int"),
    (lambda: planned([{"size": 10**5000}], []), r"values\[0\]: size does not fit in 64 bits"),
    (lambda: planned([{"size": True}], []), r"values\[0\]: size is no whole number: True"),
    (lambda: planned(operations=[{**OPERATIONS[0], "time": "1"}]), r"operations\[0\]: time is no number: '1'"),
    (lambda: planned([{"size": 4, "result": "false"}]), r"values\[0\]: result is neither True nor False: 'false'"),
    (lambda: planned([{"size": 4, "result": 2}]), r"values\[0\]: result is neither True nor False: 2"),
    (lambda: planned([{"size": Silent()}]), r"values\[0\]: size is no whole number: a huge Silent"),
    (lambda: repebble.plan(GRAPH, True), "no whole number: True"),
    (lambda: repebble.solve_chain([STAGE], input="1"), "input is no whole number: '1'"),  # type: ignore[arg-type]
    (lambda: repebble.solve_chain([{**STAGE, "gradient": 2**63}]), r"stages\[0\]: gradient does not fit"),
    # Options.
    (lambda: with_option(seconds="1"), "seconds is no number: '1'"),
    (lambda: with_option(seconds=float("nan")), "seconds is negative or not a number"),
    (lambda: with_option(seconds=-(10**400)), "seconds is negative or not a number: -1"),
    (lambda: with_option(gap="1"), "gap is no number: '1'"),
    (lambda: with_option(arena="yes"), "arena is neither True nor False: 'yes'"),
    (lambda: with_option(inputs="no"), "inputs is neither"),
    (lambda: with_option(progress=5), "progress is no function: 5"),
    (lambda: with_option(effort={"children": "8"}), "effort children is no number: '8'"),
    (lambda: with_option(link="pcie4", time_unit=[]), r"time_unit is none of .*: \[\]"),
    (lambda: repebble.graph_file(GRAPH, time_unit="h"), "time_unit is none of"),
    (lambda: repebble.graph_file({"values": [{"size": -4}], "operations": []}), "negative"),
    (lambda: repebble.solve_chain([STAGE], epsilon="1"), "epsilon is no number: '1'"),  # type: ignore[arg-type]
    (lambda: repebble.find_strategy("save_set")(GRAPH, 9, nearest="no"), "nearest is neither"),  # type: ignore[arg-type]
    # Half a surrogate pair, wherever there is text.
    (lambda: planned([{"size": 4, "name": "a\ud800"}]), r"values\[0\]: name is no text of Unicode: 'a\\ud800'"),
    (lambda: planned(operations=[{**OPERATIONS[0], "name": "\udc00"}]), r"operations\[0\]: name is no text of Unicode"),
    (lambda: with_option(link="\ud800", time_unit="s"), "the link is no text of Unicode"),
    (lambda: with_option(effort={"\ud800": 1}), "a constant of effort is no text"),
    (lambda: repebble.find_strategy("\ud800"), "the name of a strategy is no text"),
    (lambda: repebble.make_training_graph(GRAPH, convention="\ud800"), "convention is no text"),
    (lambda: repebble.graph_file({"values": [{"size": 4, "name": "\ud800"}], "operations": []}), "name is no text"),
    # Steps.
    (lambda: repebble.replay(GRAPH, [5]), r"step 0 is no \(action, operation, value\): 5"),
    (lambda: repebble.replay(GRAPH, [()]), r"step 0 is no \(action, operation, value\): \(\)"),
    (lambda: repebble.replay(GRAPH, ["compute"]), "step 0 is no .*: 'compute'"),
    (lambda: repebble.replay(GRAPH, [("compute", 0, None, 1)]), "step 0 is no "),
    (lambda: repebble.replay(GRAPH, [("compute", 0, 1)]), "step 0: compute has an operation or a value, not both"),
    (lambda: repebble.replay(GRAPH, [{"action": "compute", "op": 0}]), "step 0 is no "),
    (lambda: repebble.replay(GRAPH, None), "steps is no list: None"),  # type: ignore[arg-type]
    (lambda: repebble.replay(GRAPH, {"compute": 0}), "steps is no list"),
    # Columns, and fields that look misspelt.
    (lambda: planned({"size": [4, 4], "name": ["a"]}), "columns of values differ in length: {'size': 2, 'name': 1}"),
    (lambda: planned(operations=[*OPERATIONS, {**OPERATIONS[0], "wrtes": []}]), r"\[2\] .*'wrtes': is 'writes'"),
    (lambda: planned([{"size": "x" * 200}]), r"values\[0\]: size is no whole number: 'x{99}\.\.\.$"),
    # Treewidth.
    (lambda: repebble.find_treewidth([(0, 1)], 10**8), "the graph has 100000000 vertices, more than 1048576"),
    (lambda: repebble.find_treewidth([(0, 4 * 10**9)]), "the graph has 4000000001 vertices"),
    (lambda: repebble.find_treewidth(None), "the graph is neither a list of edges nor a mapping: None"),
    # Mock objects have whatever they are asked for.
    (lambda: repebble.plan(unittest.mock.MagicMock(), 9), "the graph has no 'values'"),
    (lambda: planned(unittest.mock.MagicMock()), "values is neither a list of rows nor"),
    (lambda: planned([unittest.mock.MagicMock()]), r"values\[0\] is no row"),
    (lambda: repebble.assign_offsets(unittest.mock.MagicMock()), "buffers is neither"),
    (lambda: repebble.solve_chain(unittest.mock.MagicMock()), "stages is neither"),
    (lambda: repebble.find_treewidth(unittest.mock.MagicMock()), "the graph "),
    (lambda: repebble.replay(GRAPH, unittest.mock.MagicMock()), "steps is no list"),
    (lambda: with_option(must_keep=unittest.mock.MagicMock()), "must_keep is no list of numbers"),
    (lambda: repebble.graph_file(unittest.mock.MagicMock()), "the graph has no 'values'"),
    (lambda: repebble.make_training_graph(unittest.mock.MagicMock()), "the graph has no 'values'"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_cannot_be_is_refused_in_one_line(number: int) -> None:
    call, words = REFUSED[number]
    with pytest.raises(repebble.Error, match=words) as refused:
        call()
    assert len(str(refused.value).splitlines()) == 1


def test_truth_values_of_numpy_are_flags() -> None:
    numpy = pytest.importorskip("numpy")
    values = [{"size": 4, "result": numpy.bool_(result)} for result in (True, False)]
    steps = repebble.keep_all({"values": values, "operations": OPERATIONS}).steps
    assert [step.value for step in steps if step.value is not None] == [1]  # the result stays


def test_whole_floats_are_integers_and_texts_are_graphs() -> None:
    assert repebble.plan(GRAPH, 100, work=1000.0, seed=2.0).peak == 8  # type: ignore[arg-type]
    assert repebble.plan(GRAPH, 100, gap=10**400).peak == 8  # above all that a float can be
    text = json.dumps(GRAPH)
    assert repebble.plan(bytearray(text.encode()), 100).peak == 8
    assert repebble.find_treewidth(text).upper == 1
    assert repebble.graph_file(text) == repebble.graph_file(GRAPH)
    assert repebble.plan({"values": [], "operations": []}, 100).time_least  # an empty graph that says so
