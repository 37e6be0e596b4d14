"""Training graphs of forward graphs."""

import json

import pytest
import repebble


def network(readers, size=1, time=1):
    """A graph of operations with one value each, by what reads it."""
    reads = [[u for u, read_by in enumerate(readers) if v in read_by] for v in range(len(readers))]
    return {"values": [{"size": size} for _ in readers],
            "operations": [{"time": time, "reads": r, "writes": [v], "name": f"f{v}"}
                           for v, r in enumerate(reads)]}  # fmt: skip


NET = network([[1, 3], [2], [3], [4], [5], [6], []])


def test_a_training_step_is_planned_as_in_cpp():
    graph = repebble.make_training_graph(NET)
    plan = repebble.plan(graph, 7)
    assert (plan.peak, plan.overhead, plan.keep_all_peak, plan.time_least) == (7, 2, 9, True)
    assert repebble.find_strategy("save_set")(graph, 7).peak <= 7


def test_gradients_follow_and_name_their_operation():
    graph = repebble.make_training_graph(NET)
    forward, backward = graph["operations"][:7], graph["operations"][7:]
    assert forward == [{**o, "pass": "forward"} for o in NET["operations"]] and len(graph["values"]) == 14
    assert [o["gradient_of"] for o in backward] == [6, 5, 4, 3, 2, 1, 0]
    assert all(o["pass"] == "backward" and o["time"] == 2 for o in backward)
    assert backward[0] == {"time": 2, "reads": [6], "writes": [7], "pass": "backward", "name": "gradient of f6",
                           "gradient_of": 6}  # fmt: skip
    assert backward[1]["reads"] == [5, 6, 7]


@pytest.mark.parametrize("convention", ["value_grad", "op_backward", "executable"])
def test_every_convention_has_a_legal_plan(convention):
    graph = repebble.make_training_graph(NET, convention=convention)
    everything = repebble.keep_all(graph)
    assert everything.time == 7 + 2 * 7
    for strategy in repebble.strategies():
        assert repebble.replay(graph, strategy(graph, "100%").steps).time >= everything.time


def test_a_gradient_reads_what_its_operation_says():
    net = network([[1], [2], []])
    for operation in net["operations"]:
        operation["gradient_reads"] = operation["reads"]
    backward = repebble.make_training_graph(net, convention="op_backward")["operations"][3:]
    assert [o["reads"] for o in backward] == [[1], [0, 3], [4]]
    net["operations"][2]["gradient_reads"] = [0]
    with pytest.raises(repebble.BadGraph, match=r"operation 2 \('f2'\) reads value 0, which"):
        repebble.make_training_graph(net)


def test_views_and_inputs_have_no_gradient_and_text_will_do():
    graph = {"values": [{"size": 4}, {"size": 8}, {"size": 0, "view_of": 1}, {"size": 8}],
             "operations": [{"time": 0.5, "reads": [0], "writes": [1]}, {"time": 0, "reads": [1], "writes": [2]},
                            {"time": 0.25, "reads": [2, 0], "writes": [3]}]}  # fmt: skip
    made = repebble.make_training_graph(json.dumps(graph))
    assert [o["gradient_of"] for o in made["operations"][3:]] == [2, 0]
    assert [o["time"] for o in made["operations"][3:]] == [0.5, 1.0]
    assert repebble.keep_all(made).time == 2.25


def test_a_value_without_a_gradient_has_none_and_sums_say_whose_they_are():
    graph = {"values": [{"size": 4}, {"size": 4}, {"size": 4, "has_gradient": False}, {"size": 4}],
             "operations": [{"time": 1, "reads": [], "writes": [0], "name": "a"},
                            {"time": 1, "reads": [0], "writes": [1], "name": "b"},
                            {"time": 1, "reads": [0], "writes": [2], "name": "mask"},
                            {"time": 1, "reads": [0, 1, 2], "writes": [3], "name": "c"}]}  # fmt: skip
    made = repebble.make_training_graph(graph, convention="executable")["operations"][4:]
    assert [o["name"] for o in made] == ["gradient of c", "gradient of b", "sum for a", "gradient of a"]
    assert [o["time"] for o in made] == [2, 2, 0, 2]


def test_a_training_graph_has_what_its_graph_says():
    graph = repebble.Graph(NET, name="net", options={"must_keep": [1]}, extra={"batch": 3})
    made = repebble.make_training_graph(graph, convention="op_backward")
    assert (made.name, made.options) == ("net", {"must_keep": [1]})
    assert made.extra == {"batch": 3, "convention": "op_backward"} and graph.extra == {"batch": 3}


def test_graphs_without_gradients_are_refused_by_name():
    net = network([[1], []])
    net["operations"][1]["mutates"] = [0]
    with pytest.raises(repebble.BadGraph, match=r"operation 1 \('f1'\) mutates"):
        repebble.make_training_graph(net)
    with pytest.raises(repebble.BadGraph, match="backward pass already"):
        repebble.make_training_graph(repebble.make_training_graph(NET))
    with pytest.raises(repebble.BadOption, match="no convention \"joint\""):
        repebble.make_training_graph(NET, convention="joint")
    with pytest.raises(repebble.BadGraph, match="'values' and 'operations'"):
        repebble.make_training_graph([[1, 3], [2]])
