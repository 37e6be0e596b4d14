"""Functions of JAX within a memory budget. Imports jax only when something of it is used.

step = repebble.jax.plan(jax.value_and_grad(loss), "60%")
value, gradients = jax.jit(step)(parameters, batch)
print(repebble.jax.report(step))
"""

from __future__ import annotations

from typing import Any

_PLACES = {
    "Function": "_plan",
    "Report": "_plan",
    "plan": "_plan",
    "report": "_plan",
    "temporary_bytes": "_plan",
    "trace": "_trace",
}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
