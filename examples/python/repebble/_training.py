"""Training graphs: a forward graph with its gradients."""

from __future__ import annotations

from typing import Any

from ._errors import BadGraph, BadOption
from ._graph import Problem
from ._tables import OPERATION_FIELDS, VALUE_FIELDS, Table, parsed, part, text

Rows = list[dict[str, Any]]


def make_training_graph(graph: Any, *, convention: str = "value_grad") -> dict[str, Rows]:
    """The graph of a training step: the operations of a forward graph, and their gradients, each with its `pass`.

    graph: as for `plan`; its operations may say `gradient_reads`, the values that their gradients read: by default all
        that they read and write.
    convention: how gradients become operations. `"value_grad"`: one for each operation, as large as its output, of
        twice its time, which reads the gradients of its readers and what these need (Kusumoto et al. 2019);
        `"op_backward"`: one, with the gradients of all its inputs; `"executable"`: one with an output for each input's
        gradient, and additions where a value has several readers.

    Operations and values keep their numbers; gradients come behind, and say as `gradient_of` whose they are. A view has
    none of its own. Gradients of parameters are part of their operation's.

    Raises BadGraph where operations mutate values or several write one, and as `plan`; BadOption for a convention.
    """
    graph = parsed(graph)
    problem = Problem(graph)
    values, operations = _rows(graph, "values", VALUE_FIELDS), _rows(graph, "operations", OPERATION_FIELDS)
    table = Table(part(graph, "operations"), "operations", OPERATION_FIELDS)
    if "backward" in table.column("pass", ""):
        raise BadGraph("the graph has a backward pass already")
    reads, writes = table.indices("reads"), table.indices("writes")
    needs = [
        reads[i] + writes[i] if given is None else needed
        for i, (given, needed) in enumerate(zip(table.column("gradient_reads", None), table.indices("gradient_reads")))
    ]
    sizes, built = problem.native.gradients(needs, text(convention, "convention", BadOption))
    for row in operations:
        row["pass"] = "forward"
    gradients: Rows = [{"size": size} for size in sizes]
    for of, adds, read, written in built:
        name = operations[of].get("name")
        named = {} if name is None else {"name": f"{'sum for' if adds else 'gradient of'} {name}"}
        time = 0 if adds else 2 * problem.unit.given[of]
        operations.append(
            {"time": time, "reads": read, "writes": written, "pass": "backward", **named, "gradient_of": of}
        )
        for value in written:
            gradients[value - len(values)].update(named)
    return {"values": values + gradients, "operations": operations}


def _rows(graph: Any, name: str, fields: tuple[str, ...]) -> Rows:
    """The fields of each row that it has."""
    table = Table(part(graph, name), name, fields)
    columns = {field: table.column(field, None) for field in fields}
    return [{f: column[i] for f, column in columns.items() if column[i] is not None} for i in range(len(table))]
