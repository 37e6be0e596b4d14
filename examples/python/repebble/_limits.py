"""Limits of a search: seconds, work, and a question that ends it."""

from __future__ import annotations

from numbers import Real
from typing import Any, Callable

from ._errors import BadOption
from ._tables import whole

Stop = Callable[[], object]


def check_limits(seconds: Any, work: Any, stop: Any, **counts: Any) -> None:
    """Refuses limits, and counts of other options, that cannot be, naming the option."""
    if seconds is not None and not (isinstance(seconds, Real) and float(seconds) >= 0):
        raise BadOption(f"seconds cannot be {seconds!r}")
    if stop is not None and not callable(stop):
        raise BadOption(f"stop is no function: {stop!r}")
    for name, number in {"work": 0 if work is None else work, **counts}.items():
        if whole(number, name, BadOption) < 0:
            raise BadOption(f"{name} cannot be {number}")
