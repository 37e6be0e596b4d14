"""repebble decides what a computation keeps in memory, discards and computes again, within a budget, with proofs."""

from ._chain import Chain, ChainAction, ChainPlan, chain
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
from ._graph_file import graph_file
from ._offsets import Offsets, assign_offsets
from ._plan import Cost, Plan, Step, keep_all, plan, plan_curve, replay
from ._treewidth import Treewidth, treewidth

__version__ = "0.2.0"

__all__ = [
    "BadBuffer",
    "BadGraph",
    "BadOption",
    "BadWeight",
    "Chain",
    "ChainAction",
    "ChainPlan",
    "Cost",
    "Error",
    "IllegalSchedule",
    "LimitReached",
    "NoPlan",
    "NotADag",
    "Offsets",
    "Plan",
    "Step",
    "Treewidth",
    "assign_offsets",
    "chain",
    "graph_file",
    "keep_all",
    "plan",
    "plan_curve",
    "replay",
    "treewidth",
]
