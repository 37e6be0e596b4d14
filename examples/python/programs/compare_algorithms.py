# %% [markdown]
# # An algorithm of one's own beside the strategies of the literature
#
# A training step of a network by name; an algorithm as a function of graph and budget; and the overhead of its schedules
# beside those of five strategies, all judged by the same replay. Needs matplotlib for the pictures.

# %%
import repebble
from repebble import plots

graph = repebble.make_training_graph(repebble.network("resnet18", batch=64))
everything = repebble.keep_all(graph)
print(graph)
print(f"keeping everything takes {everything.peak / 2**30:.2f} GiB and {everything.time / 1e6:.1f} ms")

# %% [markdown]
# The algorithm keeps what takes long to compute for its bytes, as much as fits, and computes all else again when a
# gradient first reads it. It returns the operations in the order in which they run, with repetitions;
# `repebble.make_schedule` discards each value after its last use.


# %%
def computations(graph, kept):
    """All operations in order, and before each gradient what it reads and is not kept."""
    operations = graph.operations
    writer = {value: i for i, o in enumerate(operations) for value in o["writes"]}
    order = [i for i, o in enumerate(operations) if o["pass"] == "forward"]
    there = set(kept)

    def compute(i):
        for value in operations[i]["reads"]:
            if value in writer and writer[value] not in there:
                compute(writer[value])
        there.add(i)
        order.append(i)

    for i, o in enumerate(operations):
        if o["pass"] == "backward":
            compute(i)
    return order


def keep_dear(graph, budget):
    """The largest share of the operations, by time for each byte, whose values can be kept within the budget."""
    forward = [i for i, o in enumerate(graph.operations) if o["pass"] == "forward"]
    size = [sum(graph.values[v]["size"] for v in o["writes"]) for o in graph.operations]
    dear = sorted(forward, key=lambda i: graph.operations[i]["time"] / max(size[i], 1), reverse=True)
    for share in range(20, -1, -1):
        order = computations(graph, dear[: len(dear) * share // 20])
        if repebble.replay(graph, repebble.make_schedule(graph, order)).peak <= budget:
            return order
    return None


# %% [markdown]
# Overheads in per cent of computing everything once, where the schedule fits the budget.

# %%
names = ["sqrt_segments", "greedy_eviction", "save_set", "chain", "automatic"]
algorithms = {"keep_dear": keep_dear, **{name: name for name in names}}
found = repebble.compare(graph, algorithms, [f"{share}%" for share in range(30, 101, 10)])
print(found.table())

# %%
axes = plots.plot_trade_off(found)
axes.figure.savefig("compare_algorithms.svg")

# %% [markdown]
# What two schedules hold over time, and where it lies in one block of memory.

# %%
plan = repebble.plan(graph, "60%")
axes = plots.plot_profiles(graph, {"everything": everything, "automatic, 60%": plan})
axes.figure.savefig("profiles.svg")

# %%
arena = repebble.make_arena(graph, plan, alignment=256)
print(f"{len(arena.buffers)} buffers in {arena.height / 2**30:.2f} GiB, {arena.proof}")
axes = plots.plot_offsets(arena)
axes.figure.savefig("offsets.svg")
