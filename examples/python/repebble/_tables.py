"""Tables of a caller: rows that are mappings or objects, a mapping of columns, or a structured NumPy array."""

from __future__ import annotations

import difflib
import json
import math
import operator
from collections.abc import Mapping
from numbers import Real
from typing import Any, Iterable, Optional, Sequence, Union

from ._errors import BadGraph, BadOption, BadWeight, Error

Number = Union[int, float]

VALUE_FIELDS = ("size", "result", "view_of", "name", "donated", "has_gradient")
OPERATION_FIELDS = (
    "time", "reads", "writes", "after", "recomputable", "workspace", "mutates", "name", "pass", "gradient_reads",
)  # fmt: skip


def shown(of: Any) -> str:
    """What a caller gave, in one line that is not long."""
    try:
        line = " ".join(repr(of).split())
    except Exception:  # an integer of thousands of digits has none, and a caller's `__repr__` may raise anything
        line = f"a huge {type(of).__name__}"
    return line if len(line) <= 100 else line[:100] + "..."


def _fields_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Throws where it has a field twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for field, _ in pairs:
            if field in seen:
                raise BadGraph(f"the graph's JSON has the field {shown(field)} twice in one object")
            seen.add(field)
    return made


def _no_constant(word: str) -> Any:
    raise BadGraph(f"the graph is text, but no JSON: {word} is no number there")


def parsed(graph: Any) -> Any:
    """A graph, of JSON where it is text."""
    if not isinstance(graph, (str, bytes, bytearray)):
        return graph
    try:
        return json.loads(graph, object_pairs_hook=_fields_once, parse_constant=_no_constant)
    except Error:
        raise
    except UnicodeDecodeError as e:
        raise BadGraph(f"the graph is text, but no {e.encoding.upper()} from byte {e.start} on") from None
    except json.JSONDecodeError as e:
        raise BadGraph(f"the graph is text, but no JSON: {e}") from None
    except RecursionError:
        raise BadGraph("the graph is JSON that is nested too deeply") from None
    except ValueError:
        raise BadGraph("the graph's JSON has a number of thousands of digits") from None


def _answers_to_all(of: Any) -> bool:
    """Whether an object has whatever attribute it is asked for, as mock objects do: then it says nothing."""
    return hasattr(of, "no_field_has_this_name")


def part(graph: Any, name: str) -> Any:
    """The table of that name of a graph."""
    found = None
    if isinstance(graph, Mapping):
        found = graph.get(name)
    elif not _answers_to_all(graph):
        found = getattr(graph, name, None)
    if found is None:
        raise BadGraph(f"the graph has no {name!r}: it is a mapping or an object with 'values' and 'operations'")
    return found


def as_list(of: Any, name: str, error: type[Error] = BadGraph, what: str = "no list") -> list[Any]:
    """A list of what may be a NumPy array, or anything that can be iterated over. Throws where it is none."""
    if not isinstance(of, list):
        if hasattr(of, "tolist") and not _answers_to_all(of):
            of = of.tolist()
        if isinstance(of, (str, bytes, Mapping)) or not isinstance(of, Iterable) or _answers_to_all(of):
            raise error(f"{name} is {what}: {shown(of)}")
    return of if isinstance(of, list) else list(of)


def whole(of: Any, name: str, error: type[Error] = BadWeight) -> int:
    """An integer. Throws where it is none, or does not fit in 64 bits."""
    try:
        number = operator.index(of)
    except TypeError:
        if not (isinstance(of, float) and of.is_integer()):
            raise error(f"{name} is no whole number: {shown(of)}") from None
        number = int(of)
    if isinstance(of, bool):
        raise error(f"{name} is no whole number: {of}")
    if not -(1 << 63) <= number < 1 << 63:
        raise error(f"{name} does not fit in 64 bits: {shown(number)}")
    return number


def real(of: Any, name: str, error: type[Error] = BadOption) -> float:
    """A number that is not negative. Throws where it is none."""
    if not isinstance(of, Real) or isinstance(of, bool):
        raise error(f"{name} is no number: {shown(of)}")
    try:
        number = float(of)
    except OverflowError:
        number = -math.inf if of < 0 else math.inf
    if not number >= 0:
        raise error(f"{name} is negative or not a number: {shown(of)}")
    return number


def flag(of: Any, name: str, error: type[Error] = BadOption) -> bool:
    """True or False. Throws where it is neither."""
    if isinstance(of, bool) or type(of).__name__ in ("bool", "bool_"):  # NumPy's
        return bool(of)
    if hasattr(of, "__index__") and operator.index(of) in (0, 1):
        return bool(of)
    raise error(f"{name} is neither True nor False: {shown(of)}")


def text(of: Any, name: str, error: type[Error] = BadGraph) -> str:
    """A text. Throws where it is none of Unicode, which half a surrogate pair is not."""
    made = str(of)
    try:
        made.encode()
    except UnicodeEncodeError:
        raise error(f"{name} is no text of Unicode: {shown(made)}") from None
    return made


def indices(of: Any, name: str) -> list[int]:
    """Numbers of values or operations: one, several or none."""
    if of is None:
        return []
    if hasattr(of, "tolist") and not _answers_to_all(of):
        of = of.tolist()
    if isinstance(of, int):
        of = (of,)
    return [whole(i, name, BadGraph) for i in as_list(of, name, BadGraph, "no list of numbers")]


def time_of(of: Any, name: str) -> Number:
    """A time: an integer or a float. Throws where it is neither, negative, or does not fit in 64 bits."""
    try:
        number: Number = operator.index(of)
    except TypeError:
        try:
            number = float("x" if isinstance(of, (str, bytes)) else of)
        except (TypeError, ValueError, OverflowError):
            raise BadWeight(f"{name} is no number: {shown(of)}") from None
    if isinstance(of, bool):
        raise BadWeight(f"{name} is no number: {of}")
    if not 0 <= number < 2**63:
        raise BadWeight(f"{name} is negative, not a number, or does not fit in 64 bits: {shown(of)}")
    return number


class Table:
    """Columns of a table by name, each as long as the table."""

    def __init__(self, of: Any, name: str, known: Sequence[str], error: type[Error] = BadGraph) -> None:
        self.name = name
        self._error = error
        self.known = known
        self._columns: Optional[dict[str, list[Any]]] = None
        self._rows: list[Any] = []
        fields = getattr(getattr(of, "dtype", None), "names", None)
        if isinstance(fields, tuple) or isinstance(of, Mapping):
            fields = fields if isinstance(fields, tuple) else tuple(of)
            self._check(fields, name)
            self._columns = {f: as_list(of[f], f"{name}: {f}", error, "no column") for f in fields if f in known}
            if not self._columns:
                raise error(f"{name} has none of the columns {', '.join(known)}, only {shown(list(fields))}")
        else:
            self._rows = as_list(of, name, error, "neither a list of rows nor a mapping of columns")
            seen: set[str] = set()
            for i, row in enumerate(self._rows):
                if isinstance(row, Mapping):
                    self._check((key for key in row if key not in seen), f"{name}[{i}]")
                    seen.update(row)
                elif _answers_to_all(row):
                    raise error(f"{name}[{i}] is no row: {shown(row)}")
        lengths = {field: len(column) for field, column in (self._columns or {}).items()}
        if len(set(lengths.values())) > 1:
            raise self._error(f"the columns of {name} differ in length: {lengths}")
        self._length = next(iter(lengths.values()), 0) if self._columns is not None else len(self._rows)

    def __len__(self) -> int:
        return self._length

    def column(self, field: str, default: Any = ...) -> list[Any]:
        """A column; the default where a row lacks the field or has None, or an error where there is no default."""
        if self._columns is not None:
            if default is ... and field not in self._columns:
                raise self._error(f"{self.name} has no column {field!r}, only {', '.join(map(repr, self._columns))}")
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

    def flags(self, field: str, default: bool) -> list[bool]:
        """A column of True or False."""
        return [flag(x, f"{self.name}[{i}]: {field}", self._error) for i, x in enumerate(self.column(field, default))]

    def names(self) -> list[str]:
        """The column of names, each empty by default."""
        return [text(x, f"{self.name}[{i}]: name", self._error) for i, x in enumerate(self.column("name", ""))]

    def indices(self, field: str, default: Any = None) -> list[list[int]]:
        """A column of lists of indices."""
        return [indices(x, f"{self.name}[{i}]: {field}") for i, x in enumerate(self.column(field, default))]

    def own_fields(self) -> list[dict[str, Any]]:
        """Of each row, the fields that are not known."""
        if self._columns is not None:
            return [{} for _ in range(self._length)]
        return [
            {k: x for k, x in row.items() if k not in self.known} if isinstance(row, Mapping) else {}
            for row in self._rows
        ]

    def _check(self, keys: Iterable[Any], where: str) -> None:
        """Refuses what looks like a misspelt field; other fields are the caller's own."""
        for key in keys:
            if key in self.known or not isinstance(key, str):
                continue
            close = difflib.get_close_matches(key, self.known, 1, 0.8)
            if close:
                raise self._error(f"{where} has a field {key!r}: is {close[0]!r} meant?")


def rows_of(table: Table) -> list[dict[str, Any]]:
    """Each row with the fields that it has, the caller's own among them where it is a mapping."""
    rows = table.own_fields()
    for field in table.known:
        for row, entry in zip(rows, table.column(field, None)):
            if entry is not None:
                row[field] = entry
    return rows
