"""programs/framework_buffers.py on small inputs made by hand."""

import importlib.util
import os
import pathlib
import pickle
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parent.parent / "programs/framework_buffers.py"
specification = importlib.util.spec_from_file_location("framework_buffers", PROGRAM)
program = importlib.util.module_from_spec(specification)
specification.loader.exec_module(program)


def event(action, address, size=0, name=None):
    frames = [{"name": name, "filename": "/models/net, a.py", "line": 7}] if name else []
    return {"action": action, "addr": address, "size": size, "stream": 0, "frames": frames}


SNAPSHOT = {
    "segments": [
        {
            "address": 4096,
            "device": 1,
            "blocks": [{"size": 512, "state": "active_allocated"}, {"size": 100, "state": "inactive"}],
        }
    ],
    "device_traces": [
        [],
        [
            event("segment_alloc", 0, 1 << 21),
            event("alloc", 16, 100, "forward"),
            event("alloc", 128, 50),
            event("free_requested", 16, 100),
            event("free_completed", 16, 100),
            event("alloc", 16, 90),
            event("free_completed", 8192, 64),
        ],
    ],
}

ASSIGNMENT = """BufferAssignment:
allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:
 value: <0 w @0> (size=64,offset=0): f32[16]{0}
allocation 1: size 4, thread-local:
 value: <9 sum @0> (size=4,offset=0): f32[]
allocation 2: size 192, preallocated-temp:
 value: <1 dot @0> (size=64,offset=0): f32[16]{0}
 value: <2 tanh @0> (size=64,offset=0): f32[16]{0}
 value: <3 pair{0,1} @0> (size=64,offset=64): f32[16]{0}
 value: <4 late @0> (size=64,offset=0): f32[16]{0}
"""
RANGES = """HloLiveRange (max 9):
  InstructionSequence:
    0:w
  BufferLiveRange:
    w{}:0-9
    tanh{}:2-4
    dot{}:1-2
    pair{0,1}:3-5
    late{}:5-6
"""


def rows(tmp_path, content, *arguments):
    path = tmp_path / "file-buffer-assignment.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = subprocess.run([sys.executable, PROGRAM, path, *arguments], capture_output=True, text=True)
    return done.stdout.splitlines(), done.stderr


def test_a_snapshot_has_a_row_for_each_allocation_before_within_and_to_the_end(tmp_path):
    said, _ = rows(tmp_path, pickle.dumps(SNAPSHOT))
    assert said == [
        "id,lower,upper,size,alias,hint",
        "0 10 forward net a.py:7,1,4,100,,16",
        "1 before 2000,0,6,64,,8192",
        "2 80,2,7,50,,128",
        "3 10,5,7,90,,16",
        "4 before 1000,0,7,512,,4096",
    ]


def test_a_pickle_that_would_run_something_is_refused(tmp_path):
    class Hostile:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    for content in (pickle.dumps(Hostile()), pickle.dumps(SNAPSHOT)[:-9], pickle.dumps([1]), b"\x80", b"", b"{}"):
        said, error = rows(tmp_path, content)
        assert said == [] and error.count("\n") == 1
    assert not (tmp_path / "made").exists()
    assert "no trace" in rows(tmp_path, pickle.dumps({"device_traces": [[]]}))[1]
    assert "no device 5" in rows(tmp_path, pickle.dumps(SNAPSHOT), "--device", "5")[1]


@pytest.mark.parametrize("beside", [False, True])
def test_a_buffer_assignment_has_temporary_buffers_and_aliases_for_what_is_in_place(tmp_path, beside):
    (tmp_path / "file-live-range.txt").write_text(RANGES)
    text = ASSIGNMENT if beside else ASSIGNMENT + RANGES
    expected = [
        "id,lower,upper,size,alias,hint",
        "dot{},1,3,64,,0",
        "tanh{},2,5,64,dot{},0",
        "pair{0 1},3,6,64,,64",
        "late{},5,7,64,,0",
    ]
    assert rows(tmp_path, text)[0] == expected
    assert "w{},0,10,64,,0" in rows(tmp_path, text, "--all")[0]
    (tmp_path / "file-live-range.txt").unlink()
    assert "live range" in rows(tmp_path, ASSIGNMENT)[1]
    assert "no live range of late{}" in rows(tmp_path, ASSIGNMENT + RANGES.replace("late", "never"))[1]
