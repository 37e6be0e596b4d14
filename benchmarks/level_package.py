#!/usr/bin/env python3
"""Levels of memory beside the published package: least costs, costs of schedules, seconds, in one run.

    pip install checkpoint_schedules
    python3 level_package.py build/release/benchmarks/benchmark_level_tables

Prints the rows of benchmarks/level_tables.md under "Beside checkpoint_schedules". The package's costs are those of its
own table, and of its own schedules, added up action by action.
"""

import subprocess
import sys
import time

from checkpoint_schedules.hrevolve_sequences import hrevolve
from checkpoint_schedules.hrevolve_sequences.hrevolve import get_hopt_table
from checkpoint_schedules.mixed import optimal_steps_mixed


def schedule_cost(steps, slots, writes, reads, advance, reverse):
    """The cost of the package's schedule: advances (those beyond the run with the tape), reversals, writes, reads."""
    cost = 0
    for op in hrevolve(steps - 1, slots, writes, reads, advance, reverse):
        if op.type == "Forward":
            cost += (op.index[1] - op.index[0]) * advance
        elif op.type == "Backward":
            cost += reverse - advance  # the run with the tape is among the forward ones
        elif op.type == "Write":
            cost += writes[op.index[0]]
        elif op.type == "Read":
            cost += reads[op.index[0]]
    return cost


def main():
    sys.setrecursionlimit(1 << 20)
    rows = subprocess.run([sys.argv[1], "--cases"], check=True, capture_output=True, text=True).stdout.split("\n")
    print("| steps | RAM + disk slots | write, read | advance, reverse | least cost | s | package's table | its schedule | "
          "s | cost ratio | time ratio |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for row in filter(None, rows):
        kind, *numbers = row.split()
        *numbers, seconds = numbers
        seconds = float(seconds)
        if kind == "mixed":
            continue
        steps, ram, disk, write, read, advance, reverse, cost = map(int, numbers)
        begin = time.perf_counter()
        table = get_hopt_table(steps - 1, (ram, disk), (0, write), (0, read), reverse, advance)
        least = table[1][1][steps - 1][disk]
        between = time.perf_counter()
        theirs = schedule_cost(steps, (ram, disk), (0, write), (0, read), advance, reverse)
        end = time.perf_counter()
        print(f"| {steps} | {ram} + {disk} | {write}, {read} | {advance}, {reverse} | {cost} | {seconds:.5f} | "
              f"{least:.0f} | {theirs} | {end - between:.2f} | {theirs / cost:.4f} | {(end - between) / seconds:.0f} |")
    print("\n| steps | slots | advances, mixed | s | package | s |\n|--:|--:|--:|--:|--:|--:|")
    for row in filter(None, rows):
        kind, *numbers = row.split()
        if kind != "mixed":
            continue
        steps, slots, cost = map(int, numbers[:3])
        begin = time.perf_counter()
        theirs = optimal_steps_mixed(steps, slots) - steps
        taken = time.perf_counter() - begin
        print(f"| {steps} | {slots} | {cost} | {float(numbers[3]):.5f} | {theirs} | {taken:.2f} |")


if __name__ == "__main__":
    main()
