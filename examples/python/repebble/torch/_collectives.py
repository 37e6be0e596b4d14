"""Functional collectives in torch's graphs: which may run again, what ends them, whom they join, and what they take."""

from __future__ import annotations

from typing import Any

from torch import fx

from .._errors import BadOption, Error
from .._link import text_of

#: Bytes/s that each rank receives, and the time until the first of them comes: a card of 400 Gbit/s for each rank.
INTERCONNECT = "50GB/s,10us"


def is_one(target: Any) -> bool:
    """Whether an operator is a functional collective, or the wait for one."""
    return str(getattr(target, "namespace", "")).startswith("_c10d_functional")


def is_wait(target: Any) -> bool:
    """Whether an operator waits for collectives."""
    return is_one(target) and _name(target) in ("wait_tensor", "wait_tensors")


def is_gather(node: fx.Node) -> bool:
    """Whether a node is an all-gather that may run again: its result is waited for before all else."""
    target = node.target
    return (
        is_one(target) and _name(target) == "all_gather_into_tensor" and bool(ranks_of(node)) and bool(node.users)
        and all(map(ends_one, node.users))
    )  # fmt: skip


def ends_one(node: fx.Node) -> bool:
    """Whether a node is the wait for one collective of its graph."""
    if not is_wait(node.target) or _name(node.target) != "wait_tensor":
        return False
    launch = node.args[0]
    return isinstance(launch, fx.Node) and is_one(launch.target) and not is_wait(launch.target)


def ranks_of(node: fx.Node) -> tuple[int, ...]:
    """The ranks of a collective's process group. () where the node has none, or it is known only when it runs."""
    if not is_one(node.target):
        return ()
    import torch.distributed as dist
    from torch.distributed.distributed_c10d import _resolve_process_group

    names = [a.name for a in node.target._schema.arguments]  # type: ignore[union-attr]
    place = names.index("group_name") if "group_name" in names else len(node.args)
    group = node.args[place] if place < len(node.args) else node.kwargs.get("group_name")
    if isinstance(group, str):
        group = _resolve_process_group(group)  # type: ignore[arg-type]
    return tuple(dist.get_process_group_ranks(group)) if isinstance(group, dist.ProcessGroup) else ()


def parsed(interconnect: Any) -> tuple[float, float]:
    """Nanoseconds of a byte, and of the latency. Raises BadOption."""
    from .. import _core

    try:
        size, time, latency, half_duplex = _core.parse_link(text_of(interconnect))
    except Error as error:
        raise BadOption(f"interconnect: {error}") from None
    if half_duplex:
        raise BadOption(f"an interconnect is not half-duplex: {interconnect!r}")
    return float(time / size), float(latency)


def time_of(target: Any, given: int, brought: int, interconnect: str) -> float:
    """Nanoseconds of a collective of so many bytes on this rank: what it receives over the interconnect.

    An all-gather brings more than it is given, a reduce-scatter less; an all-reduce is one after the other.
    """
    if is_wait(target):
        return 0.0
    received = abs(brought - given) or brought * (2 if _name(target).startswith("all_reduce") else 1)
    per_byte, latency = parsed(interconnect)
    return max(1.0, round(latency + received * per_byte))


def _name(target: Any) -> str:
    return str(getattr(getattr(target, "_schema", None), "name", "")).rpartition("::")[2]
