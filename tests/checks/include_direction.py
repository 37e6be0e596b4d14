#!/usr/bin/env python3
"""Checks that the headers below include/repebble include each other only downwards in the order of the rooms, and that
repebble.hpp includes the core: every header of those rooms, but of the adaptors only those that need no other library.

    include_direction.py INCLUDE_FOLDER     one line per violation; exit status 1 where there is one
    include_direction.py --self-test        plants every kind of violation in a scratch tree and looks for it
"""
import pathlib
import posixpath
import re
import sys
import tempfile

# Downwards: a room may include itself and what stands before it.
ORDER = ["detail", "graph", "graph/adapt", "satisfiability", "pebbling", "decomposition", "allocate", "recompute",
         "offload", "execute", "plan.hpp", "repebble.hpp"]
# May include every room above; included by none of them, nor by each other.
LEAVES = ["io", "views", "report"]
UMBRELLA = "repebble.hpp"
BOOST_GRAPH_USERS = {"graph/adapt/as_boost_graph.hpp", "graph/adapt/boost_graph.hpp", "graph/articulation_points.hpp",
                     "graph/separators.hpp"}
LONGEST = 260

STANDARD = re.compile(r"[a-z_0-9]+")  # <vector>, not <boost/...> and not <assert.h>
# Literals are matched so that a comment sign inside one is not taken for a comment; an #include's own are kept.
COMMENT_OR_LITERAL = re.compile(
    r'R"([^()\s\\]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(?:<([^>\n]+)>|"([^"\n]+)"|(\S.*))', re.MULTILINE)


def without_comments(text):
    def replacement(match):
        found = match.group()
        if found.startswith("/"):
            return "\n" * found.count("\n") or " "
        if found.startswith("R"):
            return '""' + "\n" * found.count("\n")
        return found

    # Digit separators (1'000) are not the beginning of a character.
    return COMMENT_OR_LITERAL.sub(replacement, re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "", text))


def room_of(path):
    """The room of a header that is named from include/repebble, or None where there is no such room."""
    if path in ORDER:
        return path
    folder = posixpath.dirname(path)
    if folder == "graph/adapt" or folder.startswith("graph/adapt/"):
        return "graph/adapt"
    top = folder.split("/")[0]
    return top if top in ORDER or top in LEAVES else None


def resolve(quoted, name, header, headers):
    """The header that an #include names, from include/repebble; None where it is not one of ours."""
    if quoted:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(header), name))
        if beside in headers:
            return beside
    if name.startswith("repebble/"):
        return posixpath.normpath(name[len("repebble/"):])
    if quoted:
        return posixpath.normpath(posixpath.join(posixpath.dirname(header), name))
    return None


def forbidden_foreign(header, room, name):
    """(kind, reason) where a header may not include that foreign header, else None."""
    if name == "iostream":
        return "iostream", "a header never prints"
    if room == "detail" and not STANDARD.fullmatch(name):
        return "detail", "detail includes nothing but the standard library and detail"
    if name.startswith("boost/graph/") and header not in BOOST_GRAPH_USERS:
        return "boost-graph", "Boost.Graph only in " + ", ".join(sorted(BOOST_GRAPH_USERS))
    if name.startswith("range/v3/") and room != "views":
        return "range-v3", "range-v3 only in views"
    if name.startswith("nlohmann/") and room != "io":
        return "nlohmann", "nlohmann only in io"
    return None


def forbidden_ours(room, target):
    """(kind, reason) where a room may not include that other room, else None."""
    if target in LEAVES:
        return None if room == target else ("leaf", f"{target} is a leaf, which nothing else includes")
    if room in LEAVES or ORDER.index(target) <= ORDER.index(room):
        return None
    if target == "graph/adapt":
        return "adapt", "in graph only adapt includes adapt"
    return "upwards", f"{room} may not include {target}, which stands above it"


def find_cycles(graph):
    """One cycle for every edge that closes one in a depth-first search."""
    cycles, finished, path, on_path = [], set(), [], set()

    def visit(header):
        path.append(header)
        on_path.add(header)
        for target in graph[header]:
            if target in on_path:
                cycles.append(path[path.index(target):] + [target])
            elif target not in finished:
                visit(target)
        path.pop()
        on_path.remove(header)
        finished.add(header)

    for header in sorted(graph):
        if header not in finished:
            visit(header)
    return cycles


def missing_in_umbrella(graph, foreign):
    """(kind, message) of what the umbrella lacks, has too much, or has in another order than that of the rooms."""

    def is_adaptor(header):
        return header in graph and room_of(header) == "graph/adapt"

    def needs_a_library(header):
        return bool(foreign[header]) or any(needs_a_library(target) for target in graph[header] if is_adaptor(target))

    # What is in detail comes with its users.
    core = {header for header in graph if room_of(header) in ORDER and room_of(header) not in ("detail", UMBRELLA)}
    optional = {header for header in core if is_adaptor(header) and needs_a_library(header)}
    included = graph[UMBRELLA]
    for header in sorted(core - optional - set(included)):
        yield "umbrella", f"repebble/{UMBRELLA}:1: [umbrella] does not include {header}"
    for header in sorted(optional & set(included)):
        yield "umbrella", f"repebble/{UMBRELLA}:1: [umbrella] includes {header}, which needs another library"
    rooms = [ORDER.index(room_of(header)) for header in included if room_of(header) in ORDER]
    if rooms != sorted(rooms):
        yield "umbrella", f"repebble/{UMBRELLA}:1: [umbrella] its rooms are not in their order"


def check(include_folder):
    """(kind, message) of every violation below include_folder/repebble."""
    root = pathlib.Path(include_folder) / "repebble"
    headers = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
    known, graph, foreign, violations = set(headers), {}, {}, []
    if not headers:
        return [("empty", "no header below include/repebble")]
    for header in headers:
        room = room_of(header)
        raw = (root / header).read_text(encoding="utf-8")
        graph[header], foreign[header] = [], []

        def report(kind, line, reason):
            violations.append((kind, f"repebble/{header}:{line}: [{kind}] {reason}"))

        if room is None:
            report("room", 1, "there is no such room")
            continue
        lines = len(raw.splitlines())
        if lines > LONGEST and header != UMBRELLA:  # which is one line for each header
            report("length", lines, f"{lines} lines, at most {LONGEST}")
        text = without_comments(raw)
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            angled, quoted, other = match.groups()
            if other:
                report("unreadable", line, f"#include {other}: cannot tell what it includes")
                continue
            name = angled or quoted
            target = resolve(quoted is not None, name, header, known)
            if target is None:
                if not STANDARD.fullmatch(name):
                    foreign[header].append(name)
                if wrong := forbidden_foreign(header, room, name):
                    report(wrong[0], line, f"includes {name}: {wrong[1]}")
            elif target not in known:
                report("missing", line, f"includes {name}, which does not exist")
            else:
                graph[header].append(target)
                target_room = room_of(target)
                if target_room and (wrong := forbidden_ours(room, target_room)):
                    report(wrong[0], line, f"includes {name}: {wrong[1]}")
    cycles = find_cycles(graph)
    for cycle in cycles:
        violations.append(("cycle", "[cycle] " + " -> ".join(f"repebble/{header}" for header in cycle)))
    if UMBRELLA not in graph:
        violations.append(("umbrella", f"there is no repebble/{UMBRELLA}"))
    elif not cycles:
        violations.extend(missing_in_umbrella(graph, foreign))
    return violations


# ---- self test -------------------------------------------------------------------------------------------------

CLEAN = {
    "detail/bits.hpp": "#include <cstdint>\n#include <vector>\n",
    "graph/access.hpp": "#include <repebble/detail/bits.hpp>\n// #include <iostream>\n/* \n#include <range/v3/all.hpp>\n*/\n",
    "graph/order.hpp": '#include "access.hpp"\n',
    "graph/separators.hpp": "#include <boost/graph/adjacency_list.hpp>\n",
    "graph/adapt/boost_graph.hpp": "#include <boost/graph/graph_traits.hpp>\n#include <repebble/graph/access.hpp>\n",
    "graph/adapt/reversed.hpp": '#include "boost_graph.hpp"\n#include "../access.hpp"\n',
    "pebbling/step.hpp": "#include <boost/container/small_vector.hpp>\n#include <repebble/graph/adapt/reversed.hpp>\n",
    "decomposition/bounds.hpp": "#include <repebble/pebbling/step.hpp>\n",
    "allocate/arena.hpp": '#include "repebble/decomposition/bounds.hpp"\n',
    "recompute/sqrt.hpp": "constexpr int n = 1'000; // it's\n#include <repebble/allocate/arena.hpp>\n",
    "offload/trace.hpp": "#include <repebble/recompute/sqrt.hpp>\n",
    "execute/executor.hpp": "#include <repebble/offload/trace.hpp>\n",
    "io/json.hpp": "#include <nlohmann/json.hpp>\n#include <repebble/plan.hpp>\n#include <repebble/io/gzip.hpp>\n",
    "io/gzip.hpp": "#include <zlib.h>\n",
    "views/steps.hpp": "#include <range/v3/view/transform.hpp>\n#include <repebble/pebbling/step.hpp>\n",
    "report/page.hpp": "#include <repebble/repebble.hpp>\n" + "\n" * (LONGEST - 1),
    "plan.hpp": "#include <repebble/execute/executor.hpp>\n",
}
# Not the adaptors: boost_graph.hpp includes Boost.Graph, and reversed.hpp includes boost_graph.hpp.
CLEAN["graph/adapt/nested_range.hpp"] = "#include <ranges>\n#include <repebble/graph/access.hpp>\n"
CLEAN[UMBRELLA] = "".join(f"#include <repebble/{header}>\n" for header in [
    "graph/access.hpp", "graph/order.hpp", "graph/separators.hpp", "graph/adapt/nested_range.hpp", "pebbling/step.hpp",
    "decomposition/bounds.hpp", "allocate/arena.hpp", "recompute/sqrt.hpp", "offload/trace.hpp", "execute/executor.hpp",
    "plan.hpp"]) + "\n" * LONGEST
# (kind, header, what is put into it): each planted alone in the clean tree.
PLANTED = [
    ("upwards", "detail/bits.hpp", "#include <repebble/graph/access.hpp>"),
    ("upwards", "graph/order.hpp", "#include <repebble/pebbling/step.hpp>"),
    ("upwards", "graph/adapt/reversed.hpp", '#include "../../pebbling/step.hpp"'),
    ("upwards", "pebbling/step.hpp", "#  include <repebble/decomposition/bounds.hpp>"),
    ("upwards", "decomposition/bounds.hpp", "#include <repebble/allocate/arena.hpp>"),
    ("upwards", "allocate/arena.hpp", "#include <repebble/recompute/sqrt.hpp>"),
    ("upwards", "recompute/sqrt.hpp", "#include <repebble/offload/trace.hpp>"),
    ("upwards", "offload/trace.hpp", "#include <repebble/execute/executor.hpp>"),
    ("upwards", "execute/executor.hpp", "#include <repebble/plan.hpp>"),
    ("upwards", "plan.hpp", "#include <repebble/repebble.hpp>"),
    ("adapt", "graph/order.hpp", '#include "adapt/reversed.hpp"'),
    ("leaf", "graph/order.hpp", "#include <repebble/io/gzip.hpp>"),
    ("leaf", "plan.hpp", "#include <repebble/report/page.hpp>"),
    ("leaf", "repebble.hpp", "#include <repebble/views/steps.hpp>"),
    ("leaf", "views/steps.hpp", "#include <repebble/io/gzip.hpp>"),
    ("detail", "detail/bits.hpp", "#include <boost/container/small_vector.hpp>"),
    ("detail", "detail/bits.hpp", "#include <zlib.h>"),
    ("boost-graph", "graph/order.hpp", "#include <boost/graph/graph_traits.hpp>"),
    ("boost-graph", "views/steps.hpp", "#include <boost/graph/graph_traits.hpp>"),
    ("boost-graph", "graph/adapt/reversed.hpp", "#include <boost/graph/reverse_graph.hpp>"),
    ("range-v3", "io/json.hpp", "#include <range/v3/all.hpp>"),
    ("nlohmann", "report/page.hpp", "#include <nlohmann/json.hpp>"),
    ("iostream", "report/page.hpp", "/* why */ #include <iostream>"),
    ("iostream", "detail/bits.hpp", "#include <iostream>"),
    ("cycle", "graph/access.hpp", "#include <repebble/graph/order.hpp>"),
    ("cycle", "io/gzip.hpp", "#include <repebble/io/json.hpp>"),
    ("cycle", "graph/order.hpp", '#include "order.hpp"'),
    ("missing", "graph/order.hpp", "#include <repebble/graph/acces.hpp>"),
    ("missing", "graph/order.hpp", '#include "acces.hpp"'),
    ("length", "graph/order.hpp", "\n" * LONGEST),
    ("room", "util/misc.hpp", "#include <vector>"),
    ("room", "misc.hpp", "#include <vector>"),
    ("unreadable", "graph/order.hpp", "#include SOME_HEADER"),
    ("umbrella", "recompute/chain.hpp", "#include <vector>"),
    ("umbrella", "graph/adapt/induced.hpp", "#include <repebble/graph/adapt/nested_range.hpp>"),
    ("umbrella", UMBRELLA, "#include <repebble/graph/adapt/boost_graph.hpp>"),
    ("umbrella", UMBRELLA, "#include <repebble/graph/access.hpp>"),
]


def self_test():
    failures = []

    def violations_of(files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / "repebble" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(folder)

    for _, message in violations_of(CLEAN):
        failures.append(f"found in the clean tree: {message}")
    if [kind for kind, _ in violations_of({})] != ["empty"]:
        failures.append("an empty tree is not reported")
    without_umbrella = {header: text for header, text in CLEAN.items() if header not in (UMBRELLA, "report/page.hpp")}
    if [kind for kind, _ in violations_of(without_umbrella)] != ["umbrella"]:
        failures.append("a tree without its umbrella is not reported")
    # Adaptors that need a library, themselves or through another, are not wanted in the umbrella.
    for text in ("#include <boost/property_map/property_map.hpp>", "#include <repebble/graph/adapt/reversed.hpp>"):
        for _, message in violations_of({**CLEAN, "graph/adapt/property_map.hpp": text + "\n"}):
            failures.append(f"found beside an adaptor with {text}: {message}")
    for kind, header, text in PLANTED:
        found = violations_of({**CLEAN, header: CLEAN.get(header, "") + text + "\n"})
        where = {"cycle": "[cycle]", "umbrella": f"repebble/{UMBRELLA}:"}.get(kind, f"repebble/{header}:")
        if not any(k == kind and m.startswith(where) for k, m in found):
            failures.append(f"not caught: [{kind}] in {header}: {text.strip() or 'many lines'}; found {found}")
    for failure in failures:
        print(failure)
    print(f"include_direction: {len(PLANTED)} violations planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    violations = check(arguments[0])
    for _, message in violations:
        print(message)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
