#!/usr/bin/env python3
"""Tries other values of the constants of the automatic planner (`planner/effort.hpp`), and writes what each costs.

    tune_effort.py PLAN CONSTANT... [--graphs G...] [--budgets N] [--seeds S...] [--effort NAME=VALUE...] [-o TABLE.md]

PLAN is the program of examples/plan. A coordinate search: half and double of a constant, then by the root of two, from
the best so far, as long as it pays. A value is judged by the mean overhead over the curves of all graphs and seeds,
without a time limit: it is better where more budgets have a plan, or as many and the mean falls by more than LEAST_GAIN
of itself, and the CPU time grows to no more than MOST_TIME of itself. In the end what is better by then is measured beside the defaults with as
many other seeds, as some gains are luck. It reports, and changes no default.
"""
import argparse
import concurrent.futures
import json
import math
import resource
import subprocess
import sys
import textwrap
import typing

GRAPHS = ["resnet50", "vgg19", "unet", "gpt2", "googlenet", "densenet161"]  # those of plan_curves
LEAST_GAIN = 0.002
MOST_TIME = 1.02


class Constant(typing.NamedTuple):
    name: str
    usual: float
    least: float
    most: float
    is_whole: bool

    def limited(self, value):
        value = min(max(value, self.least), self.most)
        return float(round(value)) if self.is_whole else float(f"{value:.4g}")


class Result(typing.NamedTuple):
    overhead: float  # mean, in per cent
    missing: int     # budgets without a plan
    seconds: float   # of CPU
    by_graph: dict   # mean overhead of each graph

    def is_better_than(self, other):
        if self.missing != other.missing or self.seconds > other.seconds * MOST_TIME:
            return self.missing < other.missing and self.seconds <= other.seconds * MOST_TIME
        return self.overhead < other.overhead * (1 - LEAST_GAIN)


def constants_of(program):
    """All constants, by name, as `plan --effort list` prints them."""
    listed = subprocess.run([program, "--effort", "list"], capture_output=True, text=True, check=True).stdout
    all_of_them = {}
    for line in listed.splitlines():
        head, _, _ = line.partition(": ")
        name, usual, least, _, most = head.removesuffix(", whole").split()
        all_of_them[name] = Constant(name, float(usual), float(least), float(most), head.endswith(", whole"))
    return all_of_them


def run(arguments, values, seeds):
    """The curves of all graphs and seeds where constants have these values."""
    efforts = [f"{name}={value:.12g}" for name, value in values.items()]
    options = [word for one in arguments.effort + efforts for word in ("--effort", one)]
    commands = [[arguments.plan, graph, "--strategy", "automatic", "--threads", "1", "--curve", str(arguments.budgets),
                 "--seed", str(seed), "--json", *options] for graph in arguments.graphs for seed in seeds]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        done = list(pool.map(lambda c: subprocess.run(c, capture_output=True, text=True, check=False), commands))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    found, missing = {}, 0
    for command, one in zip(commands, done):
        if one.returncode not in (0, 3):
            sys.exit(f"{' '.join(command)}: {one.stderr}")
        for point in json.loads(one.stdout)["curve"]:
            if point.get("overhead_percent") is None:
                missing += 1
            else:
                found.setdefault(command[1], []).append(point["overhead_percent"])
    every = [overhead for some in found.values() for overhead in some]
    return Result(sum(every) / len(every), missing, seconds, {g: sum(some) / len(some) for g, some in found.items()})


def tune(constant, values, usual, measure):
    """The best value of a constant, and rows (value, result, verdict) of all that were tried."""
    best, best_result, rows, tried = values.get(constant.name, constant.usual), usual, [], set()
    for factor in (2.0, math.sqrt(2)):
        moved = True
        while moved:
            moved = False
            for value in (constant.limited(best / factor), constant.limited(best * factor)):
                if value in tried or value == constant.usual:
                    continue
                tried.add(value)
                result = measure({**values, constant.name: value})
                better = result.is_better_than(best_result)
                rows.append((value, result, "**better** " if better else ""))
                if better:
                    best, best_result, moved = value, result, True
                    break
    return best, best_result, rows


def table(constants, usual, all_rows, confirmed):
    lines = ["| constant | value | mean overhead | without a plan | CPU s | |", "|---|--:|--:|--:|--:|---|",
             f"| as they are | | {usual.overhead:.3f} % | {usual.missing} | {usual.seconds:.1f} | |"]
    for name, rows in all_rows.items():
        for value, result, verdict in rows:
            lines.append(f"| `{name}` ({constants[name].usual:.12g}) | {value:.6g} | {result.overhead:.3f} % | "
                         f"{result.missing} | {result.seconds:.1f} | {verdict}|")
    for name, result in confirmed.items():
        lines.append(f"| {name} | | {result.overhead:.3f} % | {result.missing} | {result.seconds:.1f} | |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan", help="the program of examples/plan")
    parser.add_argument("constants", nargs="+", help="names, as in planner/effort.hpp")
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, help="files, or networks by name")
    parser.add_argument("--budgets", type=int, default=6, help="of each curve, from the floor to keep_all's peak")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--effort", nargs="+", default=[], help="NAME=VALUE of others, in all runs")
    parser.add_argument("--jobs", type=int, default=1, help="programs at once")
    parser.add_argument("-o", "--output", help="where the table goes; else to standard output")
    arguments = parser.parse_args()
    constants = constants_of(arguments.plan)
    if unknown := [name for name in arguments.constants if name not in constants]:
        parser.error(f"there is no constant {', '.join(unknown)}")
    usual = run(arguments, {}, arguments.seeds)
    values, now, all_rows = {}, usual, {}
    for name in arguments.constants:
        best, now, all_rows[name] = tune(constants[name], values, now, lambda v: run(arguments, v, arguments.seeds))
        if best != constants[name].usual:
            values[name] = best
        print(f"{name}: {best:.6g}, {now.overhead:.3f} % in {now.seconds:.1f} s", file=sys.stderr)
    others = [max(arguments.seeds) + seed for seed in arguments.seeds] if values else []
    set_to = ", ".join(f"`{name}` {value:.6g}" for name, value in values.items())
    confirmed = {"as they are, other seeds": run(arguments, {}, others),
                 f"{set_to}, other seeds": run(arguments, values, others)} if values else {}
    commit = subprocess.run(["git", "log", "-1", "--format=%h"], capture_output=True, text=True, check=False).stdout
    command = " \\\n    ".join(textwrap.wrap(" ".join(sys.argv[1:]), 90))
    text = (f"# What other constants cost\n\nMade of commit {commit.strip()} by\n\n"
            f"```\nbenchmarks/tune_effort.py {command}\n```\n\n"
            f"One thread, no time limit; overheads in per cent of computing everything once. A constant stands with its\n"
            f"default; the next one is tried with the better values of those before.\n\n"
            f"{table(constants, usual, all_rows, confirmed)}\n")
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
