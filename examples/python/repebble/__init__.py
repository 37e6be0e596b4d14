"""repebble decides what a computation keeps in memory, discards and computes again, within a budget, with proofs."""

from ._chain import ChainAction, ChainFrontier, ChainSolution, solve_chain
from ._effort import EffortConstant, effort_constants
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
from ._plan import (
    Cost,
    LeastBudget,
    MemoryFloor,
    Plan,
    RecomputePlan,
    Stalls,
    Step,
    find_least_budget,
    find_memory_floor,
    keep_all,
    plan,
    replay,
)
from ._strategies import Strategy, find_strategy, strategies
from ._training import make_training_graph
from ._treewidth import Treewidth, find_treewidth

__version__ = "0.2.0"

__all__ = [
    "BadBuffer",
    "BadGraph",
    "BadOption",
    "BadWeight",
    "ChainAction",
    "ChainFrontier",
    "ChainSolution",
    "Cost",
    "EffortConstant",
    "Error",
    "IllegalSchedule",
    "LeastBudget",
    "LimitReached",
    "MemoryFloor",
    "NoPlan",
    "NotADag",
    "Offsets",
    "Plan",
    "RecomputePlan",
    "Stalls",
    "Step",
    "Strategy",
    "Treewidth",
    "assign_offsets",
    "effort_constants",
    "find_least_budget",
    "find_memory_floor",
    "find_strategy",
    "find_treewidth",
    "graph_file",
    "keep_all",
    "make_training_graph",
    "plan",
    "replay",
    "solve_chain",
    "strategies",
]
