"""Bytes that tensors really hold: a mode that counts storages as operators bring and free them."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass

from ._copies import TO_HOST
from ._times import storage_bytes


class StorageCounter(TorchDispatchMode):
    """Counts the storages that operators allocate while it is on, each once, until they are freed.

    `known` are tensors that were there before. After the run, `peak(without)` is the most bytes at once, where the
    storages of the tensors in `without` (gradients, say) are left out. Copies of a plan on the host are not among them:
    `host_peak()` is the most bytes of these.
    """

    supports_higher_order_operators = True

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Compiled code runs compiled while this mode is on."""
        return True

    def __init__(self, known: Any = ()) -> None:
        super().__init__()
        self.events: list[tuple[int, int]] = []  # storage, bytes more or less
        self._numbers: dict[int, int] = {}  # of living storages, by address of the object
        self._references: dict[int, Any] = {}
        self._count = 0
        self._on_host: set[int] = set()
        for tensor in _tensors(known):
            self._see(tensor, 0)

    def _see(self, tensor: torch.Tensor, size: int | None = None) -> int:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._numbers:
            number, self._count = self._count, self._count + 1
            size = storage_bytes(tensor) if size is None else size
            self._numbers[key] = number
            self.events.append((number, size))

            def freed(_: Any, key: int = key, number: int = number, size: int = size) -> None:
                self.events.append((number, -size))
                self._references.pop(number, None)
                if self._numbers.get(key) == number:
                    del self._numbers[key]

            self._references[number] = weakref.ref(storage, freed)
        return self._numbers[key]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for tensor in _tensors(out):
            number = self._see(tensor)
            if func is TO_HOST:
                self._on_host.add(number)
        return out

    def numbers_of(self, tensors: Any) -> set[int]:
        """The numbers of the storages of tensors that the mode has seen."""
        return {
            self._numbers[t.untyped_storage()._cdata]
            for t in _tensors(tensors)
            if t.untyped_storage()._cdata in self._numbers
        }

    def peak(self, without: Any = ()) -> int:
        """The most bytes at once."""
        skip = self.numbers_of(without) | self._on_host
        return _most(change for number, change in self.events if number not in skip)

    def on_device(self, begin: int, end: int | None = None) -> list[tuple[int, int]]:
        """Those of some events that are of no copy on the host."""
        return [event for event in self.events[begin:end] if event[0] not in self._on_host]

    def host_peak(self) -> int:
        """The most bytes at once of copies on the host."""
        return _most(change for number, change in self.events if number in self._on_host)


def _most(changes: Iterable[int]) -> int:
    return max(itertools.accumulate(changes, initial=0))


def _tensors(tree: Any) -> Iterator[torch.Tensor]:
    """Those with storages: of a DTensor and other wrappers what is inside."""
    for leaf in pytree.tree_leaves(tree):
        if is_traceable_wrapper_subclass(leaf):
            yield from _tensors([getattr(leaf, name) for name in leaf.__tensor_flatten__()[0]])
        elif isinstance(leaf, torch.Tensor):
            yield leaf
