"""Copies to the host and back as operators of torch: each begins on a stream of its own, and another one waits for it.

Of tensors on the CPU the copy lies there, too, in a storage of its own, and no copy goes on beside computation.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from . import _inside

_library = torch.library.Library("repebble", "DEF")
for _schema in (
    "to_host(Tensor source) -> Tensor",
    "landed(Tensor(a!) host, Tensor source) -> ()",
    "to_device(Tensor host, Device device) -> Tensor",
    "arrived(Tensor(a!) copy) -> ()",
):
    _library.define(_schema)

#: Begins a copy to the host, of the whole storage: pinned memory where it is for CUDA.
TO_HOST = torch.ops.repebble.to_host.default
#: What follows on the device waits for the end of a copy to the host: then its source may be freed.
LANDED = torch.ops.repebble.landed.default
#: Begins a copy back.
TO_DEVICE = torch.ops.repebble.to_device.default
#: What follows on the device waits for the end of a copy back: then it may be read.
ARRIVED = torch.ops.repebble.arrived.default

_streams: dict[tuple[torch.device, bool], Any] = {}  # of each device, to the host or back
_ends: dict[int, Any] = {}  # events at the ends of copies that nobody has waited for, by the storage that is written


def _like(source: torch.Tensor, device: torch.device, pinned: bool = False) -> torch.Tensor:
    """A tensor as the source, in a storage of the same size."""
    size = source.untyped_storage().nbytes()
    raw = torch.empty(size, dtype=torch.uint8, device=device, pin_memory=pinned)
    made = torch.empty(0, dtype=source.dtype, device=device)
    return made.set_(raw.untyped_storage(), source.storage_offset(), source.size(), source.stride())


def _bytes(of: torch.Tensor) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=of.device).set_(of.untyped_storage())


def _begin(source: torch.Tensor, target: torch.Tensor, device: torch.device, back: bool) -> torch.Tensor:
    if device.type != "cuda":
        _bytes(target).copy_(_bytes(source))
        return target
    if (device, back) not in _streams:
        _streams[device, back] = torch.cuda.Stream(device)
    stream = _streams[device, back]
    stream.wait_stream(torch.cuda.current_stream(device))  # it makes the source, and may still use the target's memory
    with torch.cuda.stream(stream):
        _bytes(target).copy_(_bytes(source), non_blocking=True)
        _ends[target.untyped_storage()._cdata] = stream.record_event()
    # Where the pass is given up nobody waits for the end: then its memory waits before it serves others.
    key, computing = target.untyped_storage()._cdata, torch.cuda.current_stream(device)
    weakref.finalize(target.untyped_storage(), _wait, key, computing).atexit = False
    return target


def _wait(storage: int, stream: Any) -> None:
    end = _ends.pop(storage, None)
    if end is not None:
        stream.wait_event(end)


def _wait_now(of: torch.Tensor, device: torch.device) -> None:
    if device.type == "cuda":
        _wait(of.untyped_storage()._cdata, torch.cuda.current_stream(device))


def settle() -> None:
    """Waits for the end of all copies, if hooks will read what a pass saves."""
    if _inside.has_saved_tensors_hooks():
        for end in list(_ends.values()):
            end.synchronize()


def _to_host(source: torch.Tensor) -> torch.Tensor:
    host = _like(source, torch.device("cpu"), source.device.type == "cuda")
    return _begin(source, host, source.device, False)


def _landed(host: torch.Tensor, source: torch.Tensor) -> None:
    _wait_now(host, source.device)


def _to_device(host: torch.Tensor, device: torch.device) -> torch.Tensor:
    return _begin(host, _like(host, device), device, True)


def _arrived(copy: torch.Tensor) -> None:
    _wait_now(copy, copy.device)


for _name, _function in (
    ("to_host", _to_host),
    ("landed", _landed),
    ("to_device", _to_device),
    ("arrived", _arrived),
):
    _library.impl(_name, _function, "CompositeExplicitAutograd")


@torch.library.register_fake("repebble::to_host", lib=_library)
def _(source: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(source.size(), source.stride(), dtype=source.dtype, device="cpu")


@torch.library.register_fake("repebble::to_device", lib=_library)
def _(host: torch.Tensor, device: torch.device) -> torch.Tensor:
    return torch.empty_strided(host.size(), host.stride(), dtype=host.dtype, device=device)


@torch.library.register_fake("repebble::landed", lib=_library)
def _(host: torch.Tensor, source: torch.Tensor) -> None:
    return None


@torch.library.register_fake("repebble::arrived", lib=_library)
def _(copy: torch.Tensor) -> None:
    return None
