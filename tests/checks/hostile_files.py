#!/usr/bin/env python3
"""Hostile files: many files that mean more than they have bytes, or are spoiled, for every reader of the programs.

    hostile_files.py [--count N] [--seed N] [--seconds S] [--figures] PROGRAM...
                                           PROGRAM is plan, allocate, treewidth, chain, pipeline, swap or read_one, with its path

Half of the files are made to be hard: deep nesting, huge counts, long names, many axes, repeated fields, loops in
loops, attributes that are copied, gzip data that unpack. The others are valid files with some bytes changed. They are
the same in every run; without --count there are 200. Each run must end by itself within 2 s (--seconds, of a build that
is hardly optimised) and 512 MiB, with success, or with one line that names the file. --figures prints the longest runs
and the largest.
"""
import argparse
import gzip
import json
import pathlib
import random
import resource
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import command_lines  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BYTES = 512 << 20


# ---- ONNX, as protobuf writes it ---------------------------------------------------------------------------------

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def number(field, n):
    return varint(field << 3) + varint(n)


def block(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def blocks(field, contents):
    return b"".join(block(field, c) for c in contents)


def value(name, shape=None, kind=1):
    dims = b"" if shape is None else block(2, b"".join(block(1, b"" if n is None else number(1, n)) for n in shape))
    return block(1, name) + block(2, block(1, number(1, kind) + dims))


def integer(name, n):
    return block(1, name) + number(3, n) + number(20, 2)


def integers(name, list_):
    return block(1, name) + b"".join(number(8, n) for n in list_) + number(20, 7)


def graph_attribute(name, graph):
    return block(1, name) + block(6, graph) + number(20, 5)


def reference(name, of):
    return block(1, name) + block(21, of) + number(20, 5)


def node(op, inputs, outputs, attributes=(), name="", domain=""):
    return (blocks(1, inputs) + blocks(2, outputs) + (block(3, name) if name else b"") + block(4, op)
            + blocks(5, attributes) + (block(7, domain) if domain else b""))


def graph(nodes, inputs=(), outputs=(), initializers=()):
    return blocks(1, nodes) + blocks(5, initializers) + blocks(11, inputs) + blocks(12, (block(1, o) for o in outputs))


def function(name, inputs, outputs, nodes, attributes=()):
    return (block(1, name) + blocks(4, inputs) + blocks(5, outputs) + blocks(6, attributes) + blocks(7, nodes)
            + block(10, "f"))


def model(graph_, functions=()):
    return number(1, 10) + block(7, graph_) + block(8, number(2, 20)) + blocks(25, functions)


def tensor(name, shape, kind=1, more=b""):
    return b"".join(number(1, n) for n in shape) + number(2, kind) + block(8, name) + more


def chain_of(op, n, first="x", shape=(2, 3), attributes=()):
    return model(graph([node(op, [first if i == 0 else f"v{i}"], [f"v{i + 1}"], attributes) for i in range(n)],
                       [value("x", shape)], [f"v{n}"]))


def loop_body(nodes, states, results):
    return graph([*nodes, node("Identity", ["c"], ["k"])],
                 [value("i", [], 7), value("c", [], 9), *(value(s) for s in states)], ["k", *results])


def loops_in_loops(depth, states, grows):
    body = None
    for level in range(depth):
        ins, outs = [f"a{level}_{s}" for s in range(states)], [f"b{level}_{s}" for s in range(states)]
        if body is None:
            nodes = [node("Concat", [i, i], [o], [integer("axis", 0)]) if s < grows else node("Relu", [i], [o])
                     for s, (i, o) in enumerate(zip(ins, outs))]
        else:
            nodes = [node("Loop", ["", "", *ins], outs, [graph_attribute("body", body)])]
        body = loop_body(nodes, ins, outs)
    outs = [f"y{s}" for s in range(states)]
    return model(graph([node("Loop", ["", "", *["x"] * states], outs, [graph_attribute("body", body)])],
                       [value("x", [2])], outs[grows:]))


def branches_in_branches(depth):
    body = graph([node("Relu", ["x"], ["r"])], [], ["r"])
    for level in range(depth):
        other = graph([node("Neg", ["x"], [f"n{level}"])], [], [f"n{level}"])
        body = graph([node("If", ["yes"], [f"r{level}"],
                           [graph_attribute("then_branch", body), graph_attribute("else_branch", other)])],
                     [], [f"r{level}"])
    return body


def shared_body(loops, nodes):
    body = loop_body([node("Relu", ["s" if i == 0 else f"r{i}"], [f"r{i + 1}"]) for i in range(nodes)], ["s"],
                     [f"r{nodes}"])
    calls = [node("Loop", ["", "", "a" if i == 0 else f"v{i}"], ["b" if i == loops - 1 else f"v{i + 1}"],
                  [reference("body", "g")]) for i in range(loops)]
    return model(graph([node("F", ["x"], ["y"], [graph_attribute("g", body)], domain="f")], [value("x", [2])], ["y"]),
                 [function("F", ["a"], ["b"], calls, ["g"])])


def doubling(levels, copies):
    functions = []
    for level in range(levels):
        nodes = [node(f"F{level + 1}" if level + 1 < levels else "Relu", ["a" if k == 0 else f"v{k}"],
                      ["b" if k == copies - 1 else f"v{k + 1}"], domain="f" if level + 1 < levels else "")
                 for k in range(copies)]
        functions.append(function(f"F{level}", ["a"], ["b"], nodes))
    return model(graph([node("F0", ["x"], ["y"], domain="f")], [value("x", [2])], ["y"]), functions)


def long_name(letters, nodes):
    body = [node("Relu", ["a" if i == 0 else f"v{i}"], ["b" if i == nodes - 1 else f"v{i + 1}"]) for i in range(nodes)]
    name = "n" * letters
    return model(graph([node("F", ["x"], [name], domain="f", name=name[:letters // 2])], [value("x", [2])], [name]),
                 [function("F", ["a"], ["b"], body)])


def split(n):
    return model(graph([node("Split", ["x"], [f"o{i}" for i in range(n)], [integer("axis", 0), integer("num_outputs", n)]),
                        *(node("Relu", [f"o{i}"], [f"r{i}"]) for i in range(n))],
                       [value("x", [n])], [f"r{i}" for i in range(n)]))


def many_reads(op, n):
    return model(graph([*(node("Relu", ["x"], [f"s{i}"]) for i in range(n)), node(op, [f"s{i}" for i in range(n)], ["y"])],
                       [value("x", [4])], ["y"]))


def constants_of_all(n):
    return model(graph([*(node("Concat", [f"c{i}", f"w{i}"], [f"c{i + 1}"], [integer("axis", 0)]) for i in range(n)),
                        node("Mul", ["x", f"c{n}"], ["y"])], [value("x", [1])], ["y"],
                       [tensor("c0", [5000]), *(tensor(f"w{i}", [5000]) for i in range(n))]))


def sequences(n):
    return model(graph([node("SequenceEmpty", [], ["s0"]),
                        *(node("SequenceInsert", [f"s{i}", "x"], [f"s{i + 1}"]) for i in range(n)),
                        node("ConcatFromSequence", [f"s{n}"], ["y"], [integer("axis", 0)])], [value("x", [2])], ["y"]))


def hard_onnx(r):
    size = r.choice([3, 30, 300, 3_000])
    return r.choice([
        lambda: loops_in_loops(r.randint(1, 60), r.randint(1, 6), r.randint(0, 1)),
        lambda: model(graph([node("Relu", ["z"], ["y"])], [value("x", [2]), value("yes", [], 9)], ["y"])),
        lambda: model(branches_in_branches(r.randint(1, 60)) + blocks(11, [value("x", [2]), value("yes", [], 9)])),
        lambda: model(branches_in_branches(r.randint(1, 60)) + blocks(11, [value("x", [2])])
                      + block(5, tensor("yes", [], 9, number(5, 1)))),
        lambda: shared_body(size, r.choice([1, 100, 1000])),
        lambda: doubling(r.randint(2, 150), r.randint(1, 8)),
        lambda: long_name(r.choice([100, 10_000, 60_000]), size),
        lambda: split(r.choice([10, 1_000, 20_000])),
        lambda: many_reads(r.choice(["Sum", "Max", "Concat", "Unknown", "Einsum"]), r.choice([10, 1_000, 10_000])),
        lambda: constants_of_all(size),
        lambda: sequences(size),
        lambda: chain_of("Relu", size, shape=[r.choice([1, None])] * r.choice([1, 100, 10_000, 100_000])),
        lambda: chain_of("Transpose", min(size, 300), shape=[1] * 3000, attributes=[integers("perm", range(3000))]),
        lambda: chain_of("Tile", 2, shape=[2**62 + r.getrandbits(60)] * r.randint(1, 9)),
        lambda: chain_of(r.choice(["Softmax", "Flatten", "Shape", "Gather", "Conv", "LSTM", "Scan", "Loop", "If", "Pad",
                                   "Resize", "Attention", "Split", "TopK", "NonZero", "Constant", "Dropout"]), 3,
                         attributes=[integer(r.choice(["axis", "num_outputs", "kernel_shape", "to", "group", "batch_dims"]),
                                             r.choice([0, 1, 2**31, 2**63, 2**64 - 1, 10**6]))]),
        lambda: model(graph([node("Reshape", ["x", "s"], ["y"])], [value("x", [2, 3])], ["y"],
                            [tensor("s", [r.choice([1, 4096, 2**40])], 7, block(7, b"\x01" * r.choice([1, 4096, 50_000])))])),
        lambda: model(b"".join(block(2, "again") for _ in range(size)) + graph([], [value("x", [2])], ["x"])),
        lambda: nested_messages(r.choice([10, 150, 1_000, 30_000])),
        lambda: model(graph([node("Relu", ["x"], [f"v{i}" for i in range(size)])], [value("x", [2])], ["v0"]) * r.randint(1, 3)),
    ])()


def nested_messages(depth):
    inner = b""
    for _ in range(depth):
        inner = block(5, block(6, block(1, inner))) if len(inner) < 200_000 else inner
    return model(block(1, inner))


# ---- texts -------------------------------------------------------------------------------------------------------

def network(nodes, edges, **more):
    return json.dumps({"nodes": nodes, "edges": edges, **more}).encode()


def plain_node(k, **more):
    return {"id": k, "time": 1, "memory": 8, **more}


def hard_json(r):
    n = r.choice([3, 30, 300, 2_000])
    wide = [plain_node(0), *(plain_node(k) for k in range(1, n + 1)), plain_node(n + 1)]
    fan = [[0, k] for k in range(1, n + 1)] + [[k, n + 1] for k in range(1, n + 1)]
    level = r.choice([5, 90, 99, 101, 100_000])
    split_node = plain_node(0, memory=8 * n, outputs_memory=[8] * n)
    return r.choice([
        lambda: network(wide, fan),
        lambda: network(wide, fan * r.choice([1, 20])),
        lambda: network([plain_node(k) for k in range(n)], [[0, 1]] * (20 * n),
                        edge_outputs=[[0, 1, 0]] * r.choice([1, 20 * n])),
        lambda: network([split_node, *(plain_node(k) for k in range(1, n))], [[0, k] for k in range(1, n)]),
        lambda: network([split_node, *(plain_node(k, memory=0, alias_of=k - 1, outputs=[0] * min(n, 300))
                                       for k in range(1, min(n, 300)))], [[k - 1, k] for k in range(1, min(n, 300))]),
        lambda: network([plain_node(k, name="n" * r.choice([10, 100_000 // n + 1])) for k in range(n)],
                        [[k, k + 1] for k in range(n - 1)]),
        lambda: network([*(plain_node(k) for k in range(n)),
                         plain_node(n, memory=8 * n, outputs_memory=[8] * n, reads=[[k, 0] for k in range(n)],
                                    **{r.choice(["may_overwrite", "mutates"]): [[k, k, 0] for k in range(n)]})], []),
        lambda: network([plain_node(k, reads=[[j, 0] for j in range(max(0, k - 300), k)]) for k in range(n)], []),
        lambda: b"[" * level + b"]" * r.choice([level, level - 1]),
        lambda: b'{"nodes":' + b'{"a":' * level + b"1" + b"}" * level + b"}",
        lambda: b'{"nodes": [], ' + b'"nodes": [],' * n + b'"edges": []}',
        lambda: b'{"nodes": [' + b",".join([b"[]"] * (50 * n)) + b'], "edges": []}',
        lambda: b'{"edges": [' + b"0," * (100 * n) + b"0]}",
        lambda: json.dumps({"nodes": [plain_node(0, time=r.choice([2**63, -1, 1e308, 0.5, 10**400]))]}).encode(),
        lambda: json.dumps({"nodes": [plain_node(0)], **{f"field{k}": [[]] * 20 for k in range(n)}}).encode(),
        lambda: json.dumps({"nodes": [plain_node(0, **{f"field{k}": k for k in range(10 * n)})]}).encode(),
        lambda: network([plain_node(k) for k in range(n)], [[k, (k + 1) % n] for k in range(n)]),
        lambda: b'{"nodes": [{"id": 0, "time": 1, "memory": 8}], "name": "' + b"\\u0000" * n + b'"}',
        lambda: b"-" * (100 * n),
        lambda: b'"' + b"\\" * (100 * n) + b'"',
        lambda: b" " * (1_000 * n),
        lambda: json.dumps({"L": level, "fw": [1] * level, "bw": [1] * (level + 1), "cw": [8] * (level + 1),
                            "cbw": [0] + [8] * level}).encode() if level < 1_000 else b"{}",
        lambda: json.dumps({"format": "repebble-schedule", "version": 2,
                            "steps": [["compute", k, "forward", 0] for k in range(n)]}).encode(),
        lambda: json.dumps({"format": "repebble-schedule", "version": 2,
                            "steps": [["compute", 0, "forward", 0, {"operands": [[0, "forward", 0, 0]] * n}]] * 30}).encode(),
    ])()


def hard_dot(r):
    n = r.choice([3, 30, 300, 3_000])
    names = [" ".join(f"{side}{k}" for k in range(n)) for side in "ab"]
    return r.choice([
        lambda: f"digraph {{ {{{names[0]}}} -> {{{names[1]}}} }}".encode(),
        lambda: ("graph {" + " -- ".join("{" + names[0] + "}" for _ in range(r.choice([2, 20]))) + "}").encode(),
        lambda: b"graph" + b"{" * r.choice([50, 100, 101, 100_000]),
        lambda: b"graph { a [" + b"x=y," * (10 * n) + b"] }",
        lambda: b"graph { a [" * n,
        lambda: b'digraph { "' + b"n" * (30 * n) + b'" -> b }',
        lambda: b"graph {" + b"<" * (30 * n) + b"}",
        lambda: b"graph { /*" + b"*" * (30 * n),
        lambda: b"graph {" + b"a -- a; " * (10 * n) + b"}",
        lambda: b"graph { a" + b":b" * r.choice([1, 2, 3, n]) + b" }",
        lambda: b"graph {" + b"subgraph { a b } " * (3 * n) + b"}",
        lambda: b'graph { "' + b'" + "'.join([b"a"] * n) + b'" -- b }',
    ])()


def hard_lines(r):
    n = r.choice([3, 30, 300, 3_000])
    return r.choice([
        lambda: f"p tw {r.choice([10**6, 5 * 10**6, 2**32 - 2, 2**40])} 0\n".encode(),
        lambda: b"p tw 5 4294967295\n" + b"1 2\n" * n,
        lambda: f"p tw {n} {5 * n}\n".encode() + b"1 2\n" * (5 * n),
        lambda: f"p tw {n} {n * 20}\n".encode() + b"".join(b"%d %d\n" % (r.randint(1, n), r.randint(1, n))
                                                          for _ in range(20 * n)),
        lambda: b"c" * (100 * n),
        lambda: b"c\n" * (100 * n),
        lambda: b"p tw " + b"9" * (100 * n),
        lambda: b"id,lower,upper,size\n" + b"".join(b"%d,%d,%d,1\n" % (k, k, k + 3) for k in range(n)),
        lambda: b"id,lower,upper,size,alias\n" + b"".join(b"%d,0,9,1,%d\n" % (k, (k + 1) % n) for k in range(n)),
        lambda: b"id,lower,upper,size,alias\n0,0,9,1,\n" + b"".join(b"%d,0,9,1,%d\n" % (k + 1, k) for k in range(n)),
        lambda: b"id,lower,upper,size,gaps\n0,0,99999,1," + b"3-5 " * (10 * n) + b"\n",
        lambda: b"id,lower,upper,size\n" + b",".join([b"1"] * (100 * n)),
        lambda: b"id,lower,upper,size," + b"size," * n + b"\n",
        lambda: b"id,lower,upper,size\n" + b"a" * (100 * n) + b",0,1,9223372036854775807\nb,0,1,9223372036854775807\n",
    ])()


def hard_trace(r):
    n = r.choice([3, 30, 300, 3_000])
    row = '{"t": %d, "op": "%s", "buf": %d, "bytes": 8, "kernel": "%s"}'
    life = [row % (4 * k + j, op, k, "k" * r.choice([1, 1, 1, 1_000]))
            for k in range(n) for j, op in enumerate(["malloc", "write", "read", "free"])]
    return r.choice([
        lambda: "\n".join(life).encode(),
        lambda: "\n".join(sorted(life, key=lambda line: line[20:])).encode(),
        lambda: "\n".join('{"t": %d, "op": "mark"}' % k for k in range(n)).encode(),
        lambda: b'{"op": "header", "duration": 9223372036854775807}\n' + life[0].encode() * 2,
        lambda: b"\n" * (1_000 * n),
        lambda: b"{" * (100 * n),
        lambda: ('{"t": 0, "op": "malloc", "buf": 0, "bytes": 8, "more": ' + "[" * min(n, 99) + "]" * min(n, 99) + "}\n"
                 ).encode() * n,
        lambda: b'{"t": 0, "op": "' + b"m" * (1_000 * n) + b'"}',
        lambda: (row % (0, "malloc", 2**62, "a") + "\n" + row % (1, "free", 2**62 - 1, "a")).encode(),
        lambda: json.dumps({"width": r.choice([8, 2**31, 2**62]), "rounds": 4, "form": "joint", "W1": [0.5] * n}).encode(),
        lambda: f"s td {n} {n} {n}\n".encode() + b"".join(b"b %d %d\n" % (k + 1, k + 1) for k in range(n)),
        lambda: b"s td 4294967294 4294967294 4294967294\n" + b"b 1" + b" 1" * n,
        lambda: f"s td 1 {n} {n}\nb 1 ".encode() + b" ".join(b"%d" % (k + 1) for k in range(n)),
    ])()


# ---- spoiled files -----------------------------------------------------------------------------------------------

def spoiled(r, data):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 5, 50])):
        if not data:
            break
        at = r.randrange(len(data))
        what = r.randrange(6)
        if what == 0:
            data[at] ^= 1 << r.randrange(8)
        elif what == 1:
            data[at] = r.choice([0, 255, 127, 128, 34, 44, 91, 93, 123, 125, 10, 45, 57])
        elif what == 2:
            del data[at:at + r.randint(1, 40)]
        elif what == 3:
            piece = data[at:at + r.randint(1, 400)]
            data[at:at] = piece * r.choice([1, 2, 50])
        elif what == 4:
            del data[at:]
        else:
            data[at:at] = bytes(r.randrange(256) for _ in range(r.randint(1, 8)))
    return bytes(data)


def valid_files():
    """(kind, text) of some small files of each kind."""
    for folder in ("tests/data", "examples/data"):
        for path in sorted((ROOT / folder).rglob("*")):
            kind = path.name.removesuffix(".gz").rpartition(".")[2]
            if path.is_file() and kind in ("json", "onnx", "dot", "gr", "csv") and path.stat().st_size < 60_000:
                text = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
                if len(text) < 400_000:
                    yield kind, text


READERS = {"json": ["plan", "allocate", "treewidth", "chain", "replay", "times", "schedule", "pipeline"],
           "onnx": ["plan", "allocate"],
           "dot": ["treewidth"], "gr": ["treewidth"], "csv": ["allocate"], "trace": ["trace", "swap", "decomposition", "weights"]}


def arguments_for(reader, file):
    """(program, arguments): the file is read, and little is done with it."""
    return {
        "plan": ("plan", [file, "--strategy", "keep_all", "--budget", "100%"]),
        "replay": ("plan", [str(ROOT / "tests/data/residual_network.json"), "--replay", file]),
        "times": ("plan", ["resnet18", "--times", file, "--strategy", "keep_all"]),
        "treewidth": ("treewidth", [file, "--heuristic", "given-order"]),
        "chain": ("chain", [file, "--budget", "60%", "--slots", "20"]),
        "pipeline": ("pipeline", [file, "--budget", "50%", "--time-limit", "0.1"]),
        "swap": ("swap", [file, "--method", "lru", "--limit", "100%"]),
        "allocate": ("allocate", [file, "--minimise", "--time-limit", "0.1"]),
    }.get(reader, ("read_one", [reader, file]))


def hostile_files(count, seed):
    """(kind, data) of so many files, the same for a seed."""
    r = random.Random(seed)
    valid = list(valid_files())
    by_kind = {kind: [text for k, text in valid if k == kind] for kind, _ in valid}
    for k in range(count):
        kind = r.choice(["onnx", "onnx", "onnx", "json", "json", "dot", "gr", "csv", "trace"])
        if k % 2 == 0:
            data = {"onnx": hard_onnx, "json": hard_json, "dot": hard_dot, "trace": hard_trace}.get(kind, hard_lines)(r)
        else:
            data = spoiled(r, r.choice(by_kind.get(kind) or [hard_trace(r)]))
        packed = r.random()
        if packed < 0.15:
            data, kind = gzip.compress(data, 9, mtime=0), kind + ".gz"
        elif packed < 0.2:
            data, kind = spoiled(r, gzip.compress(data, 9, mtime=0)), kind + ".gz"
        elif packed < 0.22:
            whole = gzip.compress((data[:1] or b" ") * (1 << 24), 9, mtime=0)
            data, kind = whole * r.choice([2, 8, 40]), kind + ".gz"
        yield kind, data


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=63)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    asked = parser.parse_args(arguments)
    path_of = {p.name: str(p.resolve()) for p in asked.programs}
    r = random.Random(7)
    runs, failures, taken = 0, 0, []
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "work").mkdir()
        for k, (kind, data) in enumerate(hostile_files(asked.count, asked.seed)):
            path = folder / f"hostile{k}.{kind}"
            path.write_bytes(data)
            program, words = arguments_for(r.choice(READERS[kind.removesuffix(".gz")]), str(path))
            if program in path_of:
                runs += 1
                faults, seconds, size, words_said = faults_of([path_of[program], *words], folder, path.name,
                                                               asked.seconds)
                taken.append((seconds, size, path.name, program, words_said))
                failures += len(faults)
                for fault in faults:
                    print(f"{program} {' '.join(words)}: {fault}")
            path.unlink()
    if asked.figures:
        for what, by in (("longest", 0), ("largest", 1)):
            print(f"{what}:")
            for seconds, size, name, program, said in sorted(taken, key=lambda t: -t[by])[:8]:
                print(f"  {seconds:.2f} s {size >> 20:4} MiB  {program} {name}: {said}")
    print(f"hostile_files: {runs} runs, {failures} faults")
    return 1 if failures else 0


def faults_of(command, folder, name, seconds_allowed):
    """What is wrong with a run, and its seconds, its bytes and what it says."""
    status, out, err, seconds, size = command_lines.run(command, folder)
    faults = []
    if status not in (command_lines.OK, command_lines.AT_FAULT, command_lines.NOTHING_FITS):
        faults.append(f"exit status {status}: {err[-200:]!r}")
    if seconds > seconds_allowed:
        faults.append(f"{seconds:.1f} s")
    if size > BYTES:
        faults.append(f"{size >> 20} MiB")
    if status == command_lines.AT_FAULT and (err.count(b"\n") != 1 or name.encode() not in err):
        faults.append(f"says {err[:300]!r}")
    for path in (folder / "work").iterdir():
        path.unlink()
    return faults, seconds, size, (err.decode(errors="replace").splitlines() or [f"exit status {status}"])[0][-140:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
