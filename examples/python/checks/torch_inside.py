"""Does this version of torch have what repebble.torch uses of its inside? What is missing is said by name.

torch_inside.py. Names are those of the package's files; then a network trains by `backend` and by `partitioner`. Exit
status 1 where something is broken, 77 without torch.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble


def names_of(path: pathlib.Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of all that a file takes from torch: imports, and attributes of them."""
    known = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and not node.level and str(node.module).split(".")[0] == "torch":
            known.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
            yield from ((node.lineno, f"{node.module}.{a.name}") for a in node.names)
        elif isinstance(node, ast.Import):
            known.update({"torch": "torch" for a in node.names if a.name.split(".")[0] == "torch"})
    for node in ast.walk(ast.parse(path.read_text())):
        parts: list[str] = []
        line, inner = getattr(node, "lineno", 0), node
        while isinstance(inner, ast.Attribute):
            parts.insert(0, inner.attr)
            inner = inner.value
        if parts and isinstance(inner, ast.Name) and inner.id in known:
            yield line, ".".join([known[inner.id], *parts])


def missing(dotted: str) -> str | None:
    """The first part of a name that torch has not."""
    found: Any = torch
    parts = dotted.split(".")
    for k, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[:k]))
            except ImportError:
                return ".".join(parts[:k])
        found = getattr(found, part)
    return None


def faults(folder: pathlib.Path) -> Iterator[str]:
    """What this torch has not, or has otherwise."""
    for path in sorted(folder.glob("*.py")):
        for line, name in sorted(set(names_of(path))):
            if gone := missing(name):
                yield f"{path.name}:{line}: {gone} is not there"
    try:
        from repebble.torch import _inside
    except (ImportError, AttributeError) as error:
        yield f"_inside.py: {error}"
        return
    called = {**_inside.CALLED, **{k: (_inside.original(k), p) for k, (_, _, p) in _inside.REPLACED.items() if p}}
    for name, (function, parameters) in called.items():
        if lost := set(parameters) - set(inspect.signature(function).parameters):
            yield f"_inside.py: {name}: {function.__qualname__} takes no {', '.join(sorted(lost))}"
    inductor, functorch = torch._inductor.config, torch._functorch.config
    for module, settings in ((inductor, _inside.SETTINGS), (functorch, _inside.FUNCTORCH_SETTINGS)):
        for name in settings:
            if not hasattr(module, name) and name not in _inside.SINCE:
                yield f"_inside.py: {module.__name__} has no {name}"


def trains() -> Iterator[str]:
    """Whether both doors give the gradients of eager torch."""
    import repebble.torch as budgeted

    layers = [x for _ in range(4) for x in (torch.nn.Linear(64, 64), torch.nn.GELU())]
    model, data = torch.nn.Sequential(*layers), torch.randn(256, 64)

    def gradients(call: Any) -> list[torch.Tensor]:
        model.zero_grad(set_to_none=True)
        call(data).square().mean().backward()
        return [p.grad for p in model.parameters()]

    expected = gradients(model)
    torch._dynamo.reset()
    backend = budgeted.backend("60%")
    if not all(map(torch.equal, gradients(torch.compile(model, backend=backend)), expected)):
        yield "backend: gradients are not those of eager torch"
    torch._dynamo.reset()
    with budgeted.partitioner("60%") as planning:
        compiled = gradients(torch.compile(model))
    if not all(torch.allclose(a, b, atol=1e-6) for a, b in zip(compiled, expected)):
        yield "partitioner: gradients are not those of eager torch"
    for door in (backend, planning):
        print(budgeted.report(door))


def main() -> int:
    torch.set_num_threads(1)
    found = [*faults(pathlib.Path(repebble.__file__).parent / "torch")]
    found = found or [*trains()]
    print("\n".join(found) or f"torch {torch.__version__}: all is there, and trains")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
