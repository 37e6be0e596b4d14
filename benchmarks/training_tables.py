#!/usr/bin/env python3
"""Trains networks on the processor by every strategy and budget beside keep_all, and writes what was measured.

    training_tables.py TRAIN_CPU OUT.md [--networks NAME...] [--strategies NAME...]

Of every run: the peak that was planned and the highest byte that was written, whether every gradient is that of keep_all
to the last bit, allocations during an iteration, and the time above keep_all's, as predicted from measured operations
and as measured (the median of pairs of runs). One thread.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NETWORKS = {
    "resnet50": ["--batch", "2", "--resolution", "128"],
    "unet": ["--batch", "1", "--resolution", "188"],
    "lstm": ["--batch", "4", "--length", "6"],
    "gpt2": ["--batch", "1", "--length", "32"],
}
# Each with the budgets it is tried at: those without any look at none.
ALL = ["100%"]
BUDGETS = ["80%", "60%", "min"]
STRATEGIES = {
    "keep_all": ALL, "sqrt_segments": ALL, "lower_set_approximate": BUDGETS, "lower_set_exact": BUDGETS,
    "greedy_eviction": BUDGETS, "save_set": BUDGETS, "automatic": BUDGETS, "forget_all": ALL,
}
NOTHING_FITS = 3


def measure(program: str, network: str, options: list[str], times: pathlib.Path, flag: str):
    command = [program, network, *NETWORKS[network], "--compare", "--json", flag, str(times), *options]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode == NOTHING_FITS:
        return None
    if not done.stdout:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def mib(size: int) -> str:
    return f"{size / 2**20:.1f}"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def row(network: str, strategy: str, budget: str, run) -> str:
    if run is None:
        return f"| {network} | {strategy} | {budget} | does not fit | | | | | | |"
    same = "equal" if run["measured_peak"] == run["planned_peak"] else mib(run["measured_peak"])
    factor = (1 + run["measured_overhead"]) / (1 + run["predicted_overhead"])
    cells = [
        network, strategy, budget, mib(run["planned_peak"]), percent(run["planned_peak"] / run["keep_all_peak"]), same,
        "equal" if run["gradients_equal"] else "DIFFERENT", str(run["allocations"]),
        f"{percent(run['predicted_overhead'])} / {percent(run['measured_overhead'])}", f"{factor:.3f}",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--strategies", nargs="+", choices=STRATEGIES, default=list(STRATEGIES))
    chosen = parser.parse_args()
    head = ["network", "strategy", "budget", "planned MiB", "% of keep_all", "measured", "gradients", "allocations",
            "overhead %, predicted / measured", "ratio of times"]
    lines = ["# Plans that were trained with", "", *__doc__.strip().splitlines()[4:], "",
             "Sizes: " + "; ".join(f"{name} {' '.join(options)}" for name, options in NETWORKS.items()) + ".", "",
             "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for network in chosen.networks:
            times = pathlib.Path(folder) / f"{network}.json"
            measure(chosen.program, network, ["--strategy", "keep_all", "--budget", "min", "--iterations", "3"], times,
                    "--profile")
            for strategy in chosen.strategies:
                for budget in STRATEGIES[strategy]:
                    for place in [[]] if strategy == "forget_all" else [[], ["--in-place"]]:
                        options = ["--strategy", strategy, "--budget", budget, "--iterations", "7", *place]
                        if strategy == "forget_all":
                            options[-1 - len(place)] = "3"
                        run = measure(chosen.program, network, options, times, "--times")
                        lines.append(row(network, strategy + (", in place" if place else ""), budget, run))
                        print(lines[-1], flush=True)
                        if run:
                            worst = max(worst, abs((1 + run["measured_overhead"]) / (1 + run["predicted_overhead"]) - 1))
    lines += ["", f"The greatest difference between a measured and a predicted time is {percent(worst)} %."]
    chosen.out.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
