#!/usr/bin/env python3
"""Largest batches and least ranks before anything runs, beside the batches that a GPU held.

    largest_tables.py PLAN PIPELINE OUT.md [--time-limit SECONDS] [--jobs N]

`plan --largest batch --include …` answers for 80 GB, everything counted; then within what gpu_tables.md says that its plans
took on the card, beside the batches that were run there. `pipeline --least-ranks` answers for networks that no card holds.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
CARD = "80GB"
STATES = "parameters,gradients,optimizer"
MICROBATCHES = "8"
RANK_SECONDS = "160"  # for the ranks of a network
NOTHING_FITS = 3


def answer(command: list[str]):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, NOTHING_FITS) or not done.stdout:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    print(" ".join(command[1:]), flush=True)
    return json.loads(done.stdout)


def gib(size: int) -> str:
    return f"{size / 2**30:.2f}"


def batch_rows(network: str, found) -> list[str]:
    rows = []
    for row in found["rows"]:
        cells = [network, {"keep_all": "everything kept", "within the overhead": "at most 20 % longer", "any": "any"}[row["plans"]]]
        cells.append(str(row["largest"]))
        if "peak" in row:
            once = row["time"] - row["overhead"]
            cells += [gib(row["peak"]), gib(row["beside"]), f"{100 * row['overhead'] / once:.1f}",
                      f"{row['time'] / row['largest'] / 1e6:.2f}"]  # fmt: skip
        else:
            cells += ["–"] * 4
        cells.append("" if row["impossible"] is None else str(row["impossible"]))
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def measured() -> list[tuple[str, str, str, str]]:
    """Network, plan, batch and MiB of the arena: rows of gpu_tables.md. The LSTM's thousands take many minutes."""
    page = (HERE / "gpu_tables.md").read_text(encoding="utf-8").split("## The largest batch")[1]
    return re.findall(r"^\| (gpt2) \| tf32 \| (keep_all|automatic) \| (\d+) \| ([\d.]+) \|", page, re.MULTILINE)


def measured_row(network: str, how: str, batch: str, arena: str, found) -> str:
    row = found["rows"][0 if how == "keep_all" else -1]
    return f"| {network} | {how} | {arena} | {batch} | {row['largest']} | {row['impossible'] if how == 'automatic' else ''} |"


def rank_row(network: str, found) -> str:
    least = found["least_ranks"]
    cells = [network, MICROBATCHES, str(least["ranks"]), str(least["lower_bound"])]
    if found["made_by"]:
        cells += [found["made_by"], f"{found['makespan'] / 1e6:.0f}", f"{100 * found['gap']:.1f}", gib(max(found["peaks"]))]
    else:
        cells += ["–"] * 4
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plan")
    parser.add_argument("pipeline")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--time-limit", default="60")
    parser.add_argument("--jobs", type=int, default=1, help="so many searches at a time")
    asked = parser.parse_args()
    largest = ["--largest", "batch", "--json", "--time-limit", asked.time_limit]
    trained, placed, ran = ("resnet50", "gpt2_medium", "llama3_1b"), ("llama3_1b", "llama2_7b", "llama3_8b"), measured()
    commands = [[asked.plan, network, *largest, "--budget", CARD, "--most-overhead", "0.2", "--include", STATES + ",inputs"]
                for network in trained]  # fmt: skip
    commands += [[asked.plan, network, *largest, "--budget", str(int(float(arena) * 2**20))] for network, _, _, arena in ran]
    commands += [[asked.pipeline, network, "--batch", "1", "--microbatches", MICROBATCHES, "--budget", CARD, "--least-ranks",
                  "--include", STATES, "--time-limit", RANK_SECONDS, "--json"] for network in placed]  # fmt: skip
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as threads:
        found = list(threads.map(answer, commands))
    batches = [row for network, of in zip(trained, found) for row in batch_rows(network, of)]
    beside = [measured_row(*row, of) for row, of in zip(ran, found[len(trained) :])]
    ranks = [rank_row(network, of) for network, of in zip(placed, found[-len(placed) :])]
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, cwd=HERE).stdout.strip()
    asked.out.write_text(f"""# Answers before a run: the largest batch, the least ranks

Made by `largest_tables.py PLAN PIPELINE largest_tables.md` at commit `{commit}`.

Networks by name, float32, sequences of 512, images of 224; times by the roofline of an A100. Budgets of {CARD} are for
everything: values and gradients, parameters, their gradients, two states of Adam, and inputs; what the runtime takes is to be
left out. {asked.time_limit} s for each network, {RANK_SECONDS} s for its ranks.

## The largest batch

`plan NETWORK --largest batch --budget {CARD} --most-overhead 0.2 --include {STATES},inputs`. *Beside*: what is there
whatever the plan. *None from*: no schedule fits from that batch on, proven.

| network | plans | batch | values, GiB | beside, GiB | overhead, % | ms for one | none from |
|---|---|--:|--:|--:|--:|--:|--:|
""" + "\n".join(batches) + f"""

## Beside what a GPU held

The batches that [gpu_tables](gpu_tables.md#the-largest-batch) ran on an H200, and what `plan` says, without a GPU, within the
bytes that their arenas took.

| network | plan | arena, MiB | batch that ran | batch that plan says | none from |
|---|---|--:|--:|--:|--:|
""" + "\n".join(beside) + f"""

## The least ranks

`pipeline NETWORK --batch 1 --microbatches {MICROBATCHES} --budget {CARD} --least-ranks --include {STATES}`: ranks for which there is a plan,
and the number below which none exists for the network cut in a row; transfers take no time. *Above*: by how much
the makespan may exceed the least on these stages.

| network | microbatches | ranks | none below | order | makespan, ms | above, % | peak, GiB |
|---|--:|--:|--:|---|--:|--:|--:|
""" + "\n".join(ranks) + "\n")


if __name__ == "__main__":
    main()
