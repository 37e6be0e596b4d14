#!/usr/bin/env python3
"""Compares the pages of benchmarks/ with what their programs print today.

    page_rows.py PROGRAM PROJECT_FOLDER [PAGE...]   one line per difference; exit status 1 where there is one
    page_rows.py --self-test PROGRAM PROJECT_FOLDER   the same, and then one figure of each table, or the line about the
                                                  commit, is edited: each time there must be a difference
PROGRAM is all programs of pages as one (tests/CMakeLists.txt). Called as PROGRAM NAME --cheap it prints those rows of
NAME.md that cost little. Each must be in a table of the page with the same heading and the same header, in the same
order; so must each other line with a figure. What says how long something took, or how many MB the process had, is not
compared: cells of columns that TIME knows, numbers with a unit of LASTED. A printed cell with … stands for anything.
Each page says by which program, at which commit it was made; so do those that UNTRIED names.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Pages, with the arguments of their programs: FOLDER is the project's, SCRATCH an empty one.
KINDS = ["train", "ckpt", "pipe", "moe", "tiling"]
PAGES = {
    "batch_curves": ["SCRATCH/picture.svg"],
    "bulatov_tables": [],
    "chain_curves": [],
    "chain_growth": [],
    "chen_tables": [],
    "decomposition_tables": [],
    "in_place_tables": [],
    "iteration_tables": [],
    "kusumoto_tables": [],
    "level_tables": [],
    "lower_set_growth": [],
    "lower_set_tables": ["60", "FOLDER/examples/data/unet_small.json"],
    "memory_tables": [],
    "offload_tables": [],
    "offset_tables": ["SCRATCH/picture.svg", *(f"SCRATCH/{kind}-1e3.csv" for kind in KINDS)],
    "order_tables": [],
    "parallel_tables": [],
    "pipeline_tables": [],
    "plan_curves": [],
    "recursion_tables": [],
    "sublinear_tables": [],
    "treewidth_tables": ["1", "FOLDER/examples/data/resnet50_joint.json", "FOLDER/examples/data/unet_small.json"],
}
NEEDS_EIGEN = ["offload_tables"]  # their programs are built where it is there
# Pages that are not compared, and why.
UNTRIED = {
    "compile_cost": "times and sizes of compilers",
    "function_growth": "times alone",
    "gpu_tables": "needs a GPU",
    "jax_tables": "needs jax",
    "largest_tables": "searches sizes for a minute each",
    "onnx_arenas": "needs ONNX Runtime and models of torchvision",
    "plan_growth": "times, and plans of seconds at the least",
    "stop_tables": "times alone",
    "technique_tables": "means over 27 curves for each technique: hours",
    "torch_tables": "needs torch",
    "trace_tables": "needs oneDNN, and times that are measured",
    "training_tables": "needs oneDNN, and times that are measured",
    "tune_effort": "curves for each constant: hours",
}
# Pages that were not made again since their figures changed, and why; red once they were.
STALE = {}
BY_HAND = ["PAPERS", "README"]  # what others' tables say

TIME = re.compile(r"(^|[ ,])s$|^ns an action$|^MB( so far)?$|^search$|^(time )?ratio$")
LASTED = re.compile(r"\d[\d.]* (CPU s|s|ms|MB)\b")
MADE = r"`[^`]*\b(benchmark_)?%s\b[^`]*`[^`]{0,40}at commit `[0-9a-f]{8,}`"
ANYTHING = "…"
NOT_BUILT = 77  # exit status of the program for a page that it does not have


class Row:
    def __init__(self, line, heading, header, cells):
        self.line, self.heading, self.header, self.cells = line, heading, header, cells

    def same(self, k, printed):
        return printed == ANYTHING or masked(self.header[k], printed) == masked(self.header[k], self.cells[k])

    def differences(self, printed):
        return [k for k in range(len(self.cells)) if not self.same(k, printed.cells[k])]


def masked(column, cell):
    return "" if TIME.search(column) else LASTED.sub("", cell)


def cells_of(line):
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def parse(text):
    """Rows of tables, and other lines that are no headings."""
    rows, others, heading, header, fenced = [], [], "", None, False
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith("```")
        if fenced or not line.startswith("|"):
            header = None
            if line.startswith("#") and not fenced:
                heading = line
            else:
                others.append((number, line))
        elif header is None:
            header = cells_of(line)
        elif not re.fullmatch(r"[|:-]+", line) and "*CPU s*" not in line:
            rows.append(Row(number, heading, header, cells_of(line)))
    return rows, others


def compare(file, page, printed):
    """Differences, and (line, column) of all figures that were compared, by table."""
    differences, figures = [], {}
    (page_rows, page_lines), (printed_rows, printed_lines) = parse(page), parse(printed)
    headings = {row.heading for row in page_rows}
    last = {}
    for row in printed_rows:
        table = (row.heading, tuple(row.header))
        later = [r for r in page_rows if r.header == row.header and r.line > last.get(table, 0)
                 and (r.heading == row.heading or row.heading not in headings)
                 and len(r.cells) == len(row.cells) == len(r.header)]
        found = next((r for r in later if not r.differences(row)), None)
        if found is None:
            nearest = min(later, key=lambda r: (r.cells[0] != row.cells[0], len(r.differences(row))), default=None)
            if nearest is None:
                differences.append(f"{file}:1: no row under \"{row.heading}\" for | {' | '.join(row.cells)} |")
                continue
            for k in nearest.differences(row):
                differences.append(f"{file}:{nearest.line}: {row.cells[0] or row.cells[1]}, column \"{row.header[k]}\": the page has "
                                   f"{nearest.cells[k]}, the program prints {row.cells[k]}")
            continue
        last[table] = found.line
        figures.setdefault(table, []).extend(
            (found.line, k) for k, cell in enumerate(row.cells)
            if cell != ANYTHING and re.search(r"\d", masked(row.header[k], cell)))
    known = {LASTED.sub("", line).strip() for _, line in page_lines}
    for _, line in printed_lines:
        line = LASTED.sub("", line).strip()
        if re.search(r"\d", line) and line not in known:
            differences.append(f"{file}:1: no line of the page is: {line}")
    return differences, figures


def made(file, page):
    name = pathlib.Path(file).stem
    if re.search(MADE % name, page):
        return []
    return [f"{file}:1: no \"`benchmark_{name} …` at commit `…`\" says how it was made"]


def edited(page, line, column):
    """The page with another digit in that cell."""
    lines = page.splitlines(keepends=True)
    cells = lines[line - 1].split("|")
    kept = LASTED.sub("", cells[column + 1])
    cells[column + 1] = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), kept, count=1)
    lines[line - 1] = "|".join(cells)
    return "".join(lines)


def survivors(file, page, printed):
    """Edits that nothing notices."""
    known, figures = compare(file, page, printed)
    found = []
    for (heading, _), places in figures.items():
        line, column = places[len(places) // 2]
        if not set(compare(file, edited(page, line, column), printed)[0]) - set(known):
            found.append(f"{file}:{line}: another figure in column {column + 1} is not noticed")
    return found


def printed_by(program, project, name, scratch):
    arguments = [a.replace("FOLDER", str(project)).replace("SCRATCH", scratch) for a in PAGES[name]]
    if name == "offset_tables":
        for kind in KINDS:
            subprocess.run([sys.executable, project / "benchmarks/allocation_instances.py", kind, "1000", "1",
                            f"{scratch}/{kind}-1e3.csv"], check=True)
    done = subprocess.run([program, name, "--cheap", *arguments], capture_output=True, text=True, timeout=300, cwd=project)
    if done.returncode == NOT_BUILT and name in NEEDS_EIGEN:
        return None
    if done.returncode != 0:
        sys.exit(f"{name} --cheap ends with {done.returncode}: {done.stderr}")
    return done.stdout


def main():
    arguments = sys.argv[1:]
    self_test = arguments[:1] == ["--self-test"]
    if len(arguments) < 2 + self_test:
        sys.exit(__doc__)
    program, project, *names = arguments[self_test:]
    project = pathlib.Path(project)
    problems, count, tables = [], 0, 0
    pages = {p.stem: p.read_text() for p in sorted((project / "benchmarks").glob("*.md")) if p.stem not in BY_HAND}
    for name, page in pages.items():
        if names and name not in names:
            continue
        file = f"benchmarks/{name}.md"
        problems += made(file, page)
        if name in UNTRIED:
            continue
        if name not in PAGES:
            problems.append(f"{file}:1: neither PAGES nor UNTRIED of tests/checks/page_rows.py has it")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            printed = printed_by(program, project, name, scratch)
        if printed is None:
            print(f"{file}: skipped, no Eigen")
            continue
        differences, figures = compare(file, page, printed)
        if name in STALE:
            print(*(f"{difference} (known)" for difference in differences), sep="\n")
            differences = [] if differences else [f"{file}:1: STALE of tests/checks/page_rows.py has it, and it is not"]
        problems += differences
        if not figures:
            problems.append(f"{file}:1: no row of it is compared")
        count += sum(map(len, figures.values()))
        tables += len(figures)
        if self_test:
            problems += survivors(file, page, printed)
            if not made(file, re.sub(r"at commit `", "at `", page)):
                problems.append(f"{file}:1: a page without a commit is not noticed")
    for gone in sorted(set(PAGES) | set(UNTRIED)) if not names else []:
        if gone not in pages:
            problems.append(f"benchmarks/{gone}.md:1: there is no such page")
    for problem in problems:
        print(problem)
    print(f"{count} figures of {tables} tables compared; {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
