from typing import Any, Callable, Mapping, Optional, Sequence

class FoundPlan:
    @property
    def exists(self) -> bool: ...
    @property
    def step_count(self) -> int: ...
    def steps_between(self, begin: int, end: int) -> list[tuple[int, int]]: ...
    @property
    def peak(self) -> int: ...
    @property
    def time(self) -> int: ...
    @property
    def overhead(self) -> int: ...
    @property
    def lower_bound(self) -> int: ...
    @property
    def base_order_bound(self) -> int: ...
    @property
    def host_peak(self) -> int: ...
    @property
    def bytes_out(self) -> int: ...
    @property
    def bytes_in(self) -> int: ...
    @property
    def stalls(self) -> tuple[int, int, int]: ...
    @property
    def proven(self) -> bool: ...
    @property
    def gap(self) -> float: ...
    @property
    def floor(self) -> int: ...
    @property
    def floor_operation(self) -> Optional[int]: ...
    @property
    def strategy(self) -> str: ...

class Demands:
    def __init__(
        self,
        link: Optional[tuple[int, int, int, bool]],
        host_budget: Optional[int],
        must_keep: Sequence[int],
        must_recompute: Sequence[int],
    ) -> None: ...

class Problem:
    def __init__(
        self,
        sizes: Sequence[int],
        results: Sequence[int],
        donated: Sequence[int],
        view_of: Sequence[Sequence[int]],
        value_names: Sequence[str],
        times: Sequence[int],
        workspaces: Sequence[int],
        recomputable: Sequence[int],
        reads: Sequence[Sequence[int]],
        writes: Sequence[Sequence[int]],
        after: Sequence[Sequence[int]],
        mutates: Sequence[Sequence[int]],
        operation_names: Sequence[str],
        backward: Sequence[int],
        inputs: bool,
    ) -> None: ...
    @property
    def has_gradients(self) -> bool: ...
    def memory_floor(self) -> tuple[int, Optional[int]]: ...
    def least_budget(
        self,
        seconds: Optional[float],
        work: Optional[int],
        stop: Optional[Callable[[], object]],
        gap: float,
        seed: int,
        threads: int,
        arena: bool,
        effort: Sequence[tuple[str, float]],
        demands: Demands,
        progress: Optional[Callable[[float, Optional[int], int], object]],
    ) -> tuple[int, FoundPlan, bool]: ...
    def keep_all(self) -> FoundPlan: ...
    def plans(
        self,
        budgets: Sequence[int],
        seconds: Optional[float],
        work: Optional[int],
        stop: Optional[Callable[[], object]],
        gap: float,
        seed: int,
        threads: int,
        arena: bool,
        effort: Sequence[tuple[str, float]],
        demands: Demands,
        progress: Optional[Callable[[float, Optional[int], int], object]],
    ) -> tuple[list[FoundPlan], bool]: ...
    def gradients(
        self, needs: Sequence[Sequence[int]], passes: Sequence[int], convention: str
    ) -> tuple[list[int], list[tuple[int, Optional[int], list[int], list[int]]]]: ...
    def replay(
        self, steps: Sequence[tuple[int, int]], link: Optional[tuple[int, int, int, bool]]
    ) -> tuple[int, int, int, int, list[int], int, int, int, tuple[int, int, int]]: ...
    def schedule_of(self, computations: Sequence[int]) -> list[tuple[int, int]]: ...
    def lifetimes(
        self, steps: Sequence[tuple[int, int]], on_host: bool
    ) -> list[tuple[bool, int, int, int, int, int]]: ...

def largest_size(
    at: Callable[[int], Problem],
    beside: Callable[[int], int],
    budget: int,
    least: int,
    most: int,
    overhead: Optional[float],
    seconds: Optional[float],
    work: Optional[int],
    stop: Optional[Callable[[], object]],
    gap: float,
    seed: int,
    threads: int,
    arena: bool,
    effort: Sequence[tuple[str, float]],
    demands: Demands,
    progress: Optional[Callable[[float, Optional[int], int], object]],
) -> tuple[int, int, Optional[int], FoundPlan, bool]: ...
def parse_link(text: str) -> tuple[int, int, int, bool]: ...
def strategies() -> list[tuple[str, str, bool, bool, bool]]: ...
def find_strategy(name: str) -> tuple[str, str, bool, bool, bool]: ...
def effort_constants() -> list[tuple[str, float, float, float, bool, str]]: ...
def plan_by(
    name: str,
    problem: Problem,
    budget: Optional[int],
    least_memory: bool,
    nearest: bool,
    by_formula: bool,
    keep_last: bool,
    epsilon: Optional[float],
    kept: int,
    threads: int,
    seconds: Optional[float],
    work: Optional[int],
    stop: Optional[Callable[[], object]],
    progress: Optional[Callable[[float, Optional[int], int], object]],
) -> tuple[FoundPlan, bool]: ...
def network(
    name: str,
    batch: Optional[int],
    resolution: Optional[int],
    classes: Optional[int],
    channels: Optional[int],
    length: Optional[int],
    dtype: str,
    device: str,
    flops_per_second: Optional[float],
    bytes_per_second: Optional[float],
) -> dict[str, Any]: ...
def network_names() -> str: ...
def parse_graph_file(text: bytes, source: str, time_unit: str) -> dict[str, Any]: ...
def read_onnx(
    source: str,
    text: Optional[bytes],
    dimensions: Mapping[str, int],
    batch: Optional[int],
    training: bool,
    device: str,
    flops_per_second: Optional[float],
    bytes_per_second: Optional[float],
) -> dict[str, Any]: ...
def assign_offsets(
    lifetimes: Sequence[tuple[int, int]],
    sizes: Sequence[int],
    alignments: Sequence[int],
    pinned: Sequence[Optional[int]],
    capacity: Optional[int],
    seconds: Optional[float],
    work: Optional[int],
    stop: Optional[Callable[[], object]],
) -> tuple[list[int], int, int, str]: ...
def assign_pools(
    lifetimes: Sequence[tuple[int, int]],
    sizes: Sequence[int],
    alignments: Sequence[int],
    pinned: Sequence[Optional[int]],
    capacities: Sequence[int],
    required: Sequence[Optional[int]],
    priorities: Sequence[float],
    traffic: Sequence[int],
    costs: Sequence[int],
    accesses: Sequence[Sequence[tuple[int, int]]],
    seconds: Optional[float],
    work: Optional[int],
    stop: Optional[Callable[[], object]],
) -> tuple[
    list[int],
    list[int],
    list[int],
    bool,
    int,
    int,
    list[list[tuple[int, int, int, int]]],
    list[tuple[int, int, int]],
]: ...

class ChainCurve:
    def __init__(
        self,
        forward_times: Sequence[int],
        backward_times: Sequence[int],
        outputs: Sequence[int],
        gradients: Sequence[int],
        workspaces: Sequence[int],
        tapes: Sequence[Sequence[tuple[int, int, int, int]]],
        input: int,
        input_gradient: int,
        last_budget: Optional[int],
        drop_saved_inputs: bool,
        epsilon: float,
        seconds: Optional[float],
        work: Optional[int],
        stop: Optional[Callable[[], object]],
    ) -> None: ...
    @property
    def curve(self) -> list[tuple[int, int]]: ...
    @property
    def keep_all(self) -> int: ...
    def within(self, budget: int) -> Optional[tuple[int, int, int, list[tuple[str, int, int]]]]: ...

def find_treewidth(
    vertices: int,
    edges: Sequence[tuple[int, int]],
    seconds: Optional[float],
    work: Optional[int],
    stop: Optional[Callable[[], object]],
    seed: int,
    threads: int,
) -> tuple[int, int, str, list[int], list[list[int]], list[tuple[int, int]]]: ...
def least_peak_order(
    problem: Problem, seconds: Optional[float], work: Optional[int], stop: Optional[Callable[[], object]]
) -> tuple[list[int], int, int]: ...

class LowerSetStream:
    def __init__(self, problem: Problem) -> None: ...
    def some(self, most: int) -> list[list[int]]: ...

def elimination_order(vertices: int, edges: Sequence[tuple[int, int]], rule: str) -> tuple[list[int], int]: ...
def tree_decomposition(
    vertices: int, edges: Sequence[tuple[int, int]], order: Sequence[int]
) -> tuple[list[list[int]], list[tuple[int, int]]]: ...

class RevolveStream:
    def __init__(self, steps: int, snapshots: int, first_is_free: bool) -> None: ...
    def some(self, most: int) -> list[tuple[int, int, int, int]]: ...

class ReversalStream:
    def some(self, most: int) -> list[tuple[int, int, int, int]]: ...

class OnlineSnapshots:
    def __init__(self, slots: int) -> None: ...
    def before_step(self) -> Optional[int]: ...
    @property
    def steps(self) -> int: ...
    def snapshots(self) -> list[tuple[int, int]]: ...
    def reversal(self) -> ReversalStream: ...

_Stage = tuple[int, int, int, int, int, int, Sequence[tuple[int, int, int, int, int]]]
_Passes = list[list[tuple[str, int, int]]]

def pipeline_sizes(ranks: int, microbatches: int, stages: Sequence[_Stage]) -> tuple[list[int], list[int]]: ...
def plan_pipeline(
    ranks: int,
    microbatches: int,
    stages: Sequence[_Stage],
    budgets: Sequence[int],
    orders: Optional[_Passes],
    order: Optional[str],
    seed: int,
    seconds: Optional[float],
    work: Optional[int],
    stop: Optional[Callable[[], object]],
) -> tuple[
    list[int],
    Optional[tuple[str, int, int, int, list[int], list[int], _Passes, list[list[tuple[int, int]]]]],
]: ...
def pipeline_stage(
    graph: Problem, weight_share: float, work: Optional[int]
) -> tuple[int, int, int, list[tuple[int, int, int, int, int]]]: ...
