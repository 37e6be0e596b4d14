"""Reversals of chains of equal steps from few snapshots: adjoints of long time loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Optional, Union

from . import _core
from ._errors import BadOption
from ._limits import count

_KINDS = ("snapshot", "advance", "restore", "reverse")  # by number, as revolve_action::kind


class RevolveAction(NamedTuple):
    """An action of a reversal. State i is the state before step i; one state at a time is the current one."""

    kind: str
    """`"snapshot"`: the current state, `begin`, is copied into slot `slot`; `"advance"`: steps `begin` to `end` - 1 run
    forward; `"restore"`: state `begin` is read from slot `slot`; `"reverse"`: step `begin` runs forward and backward."""
    slot: int
    """Of a snapshot or a restore."""
    begin: int
    """The state, or the first step."""
    end: int
    """Of an advance; `begin` for the others."""


def revolve(steps: int, snapshots: int, *, initial_state: str = "counted") -> Iterator[RevolveAction]:
    """Reverses a chain of equal steps with a number of snapshots (REVOLVE: Griewank, Walther 2000), action by action.

    As few steps run forward as can be. initial_state: "counted": that before the first step takes one of the snapshots;
    "free": it is slot 0, beside them. Constant time for each action, whatever the number of steps up to 2**64 - 1.

    Raises BadOption.
    """
    if initial_state not in ("counted", "free"):
        raise BadOption(f"initial_state is neither 'counted' nor 'free': {initial_state!r}")
    is_free = initial_state == "free"
    slots = _small(snapshots, "snapshots")
    if slots == 0 and not is_free:
        raise BadOption("snapshots cannot be 0, unless the initial state is free")
    return _in_parts(_core.RevolveStream(count(steps, "steps"), slots, is_free))


class OnlineSnapshots:
    """Decides which states of a chain of unknown length to store, step by step (Wang, Moin, Iaccarino 2009).

        online = OnlineSnapshots(slots)
        while not converged():
            if (slot := online.before_step()) is not None:
                stored[slot] = state
            state = step(state)
        for action in online.reversal(): ...

    At any time no step runs more often than in the optimal reversal of one step more, had the length been known.
    """

    def __init__(self, slots: int) -> None:
        """Raises BadOption where there is no slot."""
        slots = _small(slots, "slots")
        if slots == 0:
            raise BadOption("slots cannot be 0")
        self._native = _core.OnlineSnapshots(slots)

    def before_step(self) -> Optional[int]:
        """The slot into which the current state is to be copied; None where it is not to be stored."""
        return self._native.before_step()

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._native.steps

    def snapshots(self) -> list[tuple[int, int]]:
        """The stored states, ascending, each with its slot."""
        return self._native.snapshots()

    def reversal(self) -> Iterator[RevolveAction]:
        """The actions that reverse the steps so far."""
        return _in_parts(self._native.reversal())


def _small(of: int, name: str) -> int:
    number = count(of, name)
    if number >= 1 << 32:
        raise BadOption(f"{name} cannot be {number}, more than 2**32 - 1")
    return number


def _in_parts(stream: Union[_core.RevolveStream, _core.ReversalStream]) -> Iterator[RevolveAction]:
    while some := stream.some(256):
        for kind, slot, begin, end in some:
            yield RevolveAction(_KINDS[kind], slot, begin, end)
