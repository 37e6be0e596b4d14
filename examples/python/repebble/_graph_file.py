"""Graphs of a caller as graph files, which the program `plan` reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Iterable, Optional

from ._budget import Budget
from ._errors import BadGraph, BadOption, BadWeight
from ._graph import problem_of
from ._link import Link, digits_of, host_bytes, text_of
from ._tables import OPERATION_FIELDS, VALUE_FIELDS, Table, indices, parsed, part, shown, text, time_of


def graph_file(
    graph: Any,
    *,
    name: str = "",
    time_unit: Optional[str] = None,
    link: Optional[Link] = None,
    host_budget: Optional[Budget] = None,
    must_keep: Optional[Iterable[int]] = None,
    must_recompute: Optional[Iterable[int]] = None,
) -> dict[str, Any]:
    """A graph as the content of a graph file, for `json.dump`: the program `plan` reads it.

    Each operation becomes a node with an output for each value that it writes, in the order of the list. Values that no
    operation writes are read by name, and cost nothing. `time_unit` ("s", "ms", "us", "ns") is that of the times, which
    are integers without one. What gradients read, and an operation's `op` and `extra`, are in the file, too. `link`,
    `host_budget` and the values that must be kept or recomputed are as in `repebble.plan`; `plan` uses them. `graph.schema.json` beside `plan` describes the format.

    Where several operations write a value, all but the first that can run are alternatives to it (`alternative_to`).

    Raises BadWeight for a time that is a fraction of no unit, and BadGraph where an operation mutates values or several
    write a view: this writes no words for that.
    """
    digits_of(None, time_unit)
    graph = parsed(graph)
    values = Table(part(graph, "values"), "values", VALUE_FIELDS)
    operations = Table(part(graph, "operations"), "operations", OPERATION_FIELDS)
    sizes, results, views = values.whole("size"), values.flags("result", False), values.indices("view_of")
    value_names = values.names()
    reads, writes = operations.indices("reads", ...), operations.indices("writes", ...)
    place: dict[int, tuple[int, int]] = {}
    for v, written in enumerate(writes):
        for k, value in enumerate(written):
            if not 0 <= value < len(sizes):
                raise BadGraph(f"operations[{v}] writes value {value}, but there are {len(sizes)} values")
            place.setdefault(value, (v, k))
    if len(place) < sum(map(len, writes)):
        place.update(_first_places(reads, writes, operations.indices("after")))

    marks = {"must_keep": indices(must_keep, "must_keep"), "must_recompute": indices(must_recompute, "must_recompute")}
    for field, marked in marks.items():
        for value in marked:
            if not 0 <= value < len(sizes):
                raise BadGraph(f"{field} names value {value}, but there are {len(sizes)} values")
            if value not in place and field == "must_recompute":
                raise BadGraph(f"value {value} must be recomputed, and is an input")

    def operand(value: int) -> Any:
        return list(place[value]) if value in place else value_names[value] or f"value {value}"

    nodes: list[dict[str, Any]] = []
    columns = zip(
        operations.column("time"),
        operations.whole("workspace", 0),
        operations.flags("recomputable", True),
        operations.names(),
        operations.column("pass", ""),
        operations.indices("mutates"),
        operations.column("op", ""),
        operations.column("extra", {}),
    )
    passes = values.flags("has_gradient", True)
    needs = [
        None if given is None else set(indices(given, f"operations[{v}]: gradient_reads"))
        for v, given in enumerate(operations.column("gradient_reads", None))
    ]
    is_forward = "backward" not in operations.column("pass", "")
    for v, (time, workspace, recomputable, op_name, phase, mutates, op, extra) in enumerate(columns):
        time = time_of(time, f"operations[{v}]: time")
        if time_unit is None and time != int(time):
            raise BadWeight(f"operations[{v}]: time is a fraction: {time}; say its time_unit")
        if not isinstance(extra, Mapping):
            raise BadGraph(f"operations[{v}]: extra is no mapping: {shown(extra)}")
        for value in needs[v] or ():
            if not 0 <= value < len(sizes):
                raise BadGraph(f"operations[{v}]: gradient_reads names value {value}, but there are {len(sizes)} values")
        if mutates:
            raise BadGraph(f"operations[{v}] mutates value {mutates[0]}: a graph file cannot say so")
        for value in reads[v]:
            if not 0 <= value < len(sizes):
                raise BadGraph(f"operations[{v}] reads value {value}, but there are {len(sizes)} values")
        own = {k: value for k, value in enumerate(writes[v]) if place[value] == (v, k)}
        viewed = [[k, *place[base]] for k, value in own.items() for base in views[value] if base in place]
        outputs = [0 if views[value] or k not in own else sizes[value] for k, value in enumerate(writes[v])]
        held = [k for k, value in own.items() if results[value]]
        again = [[k, *place[value]] for k, value in enumerate(writes[v]) if k not in own]
        for k, value in enumerate(writes[v]):
            if k not in own and views[value]:
                first = place[value][0]
                raise BadGraph(f"operations[{v}] writes value {value}, a view that operations[{first}] writes, too")
        node: dict[str, Any] = {**extra, "id": v, "name": op_name, "time": time, "memory": sum(outputs)}
        if op:
            node["op"] = op
        node["reads"] = [operand(value) for value in reads[v]]
        if len(outputs) > 1:
            node["outputs_memory"] = outputs
        if workspace:
            node["workspace"] = workspace
        if not recomputable:
            node["recomputable"] = False
        if phase == "backward":
            node["phase"] = phase
        if is_forward:
            node.update(_gradient_fields(reads[v], writes[v], needs[v], passes))
        if held:
            node["result"] = held
        for field, marked in marks.items():
            if outputs_marked := [k for k, value in own.items() if value in marked]:
                node[field] = outputs_marked
        if viewed:
            node["views"] = viewed
        if again:
            node["alternative_to"] = again
        nodes.append(node)
    problem_of(graph)  # refuses what `plan` refuses
    file: dict[str, Any] = {"name": text(name, "name", BadOption)} if name else {}
    if time_unit is not None:
        file["time_unit"] = time_unit
    if link is not None:
        digits_of(link, time_unit)
        file["link"] = text_of(link)
    if host_budget is not None:
        file["host_budget"] = host_bytes(host_budget)
    read = [{place[value][0] for value in all_read if value in place} for all_read in reads]
    order = [[b, v] for v, before in enumerate(operations.indices("after")) for b in before if b not in read[v]]
    return {**file, "nodes": nodes, "edges": order, "edge_outputs": order}


def _first_places(
    reads: list[list[int]], writes: list[list[int]], after: list[list[int]]
) -> dict[int, tuple[int, int]]:
    """By value that is written, the operation and output that make it first, where each runs as soon as it can."""
    unmade = {value for written in writes for value in written}
    waiting, ran = list(range(len(writes))), set[int]()
    places: dict[int, tuple[int, int]] = {}
    while True:
        late = []
        for v in waiting:
            if unmade.intersection(reads[v]) or not ran.issuperset(after[v]):
                late.append(v)
                continue
            ran.add(v)
            for k, value in enumerate(writes[v]):
                if value in unmade:
                    places[value] = v, k
                    unmade.remove(value)
        if len(late) == len(waiting):
            return places
        waiting = late


def _gradient_fields(
    reads: list[int], writes: list[int], needs: Optional[set[int]], passes: list[bool]
) -> dict[str, list[int]]:
    """What a node says of its gradient, where that is other than usual."""
    inputs = [k for k, value in enumerate(reads) if needs is None or value in needs]
    outputs = [k for k, value in enumerate(writes) if needs is None or value in needs]
    having = [k for k, value in enumerate(writes) if passes[value]]
    said: dict[str, list[int]] = {}
    if len(inputs) < len(reads):
        said["bwd_needs_inputs"] = inputs
    if writes and (outputs != [0] or len(writes) > 1):
        said["bwd_needs_output"] = outputs
    if len(having) < len(writes):
        said["has_gradient"] = having
    return said
