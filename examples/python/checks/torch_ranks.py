"""Ranks of a check: gloo processes on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as processes


def run_ranks(count: int, check: Callable[..., bool], *given: Any) -> int:
    """Runs `check(rank, *given)` on so many ranks. Returns the exit status: 1 where it is false on one of them."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    good = torch.zeros(count, dtype=torch.bool).share_memory_()
    processes.spawn(_run, (count, store.port, check, given, good), count)
    return 0 if bool(good.all()) else 1


def _run(rank: int, count: int, port: int, check: Callable[..., bool], given: Any, good: torch.Tensor) -> None:
    torch.set_num_threads(1)
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=count)
    good[rank] = check(rank, *given)
    dist.barrier()
    dist.destroy_process_group()
