"""Limits of a search: CPU seconds, work, and a question that ends it."""

from __future__ import annotations

import operator
from typing import Callable, Optional

from ._errors import BadOption

Stop = Callable[[], object]


def check_counts(**numbers: Optional[int]) -> None:
    """Refuses counts that do not fit, naming the option."""
    for name, number in numbers.items():
        if number is not None and not 0 <= operator.index(number) < 1 << 63:
            raise BadOption(f"{name} cannot be {number}")
