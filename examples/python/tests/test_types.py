"""The stubs say what the native module has, and mypy accepts them and a program that uses the package."""

import ast
import os
import pathlib
import subprocess
import sys

import pytest
import repebble
from repebble import _core

PACKAGE = pathlib.Path(repebble.__file__).parent
PROGRAM = """
import repebble

graph = {"values": [{"size": 1}], "operations": [{"time": 1, "reads": [], "writes": [0]}]}
found: repebble.Plan = repebble.plan(graph, "100%", seconds=1.0)
for action, operation, value in found.steps:
    print(action, operation, value)
curve: list[repebble.Plan | None] = repebble.plan(graph, [1, "50%"])
peak: int = repebble.replay(graph, found.steps).peak
stages = [{"forward_time": 1, "backward_time": 1}]
budgets: list[int] = [budget for budget, time in repebble.solve_chain(stages).curve]
most: int = repebble.solve_chain(stages, 100).peak
plans: list[repebble.RecomputePlan] = [s(graph, "100%") for s in repebble.strategies() if not s.needs_gradients]
least: repebble.LeastBudget = repebble.find_least_budget(graph, effort={"children": 8})
largest: repebble.LargestSize = repebble.find_largest_size(lambda size: graph, "1GiB", most=3, overhead=0.1)
"""


def run_mypy(folder, *arguments):
    pytest.importorskip("mypy")
    installed = "site-packages" in PACKAGE.parts
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **({} if installed else {"MYPYPATH": str(PACKAGE.parent)})},
    )


def parameters(function):
    return [argument.arg for argument in function.args.args]


def native(owner):
    """By name: the parameters that nanobind knows."""
    signatures = {name: getattr(member, "__nb_signature__", ()) for name, member in vars(owner).items()}
    return {name: parameters(ast.parse(one[0][0] + ": ...").body[0]) for name, one in signatures.items() if one}


def test_the_stub_names_what_the_module_has():
    stub = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
    said = {"": {}}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            said[""][node.name] = parameters(node)
        elif isinstance(node, ast.ClassDef):
            said[node.name] = {m.name: parameters(m) for m in node.body if not m.decorator_list}
            properties = {m.name for m in node.body if m.decorator_list}
            assert properties == {n for n, m in vars(getattr(_core, node.name)).items() if isinstance(m, property)}
    for name, functions in said.items():
        assert functions == native(getattr(_core, name) if name else _core)


def test_mypy_accepts_the_package(tmp_path):
    modules = ["repebble", *(f"repebble.{file.stem}" for file in sorted(PACKAGE.glob("_[a-z]*.py*")))]
    done = run_mypy(tmp_path, *(argument for module in modules for argument in ("-m", module)))
    assert done.returncode == 0, done.stdout


def test_mypy_accepts_a_program_and_refuses_a_wrong_one(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    done = run_mypy(tmp_path, str(program))
    assert done.returncode == 0, done.stdout
    program.write_text(PROGRAM + "repebble.plan(graph, budget=[1.5])\n", encoding="utf-8")
    assert "list-item" in run_mypy(tmp_path, str(program)).stdout
