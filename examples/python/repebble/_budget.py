"""Budgets as people write them: bytes, "8GiB", or "60%" of what keeping everything takes."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Union

from ._errors import BadWeight
from ._tables import whole

Budget = Union[int, str]

_FORMS = "bytes, such as 8000 or '8GiB', or a share, such as '60%'"
_UNITS = {
    "": 1,
    "B": 1,
    "KB": 1000,
    **{p + "B": 1000**k for k, p in enumerate("kMGTPE", 1)},
    **{p + "iB": 1024**k for k, p in enumerate("KMGTPE", 1)},
}


def bytes_of(budget: Budget, keep_all: int) -> int:
    """Bytes of a budget, rounded down exactly. `keep_all`: what keeping everything takes.

    Raises BadWeight where the budget is none.
    """
    if not isinstance(budget, str):
        try:
            found = whole(budget, "the budget")
        except BadWeight as e:
            raise BadWeight(f"{e}: a budget is {_FORMS}") from None
        if found < 0:
            raise BadWeight(f"the budget is negative: {found}")
        return found
    if len(budget) > 100:
        raise BadWeight(f"a budget is {_FORMS}, not a text of {len(budget)} letters")
    parts = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(%|[A-Za-z]*)\s*", budget)
    if not parts or parts[2] not in (*_UNITS, "%") or (_UNITS.get(parts[2]) == 1 and "." in parts[1]):
        raise BadWeight(f"a budget is {_FORMS}, not {budget!r}")
    unit = Fraction(keep_all, 100) if parts[2] == "%" else _UNITS[parts[2]]
    return whole(int(Fraction(parts[1]) * unit), "the budget")
