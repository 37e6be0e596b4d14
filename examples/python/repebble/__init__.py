"""repebble decides what a computation keeps in memory, discards and computes again, within a budget, with proofs."""

from ._arena import Arena, Lifetime, find_lifetimes, make_arena
from ._chain import ChainAction, ChainFrontier, ChainSolution, solve_chain
from ._compare import Comparison, Point, compare
from ._effort import EffortConstant, effort_constants
from ._errors import (
    BadBuffer,
    BadFile,
    BadGraph,
    BadOption,
    BadWeight,
    Error,
    IllegalSchedule,
    LimitReached,
    NoPlan,
    NotADag,
)
from ._graph import Graph
from ._graph_file import graph_file
from ._networks import network, network_names, read_graph, read_onnx, write_graph
from ._offsets import Offsets, PoolCopy, Pools, PoolStay, assign_offsets, assign_pools
from ._orders import PeakOrder, find_least_peak_order, lower_sets
from ._pipeline import PipelinePass, PipelinePlan, plan_pipeline
from ._plan import (
    Cost,
    LargestSize,
    LeastBudget,
    MemoryFloor,
    Plan,
    RecomputePlan,
    Stalls,
    Step,
    find_largest_size,
    find_least_budget,
    find_memory_floor,
    keep_all,
    make_schedule,
    plan,
    replay,
)
from ._reversal import OnlineSnapshots, RevolveAction, revolve
from ._schedule_file import read_schedule, schedule_file, write_schedule
from ._strategies import Strategy, find_strategy, strategies
from ._training import make_training_graph
from ._treewidth import Treewidth, find_elimination_order, find_treewidth, make_tree_decomposition

__version__ = "0.3.0"

__all__ = [
    "Arena",
    "BadBuffer",
    "BadFile",
    "BadGraph",
    "BadOption",
    "BadWeight",
    "ChainAction",
    "ChainFrontier",
    "ChainSolution",
    "Comparison",
    "Cost",
    "EffortConstant",
    "Error",
    "Graph",
    "IllegalSchedule",
    "LargestSize",
    "LeastBudget",
    "Lifetime",
    "LimitReached",
    "MemoryFloor",
    "NoPlan",
    "NotADag",
    "Offsets",
    "OnlineSnapshots",
    "PeakOrder",
    "PipelinePass",
    "PipelinePlan",
    "Plan",
    "Point",
    "PoolCopy",
    "PoolStay",
    "Pools",
    "RecomputePlan",
    "RevolveAction",
    "Stalls",
    "Step",
    "Strategy",
    "Treewidth",
    "assign_offsets",
    "assign_pools",
    "compare",
    "effort_constants",
    "find_elimination_order",
    "find_largest_size",
    "find_least_budget",
    "find_least_peak_order",
    "find_lifetimes",
    "find_memory_floor",
    "find_strategy",
    "find_treewidth",
    "graph_file",
    "keep_all",
    "lower_sets",
    "make_arena",
    "make_schedule",
    "make_training_graph",
    "make_tree_decomposition",
    "network",
    "network_names",
    "plan",
    "plan_pipeline",
    "read_graph",
    "read_onnx",
    "read_schedule",
    "replay",
    "revolve",
    "schedule_file",
    "solve_chain",
    "strategies",
    "write_graph",
    "write_schedule",
]
