"""Limits of a search: seconds, work, and a question that ends it."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

from ._errors import BadOption
from ._tables import real, shown, whole

Stop = Callable[[], object]


class Limits(NamedTuple):
    """As the native part takes them."""

    seconds: Optional[float]
    work: Optional[int]
    stop: Optional[Stop]


def count(of: Any, name: str) -> int:
    """A whole number from 0 on. Raises BadOption."""
    number = whole(of, name, BadOption)
    if number < 0:
        raise BadOption(f"{name} cannot be {number}")
    return number


def function(of: Any, name: str) -> Any:
    """A function, or None. Raises BadOption."""
    if of is not None and not callable(of):
        raise BadOption(f"{name} is no function: {shown(of)}")
    return of


def limits_of(seconds: Any, work: Any, stop: Any) -> Limits:
    """Limits of a search. Raises BadOption, naming the one that cannot be."""
    return Limits(
        None if seconds is None else real(seconds, "seconds"),
        None if work is None else count(work, "work"),
        function(stop, "stop"),
    )


def little_of(seconds: Optional[float]) -> float:
    """The seconds of a short search behind one of so many: two at most."""
    return 2.0 if seconds is None else min(2.0, seconds)
