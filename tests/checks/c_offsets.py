#!/usr/bin/env python3
"""C headers of `allocate --c`, compiled into programs that walk the graph and check every byte.

    c_offsets.py PLAN ALLOCATE

For each model of tests/data/onnx `plan --write` says what each operation reads, and `allocate --c` where each tensor lies.
A C program runs the steps of the header: it compares each byte of what a step reads with the pattern of that tensor, then
writes a pattern of its own into each tensor that the step makes; a view has the pattern of what it views, in its place. At
last it compares the results. Wrong offsets must be found. So it does with a training step by a schedule of `plan`, which
runs operations again. Exit status 77: there is no C compiler.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
USUAL = ["--order", "least", "--alignment", "16"]
CASES = [("bert_base", [*USUAL, "--in-place", "--pools", "sram=4MiB,dram=64MiB"]),
         ("googlenet", [*USUAL, "--pools", "fast=64MiB,slow=128MiB"]),
         ("resnet18_unfused", USUAL),
         ("resnet50", ["--no-in-place", "--alignment", "64"])]
PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "offsets.h"

/* Of each step what it reads and what it makes; -1 ends a list. Of each tensor the one whose pattern it has. */
static const int reads[] = {@READS@}, makes[] = {@MAKES@}, pattern_of[] = {@PATTERNS@};
static unsigned char *pools[@NAME@_POOL_COUNT], *callers[@STORAGES@];

static unsigned char *place(const struct @name@_tensor *t) {
    return t->pool < 0 ? callers[t->storage] : pools[t->pool] + t->offset;
}
static uint64_t word(int t, size_t i) { return (pattern_of[t] + 1) * 0x9e3779b97f4a7c15u + i * 0xd1342543de82ef95u; }
static void fill(int k) {
    const struct @name@_tensor *t = &@name@_tensors[k];
    uint64_t *words = (uint64_t *)place(t), last = word(k, t->size / 8);
    for (size_t i = 0; i < t->size / 8; ++i) words[i] = word(k, i);
    memcpy(words + t->size / 8, &last, t->size % 8);
}
static void check(int k, int step) {
    const struct @name@_tensor *t = &@name@_tensors[k];
    uint64_t *words = (uint64_t *)place(t), last = word(k, t->size / 8), wrong = 0;
    for (size_t i = 0; i < t->size / 8; ++i) wrong |= words[i] ^ word(k, i);
    if (!wrong && memcmp(words + t->size / 8, &last, t->size % 8) == 0) return;
    printf("%s is spoiled when step %d reads it\n", t->name, step);
    exit(1);
}

int main(void) {
    const size_t sizes[] = {@SIZES@};
    for (int p = 0; p < @NAME@_POOL_COUNT; ++p)
        pools[p] = aligned_alloc(@NAME@_ALIGNMENT, (sizes[p] + @NAME@_ALIGNMENT) / @NAME@_ALIGNMENT * @NAME@_ALIGNMENT);
    for (const struct @name@_tensor *t = @name@_tensors; t->name; ++t) {
        if (t->pool < 0 && !callers[t->storage]) callers[t->storage] = malloc(t->size);
        if (t->pool >= 0 && (t->offset + t->size > sizes[t->pool] || t->offset % @NAME@_ALIGNMENT)) return 2;
    }
    const int *r = reads, *m = makes;
    for (int step = 0; step < @NAME@_STEP_COUNT; ++step, ++r, ++m) {
        for (; *r >= 0; ++r) check(*r, step);
        for (; *m >= 0; ++m)
            if (pattern_of[*m] == *m) fill(*m);
    }
    int results = 0;
    for (int k = 0; k < @NAME@_TENSOR_COUNT; ++k)
        if (@name@_tensors[k].last == @NAME@_STEP_COUNT) check(k, @NAME@_STEP_COUNT), ++results;
    printf("%d steps, %d tensors, %d results\n", @NAME@_STEP_COUNT, @NAME@_TENSOR_COUNT, results);
    return 0;
}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"c_offsets: {' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def rows_of(header):
    """(name, node, output, storage, first) of each row, and the names of the steps."""
    rows = [(m[1], int(m[2]), int(m[3]), int(m[4]), int(m[5])) for m in re.finditer(
        r'\{"(.*?)", "forward (\d+) output (\d+) run 0", -?\d+, \d+, \d+, (\d+), (-?\d+), \d+\}', header)]
    return rows, re.findall(r'^    "(.*)",$', header, re.MULTILINE)


def walk_of(name, header, graph):
    """The C program for a header, by what the graph says of its operations; and how many rows are views, and in place."""
    rows, steps = rows_of(header)
    row_of = {(node, output): k for k, (_, node, output, _, _) in enumerate(rows)}
    node_of = {node["name"]: node for node in graph["nodes"]}
    reads = [[row_of[tuple(read)] for read in node_of[step]["reads"] if isinstance(read, list)] for step in steps]
    patterns = list(range(len(rows)))
    for t, (tensor, node, output, storage, _) in enumerate(rows):
        viewed = graph["nodes"][node]["reads"][0] if "alias_of" in graph["nodes"][node] else None
        if viewed:
            patterns[t] = patterns[row_of[tuple(viewed)]]
            if rows[patterns[t]][3] != storage:
                sys.exit(f"c_offsets: {name}: {tensor} is a view, and lies elsewhere")
    views = sum(pattern != k for k, pattern in enumerate(patterns))
    in_place = len(rows) - len({row[3] for row in rows}) - views
    return program(name, header, reads, [(row[3], row[4]) for row in rows], patterns), views, in_place


def walk_of_schedule(name, header, schedule, views):
    """The same by a schedule file, whose steps say what they read; `views` are nodes that view what they read."""
    rows = re.findall(r'^    \{".*?", "(.*? run \d+)", -?\d+, \d+, \d+, (\d+), (-?\d+), \d+\}', header, re.MULTILINE)
    row_of = {row[0]: k for k, row in enumerate(rows)}
    reads, patterns = [], list(range(len(rows)))
    for what, node, which, again, *more in (step for step in schedule["steps"] if step[0] == "compute"):
        operands = more[0].get("operands", []) if more else []
        reads.append([row_of[f"{of[1]} {of[0]} output {of[2]} run {of[3]}"] for of in operands])
        if which == "forward" and node in views:
            patterns[row_of[f"forward {node} output 0 run {again}"]] = patterns[reads[-1][0]]
    return program(name, header, reads, [(int(storage), int(first)) for _, storage, first in rows], patterns)


def program(name, header, reads, rows, patterns):
    """The C program; rows are (storage, first)."""
    text = PROGRAM.replace("@name@", name).replace("@NAME@", name.upper())
    lists = {"READS": [t for step in reads for t in [*step, -1]],
             "MAKES": [t for k in range(len(reads)) for t in [*(t for t, row in enumerate(rows) if row[1] == k), -1]],
             "PATTERNS": patterns, "STORAGES": [max(storage for storage, _ in rows) + 1],
             "SIZES": re.findall(r"^#define (\w+_SIZE) ", header, re.MULTILINE)}
    for key, words in lists.items():
        text = text.replace(f"@{key}@", ", ".join(map(str, words)))
    return text


def try_schedule(plan, allocate, compiler):
    """Whether a training step with runs again is walked intact."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, graph = pathlib.Path(scratch), ROOT / "tests/data/residual_network.json"
        run(plan, graph, "--budget", "80%", "--strategy", "automatic", "--in-place", "--schedule", folder / "s.json")
        run(allocate, graph, "--order", folder / "s.json", "--alignment", "8", "--c", folder / "offsets.h")
        schedule = json.loads((folder / "s.json").read_text())
        views = {node["id"] for node in json.loads(graph.read_text())["nodes"] if "alias_of" in node}
        text = walk_of_schedule("residual_network", (folder / "offsets.h").read_text(), schedule, views)
        (folder / "walk.c").write_text(text)
        said, status = walked(folder, compiler)
        again = sum(step[0] == "compute" and step[3] > 0 for step in schedule["steps"])
        print(f"c_offsets: a training step of residual_network: {said}; {again} runs again")
        return status == 0 and again > 0


def walked(folder, compiler):
    """What the program says, and its exit status."""
    run(compiler, "-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-o", folder / "walk", folder / "walk.c")
    done = subprocess.run([folder / "walk"], capture_output=True, text=True)
    return done.stdout.strip(), done.returncode


def main(plan, allocate):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        print("c_offsets: no C compiler; skipped")
        return 77
    failures = 0
    for name, options in CASES:
        model = ROOT / f"tests/data/onnx/{name}.onnx.gz"
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            run(plan, model, "--inference", "--strategy", "keep_all", "--budget", "100%", "--write", folder / "graph.json")
            run(allocate, model, *options, "--c", folder / "offsets.h", "--out", folder / "table.csv")
            header = (folder / "offsets.h").read_text()
            text, views, in_place = walk_of(name, header, json.loads((folder / "graph.json").read_text()))
            (folder / "walk.c").write_text(text)
            said, status = walked(folder, compiler)
            print(f"c_offsets: {name} {' '.join(options)}: {said}; {views} views, {in_place} in place")
            failures += status != 0 or " 0 results" in said or (in_place > 0) == ("--no-in-place" in options)
            ids = {line.split(",")[0] for line in (folder / "table.csv").read_text().splitlines()[1:]}
            own = re.findall(r'"(forward \d+ output \d+ run 0)", \d', header)
            failures += ids != set(own)
            if (name, options) != CASES[0]:
                continue
            (folder / "offsets.h").write_text(re.sub(r'(run 0", \d+), \d+', r"\1, 0", header))
            if walked(folder, compiler)[1] != 1:
                failures += 1
                print(f"c_offsets: {name}: offsets that are all 0 are not found")
    failures += not try_schedule(plan, allocate, compiler)
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
