"""Tables of a caller: rows that are mappings or objects, a mapping of columns, or a structured NumPy array."""

from __future__ import annotations

import difflib
import json
import operator
from collections.abc import Mapping
from typing import Any, Iterable, Optional, Sequence, Union

from ._errors import BadGraph, BadWeight, Error

Number = Union[int, float]

VALUE_FIELDS = ("size", "result", "view_of", "name")
OPERATION_FIELDS = (
    "time", "reads", "writes", "after", "recomputable", "workspace", "mutates", "name", "pass", "gradient_reads",
)  # fmt: skip


def parsed(graph: Any) -> Any:
    """A graph, of JSON where it is text."""
    if not isinstance(graph, (str, bytes)):
        return graph
    try:
        return json.loads(graph)
    except json.JSONDecodeError as e:
        raise BadGraph(f"the graph is text, but no JSON: {e}") from None


def part(graph: Any, name: str) -> Any:
    """The table of that name of a graph."""
    found = graph.get(name) if isinstance(graph, Mapping) else getattr(graph, name, None)
    if found is None:
        raise BadGraph(f"the graph has no {name!r}: it is a mapping or an object with 'values' and 'operations'")
    return found


def as_list(of: Any) -> list[Any]:
    """A list of what may be a NumPy array, or anything that can be iterated over."""
    if hasattr(of, "tolist"):
        of = of.tolist()
    return of if isinstance(of, list) else list(of)


def whole(of: Any, name: str, error: type[Error] = BadWeight) -> int:
    """An integer. Throws where it is none, or does not fit in 64 bits."""
    try:
        number = operator.index(of)
    except TypeError:
        if not (isinstance(of, float) and of.is_integer()):
            raise error(f"{name} is no whole number: {of!r}") from None
        number = int(of)
    if not -(1 << 63) <= number < 1 << 63:
        raise error(f"{name} does not fit in 64 bits: {number}")
    return number


def indices(of: Any, name: str) -> list[int]:
    """Numbers of values or operations: one, several or none."""
    if of is None:
        return []
    if hasattr(of, "tolist"):
        of = of.tolist()
    if isinstance(of, int):
        of = (of,)
    if isinstance(of, (str, Mapping)) or not isinstance(of, Iterable):
        raise BadGraph(f"{name} is no list of numbers: {of!r}")
    return [whole(i, name, BadGraph) for i in of]


def time_of(of: Any, name: str) -> Number:
    """A time: an integer or a float. Throws where it is neither, negative, or does not fit in 64 bits."""
    try:
        number: Number = operator.index(of)
    except TypeError:
        try:
            number = float(of)
        except (TypeError, ValueError):
            raise BadWeight(f"{name} is no number: {of!r}") from None
    if not 0 <= number < 2**63:
        raise BadWeight(f"{name} is negative, not a number, or does not fit in 64 bits: {of!r}")
    return number


class Table:
    """Columns of a table by name, each as long as the table."""

    def __init__(self, of: Any, name: str, known: Sequence[str], error: type[Error] = BadGraph) -> None:
        self.name = name
        self._error = error
        self._known = known
        self._columns: Optional[dict[str, list[Any]]] = None
        self._rows: list[Any] = []
        fields = getattr(getattr(of, "dtype", None), "names", None)
        if fields is not None:
            self._check(fields, name)
            self._columns = {field: as_list(of[field]) for field in fields}
        elif isinstance(of, Mapping):
            self._check(of, name)
            self._columns = {field: as_list(column) for field, column in of.items() if field in known}
        else:
            if isinstance(of, str) or not isinstance(of, Iterable):
                raise self._error(f"{name} is neither a list of rows nor a mapping of columns: {type(of).__name__}")
            self._rows = list(of)
            seen: set[str] = set()
            for i, row in enumerate(self._rows):
                if isinstance(row, Mapping):
                    self._check((key for key in row if key not in seen), f"{name}[{i}]")
                    seen.update(row)
        lengths = {field: len(column) for field, column in (self._columns or {}).items()}
        if len(set(lengths.values())) > 1:
            raise self._error(f"the columns of {name} differ in length: {lengths}")
        self._length = next(iter(lengths.values()), 0) if self._columns is not None else len(self._rows)

    def __len__(self) -> int:
        return self._length

    def column(self, field: str, default: Any = ...) -> list[Any]:
        """A column; the default where a row lacks the field or has None, or an error where there is no default."""
        if self._columns is not None:
            found = self._columns.get(field, [None] * self._length)
        else:
            found = [row.get(field) if isinstance(row, Mapping) else getattr(row, field, None) for row in self._rows]
        if default is ...:
            for i, entry in enumerate(found):
                if entry is None:
                    raise self._error(f"{self.name}[{i}] has no {field!r}")
            return found
        return [default if entry is None else entry for entry in found]

    def whole(self, field: str, default: Any = ...) -> list[int]:
        """A column of integers."""
        return [whole(x, f"{self.name}[{i}]: {field}") for i, x in enumerate(self.column(field, default))]

    def indices(self, field: str, default: Any = None) -> list[list[int]]:
        """A column of lists of indices."""
        return [indices(x, f"{self.name}[{i}]: {field}") for i, x in enumerate(self.column(field, default))]

    def _check(self, keys: Iterable[Any], where: str) -> None:
        """Refuses what looks like a misspelt field; other fields are the caller's own."""
        for key in keys:
            if key in self._known or not isinstance(key, str):
                continue
            close = difflib.get_close_matches(key, self._known, 1, 0.8)
            if close:
                raise self._error(f"{where} has a field {key!r}: is {close[0]!r} meant?")
