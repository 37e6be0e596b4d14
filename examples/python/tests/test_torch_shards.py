"""Gathers that run again, and what ranks agree on, without torch. `checks/torch_shards.py` has four ranks."""

from __future__ import annotations

import dataclasses
import datetime
import importlib
import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import byte_counter
import pytest
from test_torch_split import NATIVE, joints, planning, plans_of, recorded, same, splitting

ranks = importlib.import_module("repebble.torch._ranks")
errors = importlib.import_module("repebble._errors")

Node = joints.Node
IN_ORDER = ("ordered", "gather")


def launches(joint: Any, program: Any) -> list[tuple[int, int]]:
    """Collectives of a program: node, run."""
    return [(c.node, c.run) for c in program.calls if c.node >= 0 and joint.nodes[c.node].kind in IN_ORDER]


def layer() -> Any:
    """A weight is gathered, waited for and read by both passes; its gradient is reduced.

    Tensors: 0 the shard, 1 gathered, 2 waited for, 3 a view of it, 4 the result, 5 its tangent, 6 and 7 gradients.
    """
    nodes = [
        Node("gather", (0,), (1,), 5.0, "gather"),
        Node("wait", (1,), (2,), 0.0, "wait"),
        Node("view", (2,), (3,), 0.0, "view"),
        Node("product", (3,), (4,), 1.0),
        Node("gradient", (3, 5), (6,), 1.0, backward=True),
        Node("reduce", (6,), (7,), 5.0, "ordered", backward=True),
        Node("wait_again", (7,), (8,), 0.0, "wait", backward=True),
    ]
    return joints.Joint(nodes, [0, 1, 1, 1, 2, 3, 4, 5, 5], [2, 8, 1, 1, 8, 2], [0], [5], [4], [-1], [8], [])


def steps_of(joint: Any, again: bool) -> list[tuple[str, int]]:
    """Everything once; with `again` the weight is discarded between the passes and gathered again."""
    steps = splitting.keep_all_steps(joint)
    barrier = joint.planned().index(joints.BARRIER)
    weight = joint.values().index(1)
    if not again:
        return steps
    return [*steps[:barrier], ("discard", weight), steps[barrier], ("compute", 0), *steps[barrier + 1 :]]


def test_a_gather_may_run_again_and_a_reduction_may_not() -> None:
    found = {o["name"]: o["recomputable"] for o in layer().graph()["operations"]}
    assert found == {"gather": True, "product": False, "barrier": False, "gradient": True, "reduce": False}


def test_a_gather_that_runs_again_is_waited_for_before_it_is_read() -> None:
    joint = layer()
    program = splitting.split(joint, steps_of(joint, True))
    names = [joint.nodes[c.node].name for c in program.calls if c.node >= 0]
    gather = ["gather", "wait", "view"]
    assert names == [*gather, "product", *gather, "gradient", "reduce", "wait_again"]
    run = byte_counter.ByteCounter(joint, program).run()
    once = byte_counter.ByteCounter(joint, splitting.split(joint, steps_of(joint, False))).run()
    assert same(run.results, once.results) and same(run.gradients, once.gradients)
    measured = splitting.measure(joint, program)
    assert (measured.gathered, measured.recomputed, measured.overhead) == (1, 1, 5.0)
    assert run.peak == measured.peak and measured.kept == 1


def test_a_gathered_weight_that_is_copied_to_the_host_and_back_is_not_gathered_again() -> None:
    joint = layer()
    steps, barrier, weight = (
        splitting.keep_all_steps(joint),
        joint.planned().index(joints.BARRIER),
        joint.values().index(1),
    )
    there, back = [("offload", weight), ("discard", weight)], [("prefetch", weight), ("discard_host", weight)]
    program = splitting.split(joint, [*steps[:barrier], *there, steps[barrier], *back, *steps[barrier + 1 :]])
    run = byte_counter.ByteCounter(joint, program).run()
    once = byte_counter.ByteCounter(joint, splitting.split(joint, steps)).run()
    assert same(run.results, once.results) and same(run.gradients, once.gradients)
    measured = splitting.measure(joint, program)
    assert (measured.recomputed, measured.host, measured.copied, measured.kept) == (0, 8, 8, 1)
    assert (run.peak, run.host_peak) == (measured.peak, measured.host)


def test_a_weight_that_is_read_before_it_is_waited_for_is_another() -> None:
    """The counter of bytes would notice."""
    joint = layer()
    program = splitting.split(joint, steps_of(joint, True))
    late = [k for k, c in enumerate(program.calls) if c.node >= 0 and joint.nodes[c.node].kind == "wait"][1]
    waiting, view = program.calls[late], program.calls[late + 1]
    calls = [
        *program.calls[:late],
        dataclasses.replace(view, reads=program.calls[late - 1].writes),
        *program.calls[late + 2 :],
    ]
    early = byte_counter.ByteCounter(joint, dataclasses.replace(program, calls=calls)).run()
    right = byte_counter.ByteCounter(joint, program).run()
    assert waiting.run == 1 and not same(early.gradients, right.gradients)


def test_a_gather_of_what_is_resident_is_waited_for_too() -> None:
    joint = layer()
    steps = steps_of(joint, False)
    program = splitting.split(joint, [*steps[:1], ("compute", 0), *steps[1:]])
    kinds = [joint.nodes[c.node].kind for c in program.calls if c.node >= 0]
    assert kinds[:5] == ["gather", "wait", "gather", "wait", "view"]


def test_gathers_that_are_kept_or_held_run_once() -> None:
    joint = layer()
    assert joint.gathers() == [0]
    assert joint.gathers(kept=[joint.values().index(1)]) == []
    assert dataclasses.replace(joint, results=[2]).gathers() == []


def test_collectives_of_recorded_plans_run_first_in_order_and_waits_follow_at_once() -> None:
    gathered = 0
    for joint, _, program in plans_of("sharded"):
        first = [node for node, run in launches(joint, program) if not run]
        assert first == sorted(first) == [k for k, n in enumerate(joint.nodes) if n.kind in IN_ORDER]
        assert all(joint.nodes[node].kind == "gather" for node, run in launches(joint, program) if run)
        for call, following in zip(program.calls, program.calls[1:]):
            if call.node >= 0 and joint.nodes[call.node].kind == "gather":
                assert joint.nodes[following.node].kind == "wait" and following.reads[0] == call.writes[0]
        gathered += splitting.measure(joint, program).gathered
    assert gathered > 0


@pytest.mark.skipif(not NATIVE, reason="the native part is not installed")
def test_equal_graphs_get_equal_sequences_of_collectives() -> None:
    sequences = []
    for _ in range(2):
        joint, _ = recorded("sharded")
        planned = planning.plan_joint(joint, "30%", work=200)
        sequences.append(launches(joint, planned.program))
    assert sequences[0] == sequences[1] and any(run for _, run in sequences[0])


class Store:
    """A store of threads."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.changed = threading.Condition()

    def set(self, name: str, value: bytes) -> None:
        with self.changed:
            self.values[name] = value
            self.changed.notify_all()

    def wait(self, names: list[str], timeout: datetime.timedelta) -> None:
        limit = timeout // datetime.timedelta(milliseconds=1)  # 0: none, as torch's HashStore and FileStore have it
        with self.changed:
            if not self.changed.wait_for(lambda: names[0] in self.values, limit / 1000 if limit else None):
                raise TimeoutError

    def check(self, names: list[str]) -> bool:
        return names[0] in self.values

    def get(self, name: str) -> bytes:
        return self.values[name]


def meet(
    groups_of: dict[int, list[tuple[int, ...]]],
    work: Callable[[Any, int], Any],
    seconds: float = 20.0,
    store: Any = None,
    had: Mapping[int, int] = MappingProxyType({}),
) -> dict[int, str]:
    """What each rank, a thread, says in the end: "" or its error. had: how many meetings it has had in this store."""
    store, said, threads = store or Store(), {}, []

    def run(meeting: Any, rank: int) -> None:
        try:
            with meeting:
                work(meeting, rank)
            said[rank] = ""
        except Exception as error:
            said[rank] = str(error)

    for rank, groups in groups_of.items():
        ranks._met.clear()  # each rank is a process of its own
        ranks._met.update({group: had.get(rank, 0) for group in groups})
        meeting = ranks.Meeting(store, rank, groups, seconds)
        threads.append(threading.Thread(target=run, args=(meeting, rank), daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return said


ALL = {rank: [(0, 1, 2)] for rank in range(3)}
MESH = {0: [(0, 1), (0, 2)], 1: [(0, 1), (1, 3)], 2: [(2, 3), (0, 2)], 3: [(2, 3), (1, 3)]}


def test_ranks_that_agree_go_on_and_take_the_times_of_the_least() -> None:
    times = {}

    def work(meeting: Any, rank: int) -> None:
        meeting.compare("graph", ["a", "b"])
        times[rank] = meeting.share("times", [rank])
        meeting.end()

    for groups in (ALL, MESH):
        assert set(meet(groups, work).values()) == {""}
        assert set(map(tuple, times.values())) == {(0,)}


@pytest.mark.parametrize("groups", [ALL, MESH])
def test_a_difference_is_an_error_on_every_rank_that_names_it(groups: Any) -> None:
    odd = max(groups)
    said = meet(
        groups, lambda meeting, rank: meeting.compare("graph", ["same", "other" if rank == odd else "mine", "x"])
    )
    assert set(said.values()) == {f"rank {odd} has another graph than rank 0: 'other', not 'mine'"}
    assert len(said) == len(groups)


def test_a_graph_that_ends_before_that_of_others_is_named_and_so_are_few_of_many_ranks() -> None:
    groups: Any = ALL
    said = meet(groups, lambda meeting, rank: meeting.compare("graph", ["same", "last"][: 1 if rank == 2 else 2]))
    assert set(said.values()) == {"rank 2 has another graph than rank 0: 'nothing more', not 'last'"}
    assert ranks._named([3]) == "rank 3 has" and ranks._named([0, 1], "") == "ranks 0, 1"
    assert ranks._named([*range(9)]) == "ranks 0, 1, 2, 3, 4, 5, 6, 7, ... have"


def test_another_order_of_groups_is_an_error_on_every_rank() -> None:
    groups = {0: [(0, 1), (0, 1, 2)], 1: [(0, 1, 2), (0, 1)], 2: [(0, 1, 2), (2, 9)]}
    said = meet({r: groups[r] for r in (0, 1)} | {2: [(0, 1, 2)]}, lambda meeting, _: meeting.compare("graph", ["a"]))
    assert len(said) == 3 and all("in group 0" in said[r] for r in said)


def test_a_silent_rank_is_an_error_on_all_others_in_time() -> None:
    begin = time.monotonic()
    said = meet({0: ALL[0], 2: ALL[2]}, lambda meeting, _: meeting.compare("graph", ["a"]), seconds=0.3)
    assert all("nothing was heard of rank 1 within 0.3 s" in error for error in said.values()) and len(said) == 2
    assert time.monotonic() - begin < 20


def test_less_than_a_millisecond_is_no_wait_for_ever() -> None:
    said = meet({0: ALL[0]}, lambda meeting, _: meeting.compare("graph", ["a"]), seconds=1e-4)
    assert "nothing was heard of ranks 1, 2 within 0.0001 s" in said[0]


def test_a_store_that_fails_is_no_silent_rank() -> None:
    class Lost(Store):
        def set(self, name: str, value: bytes) -> None:
            if self.values:
                raise ConnectionError("broken pipe")
            super().set(name, value)

        def wait(self, names: list[str], timeout: datetime.timedelta) -> None:
            raise ConnectionError("reset by peer")

    with pytest.raises(errors.Error, match="^the process group's store has failed: ConnectionError: reset by peer"):
        with ranks.Meeting(Lost(), 0, ALL[0], 20.0) as meeting:
            meeting.compare("graph", ["a"])


@pytest.mark.parametrize("groups", [ALL, MESH])
def test_an_error_of_one_rank_is_an_error_on_every_rank(groups: Any) -> None:
    def work(meeting: Any, rank: int) -> None:
        meeting.compare("graph", ["a"])
        if rank == 1:
            raise errors.BadOption("no such thing")
        meeting.compare("sequence of collectives", ["a"])

    said = meet(groups, work)
    assert said.pop(1) == "no such thing"
    assert set(said.values()) == {"rank 1 has given up: BadOption: no such thing"}


def test_a_rank_that_missed_graphs_meets_the_others_again() -> None:
    store, alone = Store(), {0: ALL[0], 1: ALL[1]}
    for had in range(2):
        said = meet(alone, lambda meeting, _: meeting.compare("graph", ["a"]), 1.0, store, dict.fromkeys(alone, had))
        assert len(said) == 2 and all("nothing was heard of rank 2" in error for error in said.values())
    said = meet(ALL, lambda meeting, _: meeting.compare("graph", ["b"]), 20.0, store, dict.fromkeys(alone, 2))
    assert said == dict.fromkeys(ALL, "")


def test_a_rank_that_comes_too_late_hears_of_it() -> None:
    def work(meeting: Any, rank: int) -> None:
        if rank == 2:
            time.sleep(1.0)
        meeting.compare("graph", ["a"])
        meeting.end()

    said = meet(ALL, work, seconds=0.3)
    assert len(said) == 3 and all(said.values()), said
