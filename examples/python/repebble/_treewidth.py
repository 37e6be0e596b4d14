"""Treewidth of graphs, elimination orders and tree decompositions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from . import _core
from ._errors import BadGraph, BadOption
from ._limits import Stop, count, limits_of
from ._tables import Table, as_list, indices, parsed, part, shown, text, whole

_MOST_VERTICES = 1 << 20  # of a graph that can say that there are more, alone


@dataclass(frozen=True)
class Treewidth:
    """Proven bounds on a treewidth, and a tree decomposition of the upper width."""

    lower: int
    """No width is less."""
    upper: int
    """The width of the decomposition."""
    heuristic: str
    """The technique that found the order."""
    order: list[int] = field(repr=False)
    """An elimination order of the upper width."""
    bags: list[list[int]] = field(repr=False)
    """Every vertex, and both ends of every edge, share a bag; those with any one vertex are connected."""
    edges: list[tuple[int, int]] = field(repr=False)
    """Between bags: a tree."""

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper


def find_treewidth(
    graph: Any,
    vertices: Optional[int] = None,
    *,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
    seed: int = 1,
    threads: int = 1,
) -> Treewidth:
    """Bounds the treewidth of an undirected graph from both sides.

    graph: its edges as pairs of vertices (a list or an (m, 2) array), a mapping from each vertex to its neighbours, or
        a graph with `values` and `operations` as for `plan`: there, what writes a value is joined to what reads it.
    vertices: how many there are, numbered from 0; without it, as many as the edges name.
    seconds: seconds after which the bounds so far are returned. Without them, equal calls return equal bounds.
    work: states of each exact search (500,000). stop: asked at most 50 times a second; True ends the search.

    The GIL is released. Raises BadGraph, BadOption.
    """
    number, edges = _graph_of(graph, vertices)
    limits = limits_of(seconds, work, stop)
    lower, upper, heuristic, order, bags, tree = _core.find_treewidth(
        number, edges, *limits, count(seed, "seed"), count(threads, "threads")
    )
    return Treewidth(lower, upper, heuristic, order, bags, tree)


def find_elimination_order(
    graph: Any, vertices: Optional[int] = None, *, rule: str = "fill"
) -> tuple[list[int], int]:
    """A greedy elimination order of an undirected graph, and its width.

    graph, vertices: as of `find_treewidth`. rule: which vertex is next: "fill", one whose neighbours lack the fewest
    edges; "degree", one with the fewest neighbours; or "fill_per_neighbor". Nearly O(n + m) where there is little fill.

    The GIL is released. Raises BadGraph, BadOption.
    """
    number, edges = _graph_of(graph, vertices)
    return _core.elimination_order(number, edges, text(rule, "rule", BadOption))


def make_tree_decomposition(
    graph: Any, order: Any, vertices: Optional[int] = None
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """The bags of the tree decomposition of an elimination order, of the same width, and the edges between them.

    graph, vertices: as of `find_treewidth`; order: every vertex once. O(m α(n) + the bags' sizes).

    The GIL is released. Raises BadGraph, naming the vertex.
    """
    number, edges = _graph_of(graph, vertices)
    places = indices(order, "the order")
    for v in places:
        if not 0 <= v < number:
            raise BadGraph(f"the order names vertex {v}, but there are {number}")
    return _core.tree_decomposition(number, edges, places)


def _graph_of(graph: Any, vertices: Optional[int]) -> tuple[int, list[tuple[int, int]]]:
    """How many vertices there are, and the edges."""
    number, edges = _edges(parsed(graph))
    if vertices is not None:
        number = count(vertices, "vertices")
    if number > max(_MOST_VERTICES, 4 * len(edges)):
        raise BadGraph(f"the graph has {number} vertices, more than {_MOST_VERTICES} and than four times its edges")
    return number, edges


def _edges(graph: Any) -> tuple[int, list[tuple[int, int]]]:
    edges: list[tuple[int, int]] = []
    number = 0
    if "operations" in graph if isinstance(graph, Mapping) else hasattr(graph, "operations"):
        table = Table(part(graph, "operations"), "operations", ("reads", "writes"))
        writers: dict[int, list[int]] = {}
        for i, written in enumerate(table.indices("writes")):
            for value in written:
                writers.setdefault(value, []).append(i)
        for i, read in enumerate(table.indices("reads")):
            edges += [(u, i) for value in read for u in writers.get(value, []) if u != i]
        number = len(table)
    elif isinstance(graph, Mapping):
        for vertex, neighbours in graph.items():
            v = whole(vertex, "a vertex", BadGraph)
            number = max(number, v + 1)
            edges += [(v, w) for w in indices(neighbours, f"the neighbours of vertex {v}")]
    else:
        for i, pair in enumerate(as_list(graph, "the graph", BadGraph, "neither a list of edges nor a mapping")):
            ends = indices(pair, f"edge {i}")
            if len(ends) != 2:
                raise BadGraph(f"edge {i} is no pair of vertices: {shown(pair)}")
            edges.append((ends[0], ends[1]))
    for i, ends_ in enumerate(edges):
        if not 0 <= min(ends_) <= max(ends_) < (1 << 32) - 1:
            raise BadGraph(f"edge {i} names a vertex that cannot be: {ends_}")
        number = max(number, max(ends_) + 1)
    return number, edges
