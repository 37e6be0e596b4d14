"""repebble decides what a computation keeps in memory, discards and computes again, within a budget, with proofs."""

from ._errors import (
    BadBuffer,
    BadGraph,
    BadOption,
    BadWeight,
    Error,
    IllegalSchedule,
    LimitReached,
    NoPlan,
    NotADag,
)
from ._plan import Cost, Plan, Step, keep_all, plan, plan_curve, replay

__version__ = "0.2.0"

__all__ = [
    "BadBuffer",
    "BadGraph",
    "BadOption",
    "BadWeight",
    "Cost",
    "Error",
    "IllegalSchedule",
    "LimitReached",
    "NoPlan",
    "NotADag",
    "Plan",
    "Step",
    "keep_all",
    "plan",
    "plan_curve",
    "replay",
]
