from typing import Callable, Optional, Sequence

class FoundPlan:
    @property
    def exists(self) -> bool: ...
    @property
    def steps(self) -> list[tuple[bool, int]]: ...
    @property
    def peak(self) -> int: ...
    @property
    def time(self) -> int: ...
    @property
    def overhead(self) -> int: ...
    @property
    def lower_bound(self) -> int: ...
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

class Problem:
    def __init__(
        self,
        sizes: Sequence[int],
        results: Sequence[int],
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
        inputs: bool,
    ) -> None: ...
    def keep_all(self) -> FoundPlan: ...
    def plans(
        self,
        budgets: Sequence[int],
        time_limit: Optional[float],
        moves: Optional[int],
        gap: float,
        seed: int,
        threads: int,
        arena: bool,
        progress: Optional[Callable[[float, Optional[int], int], object]],
    ) -> tuple[list[FoundPlan], bool]: ...
    def replay(self, steps: Sequence[tuple[bool, int]]) -> tuple[int, int, int, int, list[int]]: ...

def parse_bytes(text: str) -> int: ...
