"""Graphs of a caller as problems of the native part, built once for a `Graph`, and their times in whole units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Optional

from . import _core
from ._errors import BadGraph, BadOption
from ._tables import OPERATION_FIELDS, VALUE_FIELDS, Table, flag, indices, parsed, part, rows_of, shown, time_of, whole
from ._tables import Number as Number

_MOST_DIGITS = 12
_WHOLE_TIMES = 1 << 53
_ROUNDED_TIMES = 40


class Unit:
    """Whole time units of a graph: each is `1 / per` of the caller's where that is exact, else `size` of them.

    Integers are taken as they are. Floats become whole multiples of 10**-k for the least k from 0 to 12 that is exact
    (each float as Python prints it), if their sum is then at most 2**53. Else they are rounded down to multiples of
    2**-40 of their sum: then nothing is proven of plans. With `digits`, integers are taken as floats, too, and k is at
    least that.
    """

    def __init__(self, times: list[Any], name: str = "operations[{}]: time", digits: int = 0) -> None:
        self.per = 1
        self.size = 1.0
        self.exact = True
        self.floats = False
        self.given: list[Number] = [time_of(t, name.format(i)) for i, t in enumerate(times)]
        self.floats = any(isinstance(t, float) for t in self.given) or (digits > 0 and bool(self.given))
        self.whole: list[int] = [] if self.floats else [int(t) for t in self.given]
        if self.floats:
            self._scale(digits)

    def _scale(self, least: int) -> None:
        printed = [Decimal(repr(t)).normalize() for t in self.given]
        digits = max(least, -min(int(t.as_tuple().exponent) for t in printed))
        if digits <= _MOST_DIGITS:
            self.per = 10**digits
            self.whole = [int(t.scaleb(digits)) for t in printed]
            if sum(self.whole) <= _WHOLE_TIMES:
                return
        self.exact = False
        total = math.fsum(self.given)
        self.size = max(2.0 ** (math.ceil(math.log2(total)) - _ROUNDED_TIMES), 2.0**-1022) if total > 0 else 1.0
        self.whole = [int(t / self.size) for t in self.given]

    def time(self, units: int) -> Number:
        """Whole units in the caller's."""
        if not self.floats:
            return units
        return float(Fraction(units, self.per)) if self.exact else units * self.size


def _aligned(sizes: list[int], alignment: int) -> list[int]:
    """Sizes rounded up to multiples, as a device allocates them."""
    step = whole(alignment, "alignment", BadOption)
    if step < 1:
        raise BadOption(f"alignment is below 1: {step}")
    return sizes if step == 1 else [whole(size + -size % step if size > 0 else size, "an aligned size") for size in sizes]


class Problem:
    """A graph: the native problem, and the units of its times."""

    def __init__(self, graph: Any, inputs: bool = False, digits: int = 0, alignment: int = 1) -> None:
        graph = parsed(graph)
        values = Table(part(graph, "values"), "values", VALUE_FIELDS)
        operations = Table(part(graph, "operations"), "operations", OPERATION_FIELDS)
        self.unit = Unit(operations.column("time"), digits=digits)
        self.value_names, self.operation_names = values.names(), operations.names()
        passes = operations.column("pass", "")
        for i, name in enumerate(passes):
            if name not in ("forward", "backward", ""):
                raise BadGraph(f"operations[{i}]: pass is neither 'forward' nor 'backward': {shown(name)}")
        self.native = _core.Problem(
            sizes=_aligned(values.whole("size"), alignment),
            results=values.flags("result", False),
            donated=values.flags("donated", False),
            view_of=values.indices("view_of"),
            value_names=self.value_names,
            times=self.unit.whole,
            workspaces=_aligned(operations.whole("workspace", 0), alignment),
            recomputable=operations.flags("recomputable", True),
            reads=operations.indices("reads", ...),
            writes=operations.indices("writes", ...),
            after=operations.indices("after"),
            mutates=operations.indices("mutates"),
            operation_names=self.operation_names,
            backward=[name == "backward" for name in passes] if set(passes) == {"forward", "backward"} else [],
            inputs=flag(inputs, "inputs"),
        )


class Graph:
    """A graph that is built once: all functions take it as they take a mapping, and convert nothing again.

    graph: as for `plan`. The rows are copied; they and the graph cannot be changed. name: of graph files. options:
    keyword arguments that it asks of `plan`, as `read_graph` finds them: `plan(graph, "60%", **graph.options)`. extra:
    whatever else a file says of the graph.

    Raises BadGraph, NotADag, BadWeight.
    """

    __slots__ = ("extra", "name", "operations", "options", "values", "_problems")

    values: Sequence[Mapping[str, Any]]
    """Its values: rows with the fields that they have, the caller's own among them."""
    operations: Sequence[Mapping[str, Any]]
    """Its operations, likewise."""

    def __init__(
        self,
        graph: Any,
        *,
        name: str = "",
        options: Optional[Mapping[str, Any]] = None,
        extra: Optional[Mapping[str, Any]] = None,
    ) -> None:
        graph = parsed(graph)
        self.values = _frozen(Table(part(graph, "values"), "values", VALUE_FIELDS))
        self.operations = _frozen(Table(part(graph, "operations"), "operations", OPERATION_FIELDS))
        self.name = name
        self.options = dict(options or {})
        self.extra = dict(extra or {})
        self._problems: dict[tuple[bool, int, int], Problem] = {}
        self._problem()

    def _problem(self, inputs: bool = False, digits: int = 0, alignment: int = 1) -> Problem:
        """What the native part has of it, by what counts in it."""
        key = flag(inputs, "inputs"), digits, alignment
        if key not in self._problems:
            self._problems[key] = Problem(self, *key)
        return self._problems[key]

    def to_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """The graph as a mapping of its own, with lists of rows: to change, or to write as JSON."""
        return {name: [_thawed(row) for row in getattr(self, name)] for name in ("values", "operations")}

    def __len__(self) -> int:
        return len(self.operations)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return (self.name, self.options, self.extra, self.values, self.operations) == (
            other.name, other.options, other.extra, other.values, other.operations)  # fmt: skip

    def __repr__(self) -> str:
        return f"<Graph {self.name!r}: {len(self.operations)} operations, {len(self.values)} values>"

    def __reduce__(self) -> Any:
        return _unpickled, (self.to_mapping(), self.name, self.options, self.extra)


def graph_of(graph: Any) -> Graph:
    """The `Graph` itself, or one of what the caller gives."""
    return graph if isinstance(graph, Graph) else Graph(graph)


def problem_of(graph: Any, inputs: bool = False, digits: int = 0, alignment: int = 1) -> Problem:
    """The problem of a graph: that of a `Graph`, or a new one."""
    if isinstance(graph, Graph):
        return graph._problem(inputs, digits, alignment)
    return Problem(graph, inputs, digits, alignment)


_LISTS = ("view_of", "reads", "writes", "after", "mutates", "gradient_reads")


def _frozen(table: Table) -> tuple[Mapping[str, Any], ...]:
    rows = rows_of(table)
    for i, row in enumerate(rows):
        row.update((field, tuple(indices(row[field], f"{table.name}[{i}]: {field}"))) for field in _LISTS if field in row)
    return tuple(map(MappingProxyType, rows))


def _thawed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {field: list(entry) if field in _LISTS else entry for field, entry in row.items()}


def _unpickled(graph: Any, name: str, options: Any, extra: Any) -> Graph:
    return Graph(graph, name=name, options=options, extra=extra)
