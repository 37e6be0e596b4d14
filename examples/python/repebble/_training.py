"""Training graphs: a forward graph with its gradients."""

from __future__ import annotations

from typing import Any, Union, overload

from ._errors import BadGraph, BadOption
from ._graph import Graph, problem_of
from ._tables import OPERATION_FIELDS, VALUE_FIELDS, Table, parsed, part, rows_of, text

Rows = list[dict[str, Any]]


@overload
def make_training_graph(graph: Graph, *, convention: str = "value_grad") -> Graph: ...


@overload
def make_training_graph(graph: Any, *, convention: str = "value_grad") -> dict[str, Rows]: ...


def make_training_graph(graph: Any, *, convention: str = "value_grad") -> Union[Graph, dict[str, Rows]]:
    """The graph of a training step: the operations of a forward graph, and their gradients, each with its `pass`.

    graph: as for `plan`; its operations may say `gradient_reads`, the values that their gradients read: by default all
        that they read and write; and its values that they have no gradient, as `"has_gradient": False`: integers, masks.
    convention: how gradients become operations. `"value_grad"`: one for each operation, as large as its output, of
        twice its time, which reads the gradients of its readers and what these need (Kusumoto et al. 2019);
        `"op_backward"`: one, with the gradients of all its inputs; `"executable"`: one with an output for each input's
        gradient, and additions where a value has several readers.

    Of a `Graph` it is a `Graph`. Operations and values keep their numbers; gradients come behind, and say as
    `gradient_of` whose they are. A view has none of its own. Gradients of parameters are part of their operation's.

    Raises BadGraph where operations mutate values or several write one, and as `plan`; BadOption for a convention.
    """
    whole = graph if isinstance(graph, Graph) else None
    graph = parsed(graph)
    problem = problem_of(graph)
    table = Table(part(graph, "operations"), "operations", OPERATION_FIELDS)
    value_table = Table(part(graph, "values"), "values", VALUE_FIELDS)
    values, operations = rows_of(value_table), rows_of(table)
    if "backward" in table.column("pass", ""):
        raise BadGraph("the graph has a backward pass already")
    reads, writes = table.indices("reads"), table.indices("writes")
    needs = [
        reads[i] + writes[i] if given is None else needed
        for i, (given, needed) in enumerate(zip(table.column("gradient_reads", None), table.indices("gradient_reads")))
    ]
    sizes, built = problem.native.gradients(
        needs, value_table.flags("has_gradient", True), text(convention, "convention", BadOption)
    )
    for row in operations:
        row["pass"] = "forward"
    gradients: Rows = [{"size": size} for size in sizes]
    for of, adds, read, written in built:
        name = operations[of].get("name")
        named = {} if name is None else {"name": f"{'gradient of' if adds is None else 'sum for'} {name}"}
        time = 2 * problem.unit.given[of] if adds is None else 0
        row = {"time": time, "reads": read, "writes": written, "pass": "backward", **named, "gradient_of": of}
        operations.append(row if adds is None else {**row, "part": adds})
        for value in written:
            gradients[value - len(values)].update(named)
    made = {"values": values + gradients, "operations": operations}
    if whole is None:
        return made
    return Graph(made, name=whole.name, options=whole.options, extra={**whole.extra, "convention": convention})
