#!/usr/bin/env python3
"""Plans the trace of a training step by every method, runs each plan on the network, and writes what was judged and measured.

    trace_tables.py SWAP TRAIN_CPU OUT.md [--link LINK] [--time-limit SECONDS]

A step of ResNet-50 on the processor is traced (`train_cpu --trace`), `swap` plans it at 70 and 50 % of its peak, and
`train_cpu --schedule` runs the plan: its peak by the judge of the training graph must be that of the trace's.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NETWORK = ["resnet50", "--batch", "8", "--resolution", "128"]
METHODS = ["automatic", "greedy", "lru", "tflms", "vdnn", "memonger", "superneurons", "dqn"]
EPISODES = 300
NOTHING_FITS = 3


def answer(command: list[str]):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode not in (0, NOTHING_FITS) or not done.stdout:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def mib(size: int) -> str:
    return f"{size / 2**20:.1f}"


def row(limit: str, of_trace, plan, run) -> str:
    if run is None:
        return f"| {limit} | {plan['method']} | {plan['note']} | | | | | | | {plan['seconds']:.2f} |"
    if run["replayed_peak"] != plan["peak"]:
        sys.exit(f"{plan['method']} within {limit}: judged {plan['peak']} bytes, and {run['replayed_peak']} on the network")
    apart = abs(run["planned_time"] - of_trace["time"] - plan["overhead"])
    if apart > of_trace["time"] / 1000:
        sys.exit(f"{plan['method']} within {limit}: {run['planned_time']} ns on the network, {apart} from what was judged")
    cells = [
        limit, plan["method"], mib(plan["peak"]), f"{100 * plan['peak'] / of_trace['peak']:.1f}",
        f"{100 * plan['overhead'] / of_trace['time']:.2f}", mib(plan["bytes_out"]), str(plan["recomputations"]),
        mib(run["planned_peak"]), "equal" if run["measured_peak"] == run["planned_peak"] else mib(run["measured_peak"]),
        "equal" if run["gradients_equal"] else "DIFFERENT",
    ]
    return f"| {' | '.join(cells)} | {plan['seconds']:.2f} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("swap")
    parser.add_argument("train_cpu")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--link", default="1GB/s")
    parser.add_argument("--time-limit", default="120")
    asked = parser.parse_args()
    rows, says = [], ""
    with tempfile.TemporaryDirectory() as folder:
        trace, steps, times = (f"{folder}/{name}" for name in ("trace.jsonl", "steps.json", "times.json"))
        answer([asked.train_cpu, *NETWORK, "--iterations", "2", "--strategy", "keep_all", "--budget", "100%", "--profile", times,
                "--trace", trace, "--json"])
        for limit in ("70%", "50%"):
            for method in METHODS:
                found = answer([asked.swap, trace, "--limit", limit, "--link", asked.link, "--method", method, "--episodes",
                                str(EPISODES), "--time-limit", asked.time_limit, "--out", steps, "--json"])
                says = (f"{found['computations']} computations, {found['rows']} rows, a peak of {mib(found['peak'])} MiB, "
                        f"{found['time'] / 1e6:.0f} ms")
                plan, run = found["methods"][0], None
                if plan["fits"]:
                    run = answer([asked.train_cpu, *NETWORK, "--iterations", "1", "--times", times, "--schedule", steps, "--link",
                                  asked.link, "--compare", "--json"])
                rows.append(row(limit, found, plan, run))
                print(rows[-1], flush=True)
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True,
                            cwd=pathlib.Path(__file__).parent).stdout.strip()
    asked.out.write_text(f"""# Plans of a trace that were trained with

Made by `trace_tables.py SWAP TRAIN_CPU trace_tables.md` at commit `{commit}`.

A training step of `{' '.join(NETWORK)}` on one thread of a processor, traced: {says}. Each method of
[`swap`](../examples/swap/README.md) plans it within a share of its peak, over a link of {asked.link}; `dqn` learns for
{EPISODES} episodes, or {asked.time_limit} s. Then the plan runs on the network. *Peak*, *overhead*, *copied out* and *again* (computations
after the first) are the judge's, and the judge of the training graph finds the same peak and time, but for views that are computed again. *Arena* is what the plan takes
with an address for each value, which may be a little more; *highest byte*: of that, what was written. Gradients are those of keeping
everything, to the last bit.

| limit | method | peak, MiB | % of all | overhead, % | copied out, MiB | again | arena, MiB | highest byte | gradients | CPU s |
|---|---|--:|--:|--:|--:|--:|--:|---|---|--:|
""" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
