#!/usr/bin/env python3
"""How programs end: by signals at any moment, for want of memory, and side by side on one output.

    endings.py [--kills N] [--only PART] PROGRAM...    PROGRAM is plan, allocate, treewidth, chain, pipeline, swap or train_cpu, with its path

- The first SIGINT, SIGTERM, SIGHUP or SIGXCPU is heard while a pipe is read that nobody writes, or that stops in the
  middle, or a terminal: one line names the file, and the status is 128 and the signal. What the parent ignores stays ignored.
- While there are results, the first signal ends the search, and what was found is written; a signal that comes twice at
  once, as `timeout` sends it, is one.
- Where memory ends while a file is read, one line names the file.
- After N kills (default 6) at random moments, by SIGINT, SIGTERM and SIGKILL, each output is the old file, a whole new
  one or absent; and so are outputs that two processes write at once.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 20  # seconds: builds with sanitizers, beside others
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)

# A file that a program reads, and what it is told beside that; the same with something long to search, and what is
# written then. {} is the folder of the outputs.
READS = {
    "plan": ["--budget", "60%"],
    "allocate": ["--minimise"],
    "treewidth": [],
    "chain": ["--budget", "60%"],
    "pipeline": ["--budget", "60%"],
    "swap": ["--method", "greedy"],
    "train_cpu": ["resnet29", "--batch", "2", "--resolution", "16", "--times"],
}
BUFFERS = 3000
SUFFIX = {"plan": ".json", "allocate": ".csv", "treewidth": ".gr", "chain": ".json", "pipeline": ".json", "swap": ".jsonl", "train_cpu": ".json"}
SEARCHES = {
    "plan": ["gpt2", "--budget", "60%", "--strategy", "automatic", "--time-limit", "30", "--schedule", "{}/s.json",
             "--arena-svg", "{}/a.svg", "--arena-out", "{}/a.csv", "--html", "{}/p.html"],
    "allocate": ["{}/in/hard.csv", "--minimise", "--time-limit", "30", "--out", "{}/o.csv.gz",
                 "--svg", "{}/o.svg", "--c", "{}/o.h"],
    "swap": [str(ROOT / "examples/data/cnn_cifar_b64.jsonl.gz"), "--limit", "97%", "--link", "500MB/s", "--method", "dqn", "--episodes", "1000000",
             "--time-limit", "30", "--out", "{}/s.json", "--write", "{}/g.json"],
    "treewidth": ["{}/in/hard.gr", "--time-limit", "30", "--td", "{}/t.td", "--dot", "{}/t.dot", "--svg", "{}/t.svg"],
    "pipeline": [str(ROOT / "examples/data/v_pipeline.json"), "--budget", "40%", "--time-limit", "30", "--tries",
                 "100000000", "--svg", "{}/p.svg"],
    "train_cpu": ["resnet29", "--batch", "2", "--resolution", "16", "--iterations", "100000", "--strategy", "keep_all",
                  "--budget", "100%", "--trace", "{}/t.json", "--profile", "{}/p.json"],
}
# Seconds of a search that ends by itself: soon, so that most moments are those of writing; a study learns first.
SOON = {"swap": "1"}
failures = []


def check(holds, *what):
    if not holds:
        failures.append(what)
        print("endings: failed:", *what, file=sys.stderr)


def start(command, stdin=subprocess.DEVNULL, **more):
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            errors="replace", **more)


def end_of(process, patience=PATIENCE):
    """Status, standard output and error; it is killed where it does not end."""
    try:
        out, err = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return "no end", out, err
    return process.returncode, out, err


def handles(process, which):
    """Whether the process has a handler of a signal by now."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) >> (which - 1) & 1
    return False


def wait_until(true, patience=PATIENCE):
    end = time.monotonic() + patience
    while not true() and time.monotonic() < end:
        time.sleep(0.01)


def told(name, path):
    """What makes a program read a path."""
    return [*READS[name], path] if name == "train_cpu" else [path, *READS[name]]


def reading(name, program, folder, _):
    """A signal while a pipe is read, of which nothing was written or only the beginning, and while a terminal is."""
    pipe = folder / f"pipe{SUFFIX[name]}"
    beginnings = {"plan": b'{"nodes": [', "allocate": b"id,lower,upper,size\n0,1,2,", "treewidth": b"p tw 4 3\n1 2\n",
                  "chain": b"{", "pipeline": b"{", "swap": b'{"op":"header"}\n{"t":1', "train_cpu": b"{"}
    for which in ENDINGS:
        for kind in ("empty", "begun", "terminal"):
            os.mkfifo(pipe)
            path, mine, theirs = str(pipe), None, None
            if kind == "terminal":
                path = "/dev/stdin"
                mine, theirs = os.openpty()
            process = start([program, *told(name, path)], stdin=theirs or subprocess.DEVNULL)
            if kind == "begun":
                mine = os.open(pipe, os.O_WRONLY)
            else:
                wait_until(lambda: handles(process, which))
            if mine is not None:
                os.write(mine, beginnings[name])
            time.sleep(0.1)
            process.send_signal(which)
            status, out, err = end_of(process)
            subject = "resnet29" if name == "train_cpu" else path
            check((status, out, err.count("\n")) == (128 + which, "", 1) and subject in err,
                  name, which.name, kind, "while it reads:", status, out, err)
            for file in (mine, theirs):
                if file is not None:
                    os.close(file)
            pipe.unlink()


def ignored(name, program, folder, _):
    """What the parent ignores does not end the program."""
    pipe = folder / f"pipe{SUFFIX[name]}"
    os.mkfifo(pipe)
    process = start([program, *told(name, str(pipe))],
                    preexec_fn=lambda: [signal.signal(s, signal.SIG_IGN) for s in (signal.SIGINT, signal.SIGHUP)])
    wait_until(lambda: handles(process, signal.SIGTERM))
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    check(process.poll() is None, name, "ends by a signal that its parent ignores")
    process.send_signal(signal.SIGTERM)
    check(end_of(process)[0] == 128 + signal.SIGTERM, name, "does not end by SIGTERM after those")
    pipe.unlink()


def write_hard(folder):
    """Inputs that no search solves in seconds."""
    place = folder / "in"
    place.mkdir()
    numbers = random.Random(1)
    rows = [(begin := numbers.randrange(500), begin + numbers.randrange(1, 50), numbers.randrange(1, 100_000))
            for _ in range(BUFFERS)]
    (place / "hard.csv").write_text("id,lower,upper,size\n" + "".join(f"{i},{a},{b},{c}\n" for i, (a, b, c) in enumerate(rows)))
    edges = [(i, j) for i in range(1, 81) for j in range(1, i) if numbers.random() < 0.12]
    (place / "hard.gr").write_text(f"p tw 80 {len(edges)}\n" + "".join(f"{a} {b}\n" for a, b in edges))


def outputs(arguments, folder):
    return [pathlib.Path(a.format(folder)) for a in arguments if a.startswith("{}/") and "/in/" not in a]


def fault_of(path):
    """What is wrong with an output; nothing where it is the old one, whole, or absent."""
    if not path.exists():
        return None
    content = path.read_bytes()
    if content == b"old":
        return None
    try:
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError) as e:
        return str(e)
    ends = {".svg": "</svg>\n", ".html": "</html>\n", ".dot": "}\n", ".csv": "\n", ".gz": "\n", ".td": "\n", ".h": "_H */\n"}
    if path.suffix == ".json":
        try:
            json.loads(text)
        except ValueError as e:
            return str(e)
    elif not text.endswith(ends[path.suffix]):
        return f"ends with {text[-30:]!r}"
    if path.name == "o.csv.gz" and text.count("\n") != BUFFERS + 1:
        return "lacks lines"
    return None


def searching(name, program, folder, _):
    """Signals in a search: what was found is written."""
    if name not in SEARCHES:
        return
    for which in ENDINGS if name == "allocate" else ENDINGS[:1]:
        place = folder / which.name
        place.mkdir()
        write_hard(place)
        process = start([program, *(a.format(place) for a in SEARCHES[name])])
        if name == "train_cpu":  # it measures times first, and has a plan soon after
            wait_until(lambda: (place / "p.json").exists(), 3 * PATIENCE)
        time.sleep(4 if name == "train_cpu" else 2)
        for _ in range(2):  # at once, as `timeout` does
            process.send_signal(which)
        status, out, err = end_of(process, 3 * PATIENCE)
        check(status == 128 + which and out and (name == "train_cpu" or "interrupted" in err),
              name, which.name, "in a search:", status, out, err)
        for path in outputs(SEARCHES[name], place):
            check(path.exists() and not fault_of(path), name, which.name, path.name, fault_of(path) or "is not written")


def kills(name, program, folder, asked):
    """Signals at random moments: outputs are old, whole or absent."""
    chance = random.Random(asked.seed)
    if name not in SEARCHES:
        return
    write_hard(folder)
    arguments = [a.format(folder) for a in SEARCHES[name]]
    arguments = [SOON.get(name, "0.3") if a == "30" else "2" if a == "100000" else a for a in arguments]
    begin = time.monotonic()
    check(end_of(start([program, *arguments]), 3 * PATIENCE)[0] == 0, name, "fails")
    usual = time.monotonic() - begin
    written = set()
    for _ in range(asked.kills):
        for path in outputs(SEARCHES[name], folder):
            path.write_text("old") if chance.random() < 0.5 else path.unlink(missing_ok=True)
        process = start([program, *arguments])
        time.sleep(chance.uniform(0, 1.2 * usual))
        which = chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
        process.send_signal(which)
        status, out, err = end_of(process, 3 * PATIENCE)
        check(status in (0, 3, -which, 128 + which), name, which.name, "ends with", status, out, err)
        for path in outputs(SEARCHES[name], folder):
            check(not fault_of(path), name, which.name, path.name, fault_of(path))
            if path.exists() and path.stat().st_size > 3:
                written.add(path.name)
    for part in folder.glob("*.part"):
        part.unlink()  # of SIGKILL
    print(f"endings: {name}: {asked.kills} kills within {usual:.1f} s each; written all the same: {len(written)} outputs")


def side_by_side(name, program, folder, _):
    """Two processes write the same outputs."""
    if name not in SEARCHES or name == "train_cpu":
        return
    write_hard(folder)
    arguments = [SOON.get(name, "0.3") if a == "30" else a.format(folder) for a in SEARCHES[name]]
    both = [start([program, *arguments]) for _ in range(2)]
    for process in both:
        status, _, err = end_of(process, 3 * PATIENCE)
        check(status == 0, name, "beside another on the same outputs:", status, err)
    for path in outputs(SEARCHES[name], folder):
        check(path.exists() and not fault_of(path), name, "beside another:", path.name, fault_of(path))
    check(not list(folder.glob("*.part")), name, "leaves parts of files")


def without_memory(name, program, folder, _):
    """Less memory than a file needs."""
    big = {"plan": '{"nodes": [' + ",".join(f'{{"id": {i}, "time": 1, "memory": 1}}' for i in range(300_000)) + '], "edges": []}',
           "allocate": "id,lower,upper,size\n" + "".join(f"{i},{i},{i + 1},1\n" for i in range(300_000)),
           "treewidth": "p tw 300000 300000\n" + "".join(f"{i} {i + 1}\n" for i in range(1, 300_000)) + "1 3\n",
           "swap": "".join(f'{{"t":{i},"op":"malloc","buf":{i},"bytes":1}}\n' for i in range(200_000)),
           "chain": '{"stages": [' + ",".join('{"a": [1, {"b": 1}]}' for i in range(300_000)) + "]}"}
    big["pipeline"] = big["chain"]
    if name not in big:
        return
    path = folder / f"big{SUFFIX[name]}"
    path.write_text(big[name])
    quiet = 0
    for mib in range(24, 200, 16):
        process = start([program, str(path), *READS[name]],
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)))
        status, out, err = end_of(process)
        if status == "no end" or status in (0, 3):
            break
        if status == 127 or "shared librar" in err or "shared object" in err:
            continue  # it does not even begin
        check(status == 2 and err.count("\n") == 1 and str(path) in err, name, f"with {mib} MiB:", status, err)
        quiet += "not enough memory" in err
    check(quiet > 0, name, "was never short of memory")
    path.unlink()


PARTS = (reading, ignored, without_memory, searching, side_by_side, kills)


def failures_of(program, asked):
    """How many checks fail of all parts for a program."""
    name = pathlib.Path(program).name
    for part in PARTS:
        if asked.only in (None, part.__name__):
            with tempfile.TemporaryDirectory() as folder:
                part(name, os.path.abspath(program), pathlib.Path(folder), asked)
    return len(failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[part.__name__ for part in PARTS])
    parser.add_argument("programs", nargs="+")
    asked = parser.parse_args()
    for which in ENDINGS:  # what a shell's background ignores, the programs would ignore, too
        if signal.getsignal(which) == signal.SIG_IGN:
            signal.signal(which, signal.SIG_DFL)
    # Side by side: most of the time is spent waiting.
    with concurrent.futures.ProcessPoolExecutor(len(asked.programs)) as pool:
        failed = sum(pool.map(failures_of, asked.programs, [asked] * len(asked.programs)))
    print(f"endings: {len(asked.programs)} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
