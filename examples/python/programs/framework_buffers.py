#!/usr/bin/env python3
"""What PyTorch's memory snapshot or XLA's buffer assignment says, as a table of buffers that `allocate` reads.

    python framework_buffers.py snapshot.pickle > buffers.csv
    python framework_buffers.py module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt > buffers.csv
    allocate buffers.csv

PyTorch: the file of `torch.cuda.memory._dump_snapshot(file)` after `torch.cuda.memory._record_memory_history()`: what lives
when, by the trace of a device, the one with most events or `--device K`. Times are positions in the trace; what was there
before lives from the begin, what is never freed to the end.

XLA: a dump of `XLA_FLAGS="--xla_dump_to=FOLDER --xla_dump_hlo_as_text"`, with the live ranges in the same file or in the one
beside it that ends in -live-range.txt. The temporary buffers; with `--all` parameters, results and constants, too. Times
are positions in XLA's order. What XLA computes in place is an alias.

The column `hint`, which `allocate` passes over, has the framework's own offset or address. Needs neither torch nor JAX:
nothing of a pickle is run.
"""
import argparse
import csv
import pathlib
import pickle
import re
import sys

COLUMNS = ["id", "lower", "upper", "size", "alias", "hint"]


# What reading raises where a file is not what its beginning says.
OTHER_FORM = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class BadFile(Exception):
    """The file has another form."""


class PlainUnpickler(pickle.Unpickler):
    """Reads dictionaries, lists, texts and numbers, of which snapshots consist, and nothing that would run."""

    def find_class(self, module, name):
        raise BadFile(f"is no snapshot: it would run {module}.{name}")


def clean(text):
    """A name without what separates columns."""
    return re.sub(r"[,\s\"]+", " ", text).strip()


def place_of(event):
    """The function and line that allocated, where they were recorded."""
    for frame in event.get("frames") or []:
        if frame.get("name") and not str(frame.get("filename", "")).startswith("??"):
            return f" {frame['name']} {pathlib.Path(str(frame['filename'])).name}:{frame.get('line', 0)}"
    return ""


def rows_of_snapshot(snapshot, device=None):
    """Rows of a memory snapshot of PyTorch."""
    traces = snapshot.get("device_traces") or []
    if not any(traces):
        raise BadFile("has no trace: call torch.cuda.memory._record_memory_history() before what is to be seen")
    if device is None:
        device = max(range(len(traces)), key=lambda k: len(traces[k]))
    if not 0 <= device < len(traces):
        raise BadFile(f"has no device {device}")
    trace, live, rows = traces[device], {}, []

    def end(address, upper, size=None):
        name, lower, size = live.pop(address, (f"before {address:x}", 0, size))
        rows.append([f"{len(rows)} {name}", lower, upper, size, "", address])

    for at, event in enumerate(trace):
        address = event.get("addr", 0)
        if event["action"] == "alloc":
            if address in live:  # its end is not in the trace
                end(address, at)
            live[address] = (clean(f"{address:x}{place_of(event)}"), at, event["size"])
        elif event["action"] == "free_completed":
            end(address, at, event["size"])
    seen = {row[5] for row in rows} | set(live)
    for segment in snapshot.get("segments") or []:
        address = segment.get("address", 0)
        for block in segment.get("blocks") or []:
            begin = block.get("address", address)
            address = begin + block["size"]
            if segment.get("device", 0) == device and block["state"].startswith("active") and begin not in seen:
                live[begin] = (f"before {begin:x}", 0, block["size"])
    for address in list(live):
        end(address, len(trace))
    return rows


VALUE = re.compile(r"^ value: <\d+ (\S+) @\d+> \(size=(\d+),offset=(\d+)\)")
RANGE = re.compile(r"^\s+(\S+\{[\d,]*\}):(\d+)-(\d+)$")


def with_index(name):
    """A value as live ranges call it."""
    return name if name.endswith("}") else name + "{}"


def rows_of_assignment(text, ranges, everything=False):
    """Rows of a buffer assignment of XLA and its live ranges."""
    live = {}
    for line in ranges.splitlines():
        if found := RANGE.match(line):
            live[found[1]] = int(found[2]), int(found[3]) + 1
    rows, kind, number = [], "", ""
    for line in text.splitlines():
        if found := re.match(r"^allocation (\d+): size \d+, (.*):$", line):
            number, kind = found[1], found[2]
        elif found := VALUE.match(line):
            name, size, offset = with_index(found[1]), int(found[2]), int(found[3])
            if "thread-local" in kind or not (everything or "preallocated-temp" in kind):
                continue
            if name not in live:
                raise BadFile(f"has no live range of {name}")
            rows.append([number, offset, *live[name], size, name])
    if not live or not number:
        raise BadFile("has no allocations and live ranges")
    rows.sort(key=lambda row: row[2])
    last, made = {}, []
    for number, offset, lower, upper, size, name in rows:
        owner, owner_upper = last.get((number, offset), ("", lower))
        in_place = owner if lower < owner_upper else ""  # the step that ends the one makes the other in its bytes
        made.append([clean(name).replace(",", " "), lower, upper, size, in_place, offset])
        last[number, offset] = in_place or made[-1][0], max(upper, owner_upper)
    return made


def live_ranges(path, text):
    """The text with the live ranges: the file's own, or the one beside it."""
    if "BufferLiveRange:" in text:
        return text
    beside = path.with_name(path.name.replace("-buffer-assignment.txt", "-live-range.txt"))
    if beside == path or not beside.is_file():
        raise BadFile("has no live ranges, and no file -live-range.txt is beside it")
    return beside.read_text()


def rows_of(path, device=None, everything=False):
    """Rows of a file of either kind."""
    content = path.read_bytes()
    if content[:1] == b"\x80":
        with path.open("rb") as file:
            try:
                snapshot = PlainUnpickler(file).load()
            except (pickle.UnpicklingError, EOFError, *OTHER_FORM) as fault:
                raise BadFile(f"is no pickle: {fault}") from None
        if not isinstance(snapshot, dict):
            raise BadFile("is no snapshot of PyTorch's memory")
        try:
            return rows_of_snapshot(snapshot, device)
        except OTHER_FORM as fault:
            raise BadFile(f"has another form than snapshots of PyTorch's memory: {fault!r}") from None
    text = content.decode(errors="replace")
    if not text.startswith("BufferAssignment:"):
        raise BadFile("is neither a snapshot of PyTorch's memory nor a buffer assignment of XLA")
    return rows_of_assignment(text, live_ranges(path, text), everything)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--device", type=int, help="of a snapshot (default: the one with most events)")
    parser.add_argument("--all", action="store_true", help="of XLA: parameters, results and constants, too")
    asked = parser.parse_args()
    try:
        rows = rows_of(asked.file, asked.device, asked.all)
    except (BadFile, OSError) as fault:
        sys.exit(f"framework_buffers: {asked.file}: {getattr(fault, 'strerror', None) or fault}")
    csv.writer(sys.stdout, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
