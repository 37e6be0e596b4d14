"""Kernels of `repebble.torch._fusion`, without torch: which values never are in memory, and programs of kernels."""

from __future__ import annotations

from typing import Any

import byte_counter
import pytest
from test_torch_split import fusion, joints, recorded, same, splitting

SIZE = 100


def joint_of(nodes: list[tuple[str, str, bool]], sizes: dict[str, int] | None = None, **ends: str) -> Any:
    """A joint graph of nodes "c = a b", each with a kind, and whether it is of the backward pass. x is an input."""
    number: dict[str, int] = {"x": 0}
    made = []
    storage = [0]
    for text, kind, backward in nodes:
        name, _, reads = text.partition(" = ")
        number[name] = len(storage)
        storage.append(storage[number[reads.split()[0]]] if kind == "view" else len(storage))
        made.append(
            joints.Node(name, tuple(number[r] for r in reads.split()), (number[name],), 1.0, kind, backward=backward)
        )
    bytes_of = [(sizes or {}).get(name, SIZE) for name in number]
    lists = {k: [number[n] for n in ends.get(k, "").split()] for k in ("results", "updates", "gradients")}
    return joints.Joint(made, storage, bytes_of, inputs=[0], tangents=[], mutated=[], **lists)


def kernels(joint: Any, pointwise: str, others: str = "") -> list[str]:
    """The names of each kernel's nodes. `others` are reductions."""
    names = [n.name for n in joint.nodes]
    inline = [names.index(n) for n in pointwise]
    fused = fusion.Fused(joint, inline, [*inline, *(names.index(n) for n in others)])
    return ["".join(names[k] for k in kernel) for kernel in fused.kernels]


def test_a_chain_of_pointwise_operations_is_one_kernel() -> None:
    chain = [("a = x", "compute", False), ("b = a", "compute", False), ("c = b", "compute", False)]
    assert kernels(joint_of(chain, results="c"), "abc") == ["abc"]


def test_results_and_what_other_operations_read_are_in_memory() -> None:
    chain = [("a = x", "compute", False), ("b = a", "compute", False), ("c = b", "compute", False)]
    assert kernels(joint_of(chain, results="a c"), "abc") == ["a", "bc"]
    assert kernels(joint_of(chain, results="c"), "ab") == ["ab", "c"]
    assert kernels(joint_of(chain, results="c"), "ab", "c") == ["abc"]


def test_views_lie_within_the_kernel_of_their_value() -> None:
    chain = [("a = x", "compute", False), ("v = a", "view", False), ("c = v", "compute", False)]
    assert kernels(joint_of(chain, results="c"), "ac") == ["avc"]
    assert kernels(joint_of(chain, results="c"), "a") == ["a", "v", "c"]


def test_what_several_kernels_read_is_computed_again_only_where_that_needs_no_more_memory() -> None:
    """`m` is read by `p` and `q`: it is inlined where it has one operand of its size."""
    head = [("a = x", "compute", False), ("b = x", "compute", False)]
    tail = [("p = m", "compute", False), ("q = m", "compute", False)]
    one, two = ("m = a", "compute", False), ("m = a b", "compute", False)
    assert kernels(joint_of([*head, one, *tail], results="p q b"), "mpq") == ["a", "b", "mp", "mq"]
    assert kernels(joint_of([*head, two, *tail], results="p q"), "mpq") == ["a", "b", "m", "p", "q"]
    assert kernels(joint_of([*head, one, *tail], {"m": 25}, results="p q b"), "mpq") == ["a", "b", "m", "p", "q"]


def test_what_many_kernels_read_is_in_memory_and_a_little_more_may_be_kept() -> None:
    head = [("a = x", "compute", False), ("b = x", "compute", False), ("m = a", "compute", False)]

    def inlined(readers: str, size: int = SIZE) -> bool:
        tail = [(f"{reader} = m", "compute", False) for reader in readers]
        joint = joint_of([*head, *tail], {"m": size}, results=" ".join(readers))
        return "m" not in kernels(joint, "m" + readers)

    assert inlined("pqrs") and not inlined("pqrst")
    assert inlined("pq", 91) and not inlined("pq", 90)  # `a` has 100 bytes


def test_kernels_take_the_time_of_their_operations_or_that_which_is_said() -> None:
    chain = [("a = x", "compute", False), ("b = a", "compute", False), ("c = b", "compute", False)]
    made = [fusion.Fused(joint_of(chain, results="b c"), [0, 1, 2], [0, 1, 2], time) for time in (None, lambda k: 7.5)]
    assert [[node.time for node in fused.joint.nodes] for fused in made] == [[2.0, 1.0], [7.5, 1.0]]


def test_the_other_pass_does_not_keep_more_than_the_value() -> None:
    nodes = [("a = x", "compute", False), ("m = a", "compute", False), ("r = a", "compute", False)]
    backward = ("g = m", "compute", True)
    assert kernels(joint_of([*nodes, backward], {"m": 25}, results="r", gradients="g"), "mg") == ["a", "m", "r", "g"]
    assert kernels(joint_of([*nodes, backward], results="r", gradients="g"), "mg") == ["a", "r", "mg"]


def as_pointwise(joint: Any) -> set[int]:
    """Every operation with one result and one operand or two, as if it were pointwise."""
    return {k for k, n in enumerate(joint.nodes) if n.kind == "compute" and len(n.writes) == 1 and len(n.reads) < 3}


@pytest.mark.parametrize("name", ["resnet18", "gpt", "swin", "mutated"])
def test_programs_of_kernels_compute_the_same(name: str) -> None:
    joint, _ = recorded(name)
    fused = fusion.Fused(joint, as_pointwise(joint), as_pointwise(joint))
    assert len(fused.joint.nodes) < len(joint.nodes)
    assert {k for kernel in fused.kernels for k in kernel} >= {
        k for k, n in enumerate(joint.nodes) if n.kind not in ("view", "compute")
    }
    plain = byte_counter.ByteCounter(joint, splitting.split(joint, splitting.keep_all_steps(joint))).run()
    once = splitting.split(fused.joint, splitting.keep_all_steps(fused.joint))
    again = splitting.split(fused.joint, recomputing(fused.joint))
    assert splitting.measure(fused.joint, again).recomputed
    for program in (once, again):
        run = byte_counter.ByteCounter(joint, fused.expand(program)).run()
        assert same(run.results, plain.results) and same(run.gradients, plain.gradients)
        assert same(list(run.inputs.values()), list(plain.inputs.values()))


def recomputing(joint: Any) -> list[tuple[str, int]]:
    """The schedule that runs everything once, and then the last recomputable operation that can run again."""
    steps = splitting.keep_all_steps(joint)
    operations = joint.graph()["operations"]
    values = joint.graph()["values"]
    for k, operation in reversed(list(enumerate(operations))):
        written = operation["writes"]
        if operation["recomputable"] and written and not any(values[v]["result"] for v in written):
            first = next(i for i, o in enumerate(operations) if i > k and set(o["reads"]) & set(written))
            return [*steps[:first], *(("discard", v) for v in written), ("compute", k), *steps[first:]]
    raise AssertionError("nothing can run again")
