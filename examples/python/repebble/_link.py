"""Links to the host as people write them, in the whole time units of a graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Optional, Union

from ._budget import Budget, bytes_of
from ._errors import BadOption, BadWeight
from ._tables import flag, shown, text

if TYPE_CHECKING:
    from ._graph import Unit

Link = Union[str, Mapping[str, Any]]

_DIGITS = {"s": 9, "ms": 6, "us": 3, "ns": 0}
_MOST = 1 << 62


def digits_of(link: Optional[Link], time_unit: Optional[str]) -> int:
    """Decimal digits of a time unit down to nanoseconds, in which a link counts; 0 where there is no link."""
    if time_unit is not None and not (isinstance(time_unit, str) and time_unit in _DIGITS):
        raise BadOption(f"time_unit is none of {', '.join(map(repr, _DIGITS))}: {shown(time_unit)}")
    if link is None:
        return 0
    if time_unit is None:
        raise BadOption("a link needs time_unit, the unit of the graph's times: 's', 'ms', 'us' or 'ns'")
    return _DIGITS[time_unit]


def link_of(link: Optional[Link], time_unit: Optional[str], unit: Unit) -> Optional[tuple[int, int, int, bool]]:
    """A link as the native part takes it: so many bytes in so many whole units, latency, and whether half duplex."""
    if link is None or time_unit is None:
        return None
    from . import _core  # which graph files do without

    size, time, latency, half_duplex = _core.parse_link(text_of(link))
    # Whole units in a nanosecond.
    per = (Fraction(unit.per) if unit.exact else 1 / Fraction(unit.size)) / 10 ** _DIGITS[time_unit]
    rate = Fraction(time, size) * per
    moved = rate.denominator
    if max(rate.numerator, moved) >= _MOST:
        moved = 1 << 31
    takes, waits = math.ceil(rate * moved), math.ceil(latency * per)
    if max(takes, waits) >= _MOST:
        raise BadWeight(f"link {link!r}: its times do not fit in 64 bits of the graph's units")
    return moved, takes, waits, half_duplex


def host_bytes(budget: Budget) -> int:
    """Bytes of a host budget."""
    if isinstance(budget, str) and "%" in budget:
        raise BadWeight(f"host_budget is no share of anything: {budget!r}")
    try:
        return bytes_of(budget, 0)
    except BadWeight as e:
        raise BadWeight(f"host_budget: {e}") from None


def text_of(link: Link) -> str:
    """A link as a text: bandwidth, latency, half-duplex."""
    if isinstance(link, str):
        return text(link, "the link", BadOption)
    if not isinstance(link, Mapping):
        raise BadOption(f"a link is a text such as '12GB/s,10us' or 'pcie4', or a mapping, not {shown(link)}")
    for field in link:
        if field not in ("bandwidth", "latency", "half_duplex"):
            raise BadOption(f"a link has bandwidth, latency and half_duplex, not {shown(field)}")
    for field in ("bandwidth", "latency"):
        if not isinstance(link.get(field, ""), str):
            raise BadOption(f"link: {field} is a text such as '12GB/s' or '10us', not {shown(link[field])}")
    if "bandwidth" not in link:
        raise BadOption(f"the link has no bandwidth: {shown(dict(link))}")
    parts = [link["bandwidth"], link.get("latency"), "half-duplex" if flag(link.get("half_duplex", False), "link: half_duplex") else None]
    return text(",".join(part for part in parts if part), "the link", BadOption)
