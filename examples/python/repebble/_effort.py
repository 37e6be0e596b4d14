"""The constants of the automatic planner: how much work each of its techniques may do, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional, Union

from . import _core
from ._errors import BadOption
from ._tables import real, shown, text

Effort = Mapping[str, float]


class EffortConstant(NamedTuple):
    """A constant of the planner, set for one call by `plan(..., effort={name: value})`."""

    name: str
    usual: Union[int, float]
    """What it is by default."""
    least: Union[int, float]
    most: Union[int, float]
    is_whole: bool
    """Whether it takes whole numbers only."""
    sentence: str
    """What it says."""


def _constant(name: str, usual: float, least: float, most: float, is_whole: bool, sentence: str) -> EffortConstant:
    if is_whole:
        return EffortConstant(name, int(usual), int(least), int(most), is_whole, sentence)
    return EffortConstant(name, usual, least, most, is_whole, sentence)


effort_constants: tuple[EffortConstant, ...] = tuple(_constant(*row) for row in _core.effort_constants())
"""All of them."""


def constants_of(effort: Optional[Effort]) -> list[tuple[str, float]]:
    """As the native part takes them, which checks names and ranges."""
    if effort is None:
        return []
    if not isinstance(effort, Mapping):
        raise BadOption(f"effort is no mapping from names of constants to numbers: {shown(effort)}")
    pairs: list[tuple[str, float]] = []
    for name, value in effort.items():
        word = text(name, "a constant of effort", BadOption)
        pairs.append((word, real(value, f"effort {word}")))
    return pairs
