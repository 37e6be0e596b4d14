"""Schedule files: the steps of a graph's schedule, which the program `plan` writes and replays."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Optional

from ._errors import BadFile, BadGraph, IllegalSchedule
from ._graph import Graph, graph_of
from ._networks import Path, read_unpacked, write_packed
from ._plan import ACTIONS, RecomputePlan, Step, native_steps
from ._tables import shown

_FORMAT = "repebble-schedule"


class _Operation(NamedTuple):
    """An operation as schedule files name it."""

    vertex: int
    phase: str
    part: int


class _Names:
    """How a schedule file names operations, and which output of which run a value is as steps are played."""

    def __init__(self, graph: Graph) -> None:
        self.operations = [_name_of(i, row) for i, row in enumerate(graph.operations)]
        if any("node" in row for row in graph.operations):
            raise BadGraph("the graph's file has nodes that are inputs: its schedule files cannot be told in steps")
        owners = [row.get("view_of", ()) for row in graph.values]
        self._writes: list[list[int]] = [
            [owners[v][0] if owners[v] and owners[v][0] in row.get("mutates", ()) else v for v in row["writes"]]
            for row in graph.operations
        ]
        self.runs = [0] * len(self.operations)
        self.now: dict[int, tuple[int, int, int]] = {}

    def compute(self, operation: int) -> int:
        """Runs it, and returns which run that is."""
        run = self.runs[operation]
        self.runs[operation] += 1
        for output, value in enumerate(self._writes[operation]):
            self.now[value] = operation, output, run
        return run

    def value_of(self, operation: int, output: int) -> int:
        """The value that it writes there."""
        return self._writes[operation][output]


def schedule_file(graph: Any, steps: Any, *, name: str = "", strategy: str = "") -> dict[str, Any]:
    """The steps of a schedule as the content of a schedule file, for `json.dump`: `plan GRAPH --replay FILE` judges it.

    graph: that whose file `plan` reads, or what `make_training_graph` made of it; steps: a plan, or steps as of
    `replay`. name, strategy: for the file's readers; of a `Graph` and a plan their own where none are given.

    Raises IllegalSchedule where a step drops or copies what no step computed.
    """
    held = graph_of(graph)
    names = _Names(held)
    rows: list[list[Any]] = []
    for number, (what, index) in enumerate(native_steps(steps)):
        action = ACTIONS[what]
        if action == "compute":
            if not 0 <= index < len(names.runs):
                raise IllegalSchedule(f"step {number}: there is no operation {index}")
            operation, tail = index, [names.compute(index)]
        else:
            if index not in names.now:
                raise IllegalSchedule(f"step {number}: value {index} was not computed")
            operation, *tail = names.now[index]
        vertex, phase, part = names.operations[operation]
        more = {**({"part": part} if part else {}), **({"from": "host"} if action == "discard_host" else {})}
        row = ["discard" if action == "discard_host" else action, vertex, phase, *tail]
        rows.append([*row, more] if more else row)
    strategy = strategy or (steps.strategy if isinstance(steps, RecomputePlan) else "")
    head = {"graph": name or held.name, "convention": str(held.extra.get("convention", "")), "strategy": strategy}
    return {"format": _FORMAT, "version": 1, **head, "steps": rows}


def write_schedule(path: Path, graph: Any, steps: Any, *, name: str = "", strategy: str = "") -> None:
    """Writes a schedule file, packed by gzip where the name ends in .gz. Raises as `schedule_file`, and OSError."""
    file = schedule_file(graph, steps, name=name, strategy=strategy)
    rows = ",\n".join(json.dumps(row) for row in file.pop("steps"))
    data = (json.dumps(file)[:-1] + ', "steps": [\n' + rows + "\n]}\n").encode()
    write_packed(path, data)


def read_schedule(path: Path, graph: Any) -> list[Step]:
    """The steps in a schedule file, packed by gzip or not, of a graph that has them: `replay` judges them.

    graph: as of `schedule_file`. Raises OSError, and BadFile, naming the file and the step, where the file is none, the
    graph has no such operation, or the step writes in place, which steps of Python cannot say.
    """
    name, data = read_unpacked(path)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as e:
        raise BadFile(f"{name}: no JSON: {e}") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT or content.get("version") not in (1, 2):
        raise BadFile(f"{name}: no schedule file of version 1 or 2")
    if not isinstance(content.get("steps"), list):
        raise BadFile(f"{name}: has no list of steps")
    names = _Names(graph_of(graph))
    by_name = {operation: i for i, operation in enumerate(names.operations)}
    steps = []
    for number, row in enumerate(content["steps"]):
        try:
            steps.append(_step_of(row, names, by_name))
        except (TypeError, ValueError, LookupError) as e:
            why = e if isinstance(e, _Unsaid) else "no step of this graph"
            raise BadFile(f"{name}: step {number}: {why}: {shown(row)}") from None
    return steps


class _Unsaid(ValueError):
    """Steps of Python cannot say it."""


def _step_of(row: Any, names: _Names, by_name: dict[_Operation, int]) -> Step:
    options = row[-1] if isinstance(row[-1], dict) else {}
    action, vertex, phase, *tail = row[:-1] if options else row
    if "in_place" in options:
        raise _Unsaid("writes in place, which steps of Python cannot say")
    if options.keys() - {"part", "from"}:
        raise ValueError
    if "from" in options and (action != "discard" or options["from"] not in ("host", "device")):
        raise ValueError
    operation = by_name[_Operation(vertex, phase, options.get("part", 0))]
    if action == "compute":
        (run,) = tail
        if run != names.compute(operation):
            raise _Unsaid(f"the run is not number {names.runs[operation] - 1}")
        return Step("compute", operation)
    output, run = tail
    value = names.value_of(operation, output)
    if action not in ("discard", "offload", "prefetch") or output < 0:
        raise ValueError
    if names.now.get(value) != (operation, output, run):
        raise _Unsaid("another run of it is there")
    return Step("discard_host" if options.get("from") == "host" else action, None, value)


def _name_of(number: int, row: Any) -> _Operation:
    of: Optional[int] = row.get("gradient_of")
    if of is None:
        return _Operation(number, row.get("pass", "forward"), 0)
    return _Operation(of, "accumulate", row["part"]) if "part" in row else _Operation(of, "backward", 0)
