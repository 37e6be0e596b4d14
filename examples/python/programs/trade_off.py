#!/usr/bin/env python3
"""Draws the price of memory in time: the overhead of plans for many budgets, and what no plan can beat.

    python trade_off.py [GRAPH.json] [--points N] [--time-limit SECONDS] [--out FILE.svg]

The graph is JSON as `repebble.plan` takes it; without one, a training step of a residual network. Needs nothing
beside repebble. Each part below stands by itself, as the cells of a notebook do. Ctrl-C ends the search: what is known
is drawn.
"""

# %% A graph
import argparse
import pathlib
import sys

import repebble


def residual_network(blocks=12, batch=32):
    """A training step: blocks of two convolutions and a skip connection, their gradients, times in microseconds."""
    values, operations = [], []

    def add(name, reads, megabytes, microseconds, way, result=False):
        values.append({"name": name, "size": int(megabytes * batch * 1e5), "result": result})
        operations.append(
            {"name": name, "time": microseconds, "reads": reads, "writes": [len(values) - 1], "pass": way}
        )
        return len(values) - 1

    x = add("images", [], 6, 5, "forward")
    layers = []
    for b in range(blocks):
        shrink = 0.5 ** (b // 4)
        c = add(f"conv{b}a", [x], 8 * shrink, 180, "forward")
        r = add(f"relu{b}", [c], 8 * shrink, 12, "forward")
        d = add(f"conv{b}b", [r], 8 * shrink, 180, "forward")
        y = add(f"add{b}", [d, x], 8 * shrink, 15, "forward")
        layers.append((x, c, r, shrink))
        x = y
    g = add("loss", [x], 0.001, 5, "forward", result=True)
    for b, (x, c, r, shrink) in reversed(list(enumerate(layers))):
        gr = add(f"grad conv{b}b", [g, r], 8 * shrink, 360, "backward")
        gc = add(f"grad relu{b}", [gr, c], 8 * shrink, 12, "backward")
        gx = add(f"grad conv{b}a", [gc, x], 8 * shrink, 360, "backward")
        g = add(f"grad add{b}", [gx, g], 8 * shrink, 15, "backward")
    return {"values": values, "operations": operations}


# %% Plans from the least budget that there can be to that of keeping everything
def trade_off(graph, points, seconds):
    """Pairs of a budget and its plan."""
    everything = repebble.keep_all(graph)
    span = everything.keep_all_peak - everything.floor.size
    budgets = [everything.floor.size + span * i // (points - 1) for i in range(points)]
    plans = repebble.plan(graph, budgets, seconds=seconds)
    return everything, [(budget, plan) for budget, plan in zip(budgets, plans) if plan]


# %% A table
def print_table(everything, curve):
    print("   budget  of keep_all  overhead  at least")
    for budget, plan in curve:
        once = plan.time - plan.overhead
        print(f"{budget / 2**20:6.0f}MiB {budget / everything.peak:11.1%} {plan.overhead / once:9.2%} "
              f"{plan.lower_bound / once:9.2%}{'  time least' if plan.time_least else ''}")  # fmt: skip


# %% A picture: SVG needs no library
def svg(everything, curve):
    width, height, left, bottom = 640, 400, 60, 40
    once = curve[0][1].time - curve[0][1].overhead
    most = max(plan.overhead / once for _, plan in curve) or 1

    def at(budget, overhead):
        x = left + (width - left - 20) * budget / everything.peak
        return f"{x:.1f},{height - bottom - (height - bottom - 20) * overhead / once / most:.1f}"

    def line(pairs, style):
        return f'<polyline fill="none" {style} points="{" ".join(at(*pair) for pair in pairs)}"/>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             f'font-size="12"><rect width="100%" height="100%" fill="white"/>']  # fmt: skip
    for k in range(5):
        x, y = at(everything.peak * k / 4, most * once * k / 4).split(",")
        parts.append(f'<path stroke="#ddd" d="M{left},{y}H{width - 20}M{x},20V{height - bottom}"/>')
        parts.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{most * k / 4:.0%}</text>')
        parts.append(f'<text x="{x}" y="{height - bottom + 16}" text-anchor="middle">{k * 25}%</text>')
    parts.append(f'<text x="{width // 2}" y="{height - 6}" text-anchor="middle">budget, of what keep_all takes</text>')
    parts.append(f'<text x="{left}" y="14">overhead; dashed: no plan has less</text>')
    parts.append(line([(b, p.overhead) for b, p in curve], 'stroke="#1f77b4" stroke-width="2"'))
    parts.append(line([(b, p.lower_bound) for b, p in curve], 'stroke="#555" stroke-dasharray="5 4"'))
    return "\n".join(parts) + "\n</svg>\n"


# %% All of it
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", nargs="?", type=pathlib.Path)
    parser.add_argument("--points", type=int, default=15)
    parser.add_argument("--time-limit", type=float, default=2.0)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("trade_off.svg"))
    arguments = parser.parse_args()
    try:
        graph = arguments.graph.read_bytes() if arguments.graph else residual_network()
        everything, curve = trade_off(graph, max(2, arguments.points), arguments.time_limit)
    except (OSError, repebble.Error) as e:
        sys.exit(f"trade_off: {e}")
    if not curve:
        sys.exit("trade_off: no plan was found for any budget")
    print_table(everything, curve)
    part = arguments.out.with_name(arguments.out.name + ".part")
    part.write_text(svg(everything, curve), encoding="utf-8")
    part.replace(arguments.out)  # which is the old or the new picture, whatever happens


if __name__ == "__main__":
    main()
