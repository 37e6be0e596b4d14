"""`torch.compile` within a memory budget. Imports torch only when something of it is used.

model = torch.compile(model, backend=repebble.torch.backend("60%"))
print(repebble.torch.report(model))
"""

from __future__ import annotations

from typing import Any

_PLACES = {
    "backend": "_backend",
    "Backend": "_backend",
    "GraphReport": "_report",
    "partitioner": "_backend",
    "report": "_backend",
    "DEVICES": "_times",
    "StorageCounter": "_measure",
    "Joint": "_joint",
    "Captured": "_capture",
    "rebuild": "_rebuild",
    "run_both": "_fake_run",
    "split": "_split",
    "measure": "_split",
    "plan_joint": "_planning",
    "Pipeline": "_pipeline",
}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
