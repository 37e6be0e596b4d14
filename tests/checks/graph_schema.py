"""Checks examples/plan/graph.schema.json, the schema of graph files, against the files, the headers and the reader.

    graph_schema.py [PLAN]      one line per fault; exit status 1 where there is one

- Its properties are the fields that io/network_node.hpp lists.
- All graph files of examples/data and tests/data are valid, and so are the recorded joint graphs of repebble.torch as
  `repebble.graph_file` writes them. With PLAN, keeping everything peaks in these where Python says.
- Seeded faults, one for each rule of the reader, are not; those that no schema can say are marked. With PLAN, the
  program, each is refused by the reader, too, and what is valid is read.

Exit status 77: there is no jsonschema (python3-jsonschema of Debian).
"""

import copy
import gzip
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

try:
    import jsonschema
except ImportError:
    print("graph_schema: skipped, no python3-jsonschema")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "examples/plan/graph.schema.json"


def small():
    """A graph with an input, two outputs, a view and a backward pass, on which faults are seeded."""
    return {
        "name": "small",
        "nodes": [
            {"id": 0, "memory": 8, "input": True},
            {"id": 1, "time": 1, "memory": 12, "outputs_memory": [4, 8], "op": "split"},
            {"id": 2, "time": 0, "memory": 0, "alias_of": 1},
            {"id": 3, "time": 2, "memory": 8, "reads": [[2, 0], "x"], "workspace": 3, "recomputable": False},
            {"id": 4, "time": 3, "memory": 8, "phase": "backward", "result": [0]},
        ],
        "edges": [[0, 1], [1, 2], [3, 4], [1, 4]],
        "edge_outputs": [[1, 2, 0], [1, 4]],
    }


# Changes that leave the graph valid: node (None: the file), fields.
VALID = [
    (None, {}),
    (None, {"time_unit": "ms", "made_by": {"any": 1}}),
    (None, {"time_unit": "us", "link": "4GB/s,5us", "host_budget": 1024}),
    (None, {"time_unit": "us", "link": {"bandwidth": "4GB/s", "latency": "5us", "half_duplex": True}}),
    (None, {"host_budget": "4GiB"}),
    (1, {"shape": [3, 4], "inputs": ["x"], "mirror": 2, "inplace": True, "inplace_src": 0}),
    (1, {"time": 2**62, "alias_of": None, "inplace_src": None}),
    (1, {"mutates": [[0, 0, 0]], "may_overwrite": [], "views": []}),
    (1, {"memory": 8, "outputs_memory": [0, 8], "views": [[0, 0, 0]]}),
    (3, {"memory": 0, "alternative_to": [[0, 1, 1]]}),
    (0, {"time": 0, "donated": True, "result": False}),
    (4, {"result": True, "bwd_needs_inputs": False, "bwd_needs_output": False}),
    (3, {"bwd_needs_inputs": [0, 1], "bwd_needs_output": [0], "has_gradient": False}),
    (3, {"has_gradient": [0]}),
    (1, {"must_keep": [1], "must_recompute": [0]}),
    (3, {"must_keep": True, "must_recompute": False}),
    (0, {"must_keep": True, "must_recompute": []}),
]

# Faults that the schema must refuse.
FAULTS = [
    (None, {"nodes": None}),
    (None, {"nodes": {}}),
    (None, {"nodes": [1]}),
    (None, {"name": 1}),
    (None, {"time_unit": "h"}),
    (None, {"time_unit": "us", "link": 4}),
    (None, {"time_unit": "us", "link": ""}),
    (None, {"time_unit": "us", "link": {"latency": "5us"}}),
    (None, {"time_unit": "us", "link": {"bandwidth": "4GB/s", "speed": 1}}),
    (None, {"host_budget": -1}),
    (None, {"host_budget": 0.5}),
    (None, {"edges": {}}),
    (None, {"edges": [[0]]}),
    (None, {"edges": [[0, 1, 2]]}),
    (None, {"edges": [[0, -1]]}),
    (None, {"edges": [[0, 2**32]]}),
    (None, {"edge_outputs": [[0]]}),
    (None, {"edge_outputs": [[1, 2, "0"]]}),
    (1, {"id": ...}),
    (1, {"id": -1}),
    (1, {"id": "1"}),
    (1, {"time": ...}),
    (1, {"time": -1}),
    (1, {"time": 0.5}),
    (1, {"time": "1"}),
    (1, {"memory": ...}),
    (1, {"memory": -12}),
    (1, {"memory": 12.5}),
    (1, {"memory": 2**63}),
    (1, {"memory": "12"}),
    (1, {"name": 1}),
    (1, {"op": None}),
    (1, {"workspace": -1}),
    (1, {"outputs_memory": []}),
    (1, {"outputs_memory": 12}),
    (1, {"outputs_memory": [20, -8]}),
    (1, {"recomputable": "no"}),
    (1, {"mirror": -1}),
    (1, {"mirror": 2**32}),
    (1, {"phase": "sideways"}),
    (1, {"inplace": 1}),
    (1, {"inplace_src": "0"}),
    (1, {"alias_of": -1}),
    (1, {"bwd_needs_inputs": "yes"}),
    (1, {"bwd_needs_output": 0}),
    (3, {"bwd_needs_inputs": [-1]}),
    (1, {"has_gradient": "no"}),
    (1, {"has_gradient": [-1]}),
    (1, {"result": "all"}),
    (1, {"result": [0, 0]}),
    (1, {"result": [-1]}),
    (1, {"must_keep": "all"}),
    (1, {"must_keep": [0, 0]}),
    (1, {"must_recompute": [-1]}),
    (0, {"must_recompute": True}),
    (1, {"must_keep": True, "must_recompute": True}),
    (3, {"must_recompute": [0]}),
    (4, {"must_recompute": True}),
    (1, {"input": "yes"}),
    (1, {"donated": True}),
    (1, {"reads": [[0]]}),
    (1, {"reads": [""]}),
    (1, {"reads": {}}),
    (1, {"views": [[0, 0]]}),
    (1, {"mutates": [0]}),
    (1, {"may_overwrite": [[0, 0, 0, 0]]}),
    (1, {"alternative_to": [[0, 0]]}),
    (0, {"time": 1}),
    (0, {"workspace": 1}),
    (0, {"mirror": 1}),
    (0, {"alias_of": 1}),
    (0, {"inplace": True}),
    (0, {"views": [[0, 1, 0]]}),
    (0, {"alternative_to": [[0, 1, 0]]}),
    (0, {"donated": True, "result": True}),
    (2, {"memory": 8}),
    (2, {"mirror": 1}),
    (2, {"views": [[0, 1, 0]]}),
    (2, {"mutates": [[0, 1, 0]]}),
    (2, {"alternative_to": [[0, 1, 0]]}),
    (2, {"outputs": []}),
    (3, {"mirror": 1}),
    (4, {"mirror": 1}),
]

# Faults that only the reader sees.
READERS_FAULTS = [
    (1, {"id": 2}),
    (1, {"id": 9}),
    (1, {"memory": 12.0}),
    (1, {"memory": 13}),
    (1, {"memroy": 12}),
    (None, {"timeunit": "ms"}),
    (None, {"link": "pcie4"}),
    (None, {"time_unit": "us", "link": "fast"}),
    (None, {"host_budget": "much"}),
    (None, {"edges": [[0, 1], [1, 2], [3, 4], [4, 3]], "edge_outputs": []}),
    (None, {"edges": [[0, 9]], "edge_outputs": []}),
    (None, {"edge_outputs": [[0, 4]]}),
    (None, {"edge_outputs": [[1, 2, 2], [1, 4]]}),
    (2, {"alias_of": 3}),
    (3, {"reads": [[9, 0]]}),
    (1, {"mutates": [[0, 3, 0]]}),
    (3, {"alternative_to": [[0, 1, 1]]}),
    (1, {"inplace_src": 3}),
    (4, {"result": [1]}),
    (1, {"must_keep": [2]}),
    (1, {"must_keep": [0], "must_recompute": [0]}),
    (1, {"must_recompute": [0], "result": [0]}),
    (1, {"time": 2**63 - 1}),
]


def changed(change):
    """`small()` with some fields of a node or of the file set, or removed (...)."""
    node, fields = change
    graph = small()
    target = graph if node is None else graph["nodes"][node]
    for field, value in fields.items():
        if value is ... or (node is None and value is None):
            del target[field]
        else:
            target[field] = copy.deepcopy(value)
    return graph


def graph_files():
    """The name and the content of each graph file; other JSON (chains, schedules) has no nodes."""
    for folder in ("examples/data", "tests/data"):
        for path in sorted((*(ROOT / folder).rglob("*.json"), *(ROOT / folder).rglob("*.json.gz"))):
            data = path.read_bytes()
            content = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
            if isinstance(content, dict) and "nodes" in content:
                yield str(path.relative_to(ROOT)), content


def exported_graphs():
    """The joint graphs of repebble.torch as graph files, and the peak of keeping everything."""
    package, native = types.ModuleType("repebble"), types.ModuleType("repebble._core")
    package.__path__ = [str(ROOT / "examples/python/repebble")]
    native.Problem = lambda **_: None  # the native part is not built here
    sys.modules.update({"repebble": package, "repebble._core": native})
    joints = importlib.import_module("repebble.torch._joint")
    graph_file = importlib.import_module("repebble._graph_file").graph_file
    for path in sorted((ROOT / "examples/python/tests/joint").glob("*.json.gz")):
        recorded = json.loads(gzip.decompress(path.read_bytes()))
        graph = joints.Joint.from_json(json.dumps(recorded["joint"])).graph()
        yield path.stem, graph_file(graph, name=path.stem, time_unit="ns"), peak_of(graph)


def peak_of(graph):
    """Most bytes where all operations run in order, and each value goes after its last use."""
    values, operations = graph["values"], graph["operations"]
    last = {x: k for k, o in enumerate(operations) for x in (*o["reads"], *o["writes"])}
    there, peak = set(), 0
    for k, o in enumerate(operations):
        there |= set(o["writes"])
        peak = max(peak, sum(values[x]["size"] for x in there) + o.get("workspace", 0))
        there = {x for x in there if last[x] > k or values[x]["result"]}
    return peak


def listed_fields(name):
    """The words of an array in network_node.hpp."""
    text = (ROOT / "include/repebble/io/network_node.hpp").read_text()
    return set(re.findall(r'"(\w+)"', re.search(rf"{name}\{{(.*?)\}};", text, re.DOTALL).group(1)))


def main(plan):
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []

    for name, properties in (
        ("network_fields", schema["properties"]),
        ("node_fields", schema["$defs"]["node"]["properties"]),
    ):
        for field in sorted(listed_fields(name) ^ set(properties)):
            faults.append(f"{name} and the schema differ: {field}")

    exported = list(exported_graphs())
    files = [*graph_files(), *((name, graph) for name, graph, _ in exported)]
    for name, content in files:
        for error in list(validator.iter_errors(content))[:3]:
            faults.append(f"{name}: {error.json_path}: {error.message[:100]}")
    if len(files) < 5 + len(exported) or not exported:
        faults.append(f"only {len(files)} graph files found")

    with tempfile.TemporaryDirectory() as folder:
        def read_peak(graph):
            """The peak of keeping everything that the reader finds; None where it refuses."""
            path = pathlib.Path(folder) / "graph.json"
            path.write_text(json.dumps(graph))
            options = ["--strategy", "keep_all", "--budget", "100%", "--json"]
            done = subprocess.run([plan, path, *options], capture_output=True, text=True, check=False)
            return json.loads(done.stdout)["graph"]["keep_all_peak"] if done.returncode == 0 else None

        for name, graph, peak in exported:
            if plan and read_peak(graph) != peak:
                faults.append(f"{name}: keeping everything peaks at {read_peak(graph)}, not at {peak}")

        for kind, changes, is_valid, is_legal in (
            ("valid", VALID, True, True),
            ("fault", FAULTS, False, False),
            ("reader's fault", READERS_FAULTS, True, False),
        ):
            for change in changes:
                graph = changed(change)
                if validator.is_valid(graph) != is_valid:
                    faults.append(f"{kind} {change}: the schema {'refuses' if is_valid else 'accepts'} it")
                if plan and (read_peak(graph) is not None) != is_legal:
                    faults.append(f"{kind} {change}: the reader {'refuses' if is_legal else 'accepts'} it")

    for fault in faults:
        print(f"graph_schema: {fault}")
    print(f"graph_schema: {len(files)} files, {len(FAULTS) + len(READERS_FAULTS)} faults seeded, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
