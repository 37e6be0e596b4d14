"""The least time of any schedule of a tiny graph within a budget, by uniform-cost search in pure Python."""

from __future__ import annotations

import heapq
import itertools
import random
from typing import Any, Optional


def random_graph(seed: int, operations: int = 5) -> dict[str, Any]:
    """A graph without views and mutations: inputs, outputs, workspaces, results, order, alternatives."""
    r = random.Random(seed)
    inputs = r.randint(0, 1)
    values: list[dict[str, Any]] = [{"size": 5, "name": "input"} for _ in range(inputs)]
    rows: list[dict[str, Any]] = []
    for i in range(operations):
        reads = sorted({r.randrange(len(values)) for _ in range(r.randint(0, 2))}) if values else []
        outputs = 2 if r.random() < 0.2 else 1
        writes = list(range(len(values), len(values) + outputs))
        values += [{"size": r.randint(0, 9), "result": r.random() < 0.15} for _ in writes]
        rows.append({"time": r.randint(0, 5), "reads": reads, "writes": writes, "workspace": r.choice([0, 0, 3]),
                     "recomputable": r.random() < 0.85, "name": f"op{i}",
                     "after": [r.randrange(i)] if i and r.random() < 0.15 else []})  # fmt: skip
    if r.random() < 0.3 and len(rows[-1]["writes"]) == 1:  # another way to compute the last value from the same
        rows.append({"time": r.randint(0, 3), "reads": rows[-1]["reads"], "writes": rows[-1]["writes"]})
    return {"values": values, "operations": rows}


def random_program(seed: int, operations: int = 12) -> dict[str, Any]:
    """A graph with views of views, mutations of values, inputs and views, and results, as a framework has them."""
    r = random.Random(seed)
    values: list[dict[str, Any]] = [{"size": r.randint(1, 9)} for _ in range(2)]
    owner = [0, 1]
    fresh = {0, 1}  # names that are not views from before a mutation
    rows: list[dict[str, Any]] = []
    for _ in range(operations):
        reads = sorted(r.sample(sorted(fresh), min(len(fresh), r.randint(1, 3))))
        row: dict[str, Any] = {"time": r.randint(0, 9), "reads": reads, "writes": []}
        kind = r.random()
        if kind < 0.2:  # in place, perhaps through a view
            row["mutates"] = [reads[0]]
            fresh -= {v for v in fresh if owner[v] == owner[reads[0]]} - {owner[reads[0]], reads[0]}
        if kind < 0.1 or kind >= 0.2:
            new = len(values)
            row["writes"] = [new]
            of = reads[0] if kind < 0.5 else new  # a view, or a value of its own
            values.append({"size": r.randint(1, 9)} if of == new else {"size": 0, "view_of": of})
            owner.append(new if of == new else owner[of])
            fresh.add(new)
        rows.append(row)
    for value in r.sample(sorted(fresh), min(2, len(fresh))):
        values[value]["result"] = True
    return {"values": values, "operations": rows}


def least_time(graph: dict[str, Any], budget: int) -> Optional[int]:
    """The least time of all steps; None where no schedule is within the budget."""
    size = [v["size"] for v in graph["values"]]
    rows = graph["operations"]
    written = {w for o in rows for w in o["writes"]}
    reads = [[v for v in o["reads"] if v in written] for o in rows]
    results = frozenset(v for v in written if graph["values"][v].get("result"))
    read_by_some = {v for o in reads for v in o}
    sinks = [i for i, o in enumerate(rows) if not any(w in read_by_some for w in o["writes"])]
    producers = {v: [i for i, o in enumerate(rows) if v in o["writes"]] for v in written}

    def complete(resident: frozenset[int], run: frozenset[int]) -> bool:
        computed = {w for i in run for w in rows[i]["writes"]}
        return results <= resident and all(
            i in run or any(len(producers[w]) > 1 and w in computed for w in rows[i]["writes"]) for i in sinks
        )

    ties = itertools.count()
    queue: list[tuple[int, int, frozenset[int], frozenset[int]]] = [(0, next(ties), frozenset(), frozenset())]
    done: set[tuple[frozenset[int], frozenset[int]]] = set()
    while queue:
        time, _, resident, run = heapq.heappop(queue)
        if (resident, run) in done:
            continue
        done.add((resident, run))
        if complete(resident, run):
            return time
        for value in resident:
            heapq.heappush(queue, (time, next(ties), resident - {value}, run))
        in_use = sum(size[v] for v in resident)
        for i, o in enumerate(rows):
            if i in run and not o.get("recomputable", True):
                continue
            if not set(reads[i]) <= resident or not set(o.get("after", [])) <= run:
                continue
            if in_use + sum(size[w] for w in o["writes"]) + o.get("workspace", 0) <= budget:
                after = resident | frozenset(o["writes"])
                heapq.heappush(queue, (time + o["time"], next(ties), after, run | {i}))
    return None
