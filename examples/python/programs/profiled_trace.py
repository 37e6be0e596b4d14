#!/usr/bin/env python3
"""What PyTorch's profiler saw of a training step, as a trace of memory that `swap` plans.

    from profiled_trace import write_trace
    with torch.profiler.profile(profile_memory=True, record_shapes=True, with_stack=True) as seen:
        step()
    write_trace(seen, "step.jsonl")

    swap step.jsonl --limit 60%

Operations, their times, what they read, write, allocate and free are the profiler's own data flow, from which it draws
its memory timeline. The files of `export_chrome_trace` and `export_memory_timeline` do not have what an operation reads,
so that they do not suffice. Buffers are storages of one device: that with most bytes, or `device="cuda:0"`. What an
operation allocates and frees again is its workspace.
"""
import collections
import json


def device_of(key):
    """Such as cpu or cuda:0."""
    return str(key.device)


def device_with_most(nodes, size_of):
    """The device on which most bytes are touched, each buffer once."""
    sizes = collections.Counter()
    for key in {key for node in nodes for key in node._edges}:
        sizes[device_of(key)] += size_of(key)
    return sizes.most_common(1)[0][0]


class TraceWriter:
    """Rows of a trace of the buffers of one device."""

    def __init__(self, nodes, size_of, device):
        self.nodes, self.size_of, self.device = nodes, size_of, device
        self.begin = nodes[0].start_time
        self.numbers, self.rows = {}, []

    def edges_of(self, node):
        return {key: edge for key, edge in node._edges.items() if device_of(key) == self.device}

    def row(self, node, what, key, **more):
        number = self.numbers.setdefault(key, len(self.numbers))
        self.rows.append({"t": node.start_time - self.begin, "op": what, "buf": number, "bytes": self.size_of(key), **more})

    def add_preexisting(self):
        seen = set()
        for node in self.nodes:
            for key, edge in self.edges_of(node).items():
                if key not in seen and not edge.is_allocation:
                    self.row(self.nodes[0], "malloc", key)
                seen.add(key)
        self.rows.append({"t": 0, "op": "mark", "name": "iteration"})

    def add(self, run, node):
        edges = self.edges_of(node)
        made = [key for key, e in edges.items() if e.is_allocation and not e.is_deletion]
        inner = [key for key, e in edges.items() if e.is_allocation and e.is_deletion]
        freed = [key for key, e in edges.items() if e.is_deletion and not e.is_allocation]
        is_release = node._event.name == "[memory]"
        reads = [] if is_release else [key for key, e in edges.items() if not e.is_allocation]
        writes = made + [key for key, e in edges.items() if e.mutated and not e.is_allocation]
        for key in made:
            self.row(node, "malloc", key)
        of_run = {"kernel": node._event.name, "run": run}
        first = {"workspace": sum(map(self.size_of, inner))} if inner else {}
        for what, key in [("read", key) for key in reads] + [("write", key) for key in writes]:
            self.row(node, what, key, **of_run, **first)
            first = {}
        for key in freed:
            self.row(node, "free", key)

    def write(self, name, end):
        self.add_preexisting()
        for run, node in enumerate(self.nodes):
            self.add(run, node)
        return [{"op": "header", "name": name, "unit": "ns", "duration": end - self.begin}, *self.rows]


def trace_of(nodes, size_of, name="", device=None):
    """Rows of a trace of nodes of the profiler's data flow, in the order of their times; `size_of(key)` in bytes."""
    nodes = [node for node in nodes if node._edges]
    if not nodes:
        raise ValueError("the profiler saw no memory: profile_memory, record_shapes and with_stack must be True")
    end = max(node.start_time if node._event.name == "[memory]" else node._event.end_time_ns for node in nodes)
    return TraceWriter(nodes, size_of, device or device_with_most(nodes, size_of)).write(name, end)


def write_trace(profiler, path, name="", device=None):
    """Writes what `torch.profiler.profile` saw as a trace file."""
    memory = profiler._memory_profile()
    rows = trace_of(memory._data_flow_graph.flow_nodes, lambda key: memory._size_map[key], name, device)
    with open(path, "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
