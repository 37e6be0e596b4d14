"""What a budget is for beside the values of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._errors import BadOption
from ._graph import Graph
from ._tables import as_list, whole

INCLUDED = ("parameters", "gradients", "optimizer", "inputs")


def included(include: Iterable[str]) -> tuple[str, ...]:
    """The words. Raises BadOption where one is unknown."""
    words = as_list(include, "include", BadOption)
    if wrong := [word for word in words if word not in INCLUDED]:
        raise BadOption(f"include is a list of {', '.join(INCLUDED)}, not {wrong}")
    return tuple(words)


def bytes_beside(graph: Any, include: tuple[str, ...], optimizer_states: int) -> int:
    """The bytes of all that `include` names: of parameters all, of gradients and states those of the trained ones.

    Raises BadOption where the graph does not say what its parameters are: networks by name and ONNX models do; BadWeight
    where the bytes do not fit in 64 bits.
    """
    if not include:
        return 0
    copies = ("gradients" in include) + optimizer_states * ("optimizer" in include)
    try:
        parameters = [(whole(p["size"], "size"), p.get("trained", True)) for p in graph.extra["parameters"]]
        beside = whole(graph.extra["input_bytes"], "input_bytes") if "inputs" in include else 0
    except (AttributeError, KeyError, TypeError):
        said = "says nothing" if isinstance(graph, Graph) else "is no repebble.Graph, and says nothing"
        raise BadOption(f"include: the graph {said} of its parameters") from None
    beside += sum(size * (("parameters" in include) + copies * bool(trained)) for size, trained in parameters)
    return whole(beside, "the number of bytes beside the plan")
