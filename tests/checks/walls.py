#!/usr/bin/env python3
"""Checks the walls of the house: what each header of include/repebble may include, and what it says of itself; what the
rest of the project may use of it.

    walls.py PROJECT_FOLDER      one line per violation; exit status 1 where there is one
    walls.py --rooms PROJECT_FOLDER   public and private headers and lines of each room
    walls.py --self-test         plants every kind of violation in a scratch tree and looks for it

The rules, by the kind that a violation is reported as:
    room         every header lies in a room of ORDER or LEAVES
    upwards      a room includes itself and the rooms before it; within the planner SUBROOMS have an order, too
    leaf         nothing but leaves includes a leaf, and no leaf another
    foreign      `detail/` of a room is included by that room only; the detail/ at the root, and those of the graph's rooms
                 and of the game (SHARED), by all rooms below them
    namespace    `detail/` in the path if and only if all names are in namespace detail
    umbrella     repebble.hpp includes every public header of the core and no other, in the order of the rooms
    comment      a `//` comment about the file stands between the include guard and the first #include
    readme       each folder has a README.md of 3 to 8 lines before its first `## ` heading
    covers       each test names, in its first lines, the headers that it covers, and they exist
    uncovered    every public header of the core is named by a test or included by one
    body         impl/ROOM/NAME.ipp defines what the header ROOM/NAME.hpp, or one below ROOM/detail, declares: it includes
                 that header first, no other file but that header and one src.hpp include it, and both do
    private      programs, examples and the Python module use nothing private; components, tests, benchmarks and the
                 programs' command_line/ use the detail/ of all rooms, a test what is private to the room that it tests, and a
                 component what is private to the rooms on which it is built (BUILT_ON)
    technique    each header in the map's table of techniques has a test that includes it or says that it covers it
    literal      a number in the planner is 0, 1, 2, a hexadecimal limit of the arithmetic, one of ALLOWED_LITERALS, or a
                 constant in the table planner/effort.hpp
    size         no room has more than 22 % of all lines
    cycle, missing, unreadable, detail, boost-graph, eigen, range-v3, nlohmann, iostream   what #includes may name
"""
import collections
import pathlib
import posixpath
import re
import sys
import tempfile

# Downwards: a room may include itself and what stands before it.
ORDER = ["detail", "graph", "graph/dataflow", "graph/lower_sets", "graph/training", "graph/adapt", "pebbling",
         "orders", "allocate", "chains", "decomposition", "execute", "lower_sets", "recompute", "planner",
         "plan.hpp", "repebble.hpp"]
# Files at the root that any room may include.
FREE = ["version.hpp"]
# May include every room above; included by none of them, nor by each other.
LEAVES = ["io", "views", "report"]
# Rooms whose detail/ is private to the library, but not to them.
SHARED = {"detail", "graph", "graph/dataflow", "graph/lower_sets", "graph/training", "pebbling"}
SUBROOMS = ["detail/maximum_flow", "detail/satisfiability"]
PLANNER = ["planner/detail/model", "planner/detail/sequences", "planner/detail/swapping",
           "planner/detail/bounds/one_cut",
           "planner/detail/bounds/several_cuts", "planner/detail/bounds/clauses", "planner/detail/annealing",
           "planner/detail/bounds", "planner/detail/starts", "planner/detail/baselines", "planner/detail"]
UMBRELLA = "repebble.hpp"
SOURCES = {"src.hpp", "io/src.hpp"}  # which compile the bodies
BOOST_GRAPH_USERS = {"graph/adapt/as_boost_graph.hpp", "graph/adapt/boost_graph.hpp"}
LARGEST_SHARE = 0.22  # the planner: three problems (recomputation, policies, swapping) in sub-rooms of their own
# Components that are parts of a room which no planner needs.
BUILT_ON = {"components/onnx": {"io"}, "components/page": {"report"}, "components/pipelines": {"io"},
            "components/treewidth": {"decomposition", "io"},
            "components/traces": {"io"}, "studies/offload": {"io", "traces"}}

# Numbers of the planner that no search is tuned by, each with the reason; all others are in EFFORT.
EFFORT = "planner/effort.hpp"
ALLOWED_LITERALS = {
    "planner/plan_options.hpp": {"6": "threads that a machine is taken to have"},
    "planner/technique.hpp": {"23": "the number of techniques"},
    "planner/detail/model/planning_model.hpp": {"58": "2^58: times add up in 64 bits"},
    "planner/detail/annealing/annealing_search.hpp": {"1e15": "an infinity that fits in an integer",
                                                      "1e9": "an infinity of seconds", "1e-9": "no division by 0"},
    "planner/detail/annealing/memetic_search.hpp": {"0.5": "equal chances, where the technique is off"},
    "planner/detail/baselines/baseline_plans.hpp": {"8": "terms of the formulas that are added up"},
    "planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp": {"4": "terms that are added up"},
    "planner/detail/sequences/memory_profile.hpp": {"32": "steps of a block, and half of 64 bits"},
    "impl/planner/effort.ipp": {"12": "digits", "32": "characters of a number"},
    "impl/planner/budget_search.ipp": {"8": "8 * most_time: times add up in 64 bits"},
    "impl/planner/annealing/neighbourhood.ipp": {"16": "the die of the moves", "8": "the die of the shifts"},
    "impl/planner/baselines/baseline_plans.ipp": {"1e9": "an infinity of seconds"},
    "impl/planner/model/sequence_loads.ipp": {"8": "8 * most_time: times add up in 64 bits"},
    "impl/planner/starts/forward_repair.ipp": {"100": "per cent"},
    "impl/planner/swapping/exact_swaps.ipp": {"64": "values of a set in one word"},
    "impl/planner/swapping/swap_decoder.ipp": {"10000": "calls within calls that a stack holds"},
    "impl/planner/swapping/swap_search.ipp": {"16": "the die of the moves", "3": "the number of choices"},
}

STANDARD = re.compile(r"[a-z_0-9]+")  # <vector>, not <boost/...> and not <assert.h>
# Literals are matched so that a comment sign inside one is not taken for a comment; an #include's own are kept.
COMMENT_OR_LITERAL = re.compile(
    r'R"([^()\s\\]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(?:<([^>\n]+)>|"([^"\n]+)"|(\S.*))', re.MULTILINE)
NAMESPACE = re.compile(r"^[ \t]*namespace ([\w: ]+?)\s*\{", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=[uUlLfFzZ]*\b|\.?(?!\w))")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
COVERS = re.compile(r"// Covers ((?:[^\n]*\n)(?:// [a-z_/]+\.hpp[^\n]*\n)*)")


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
    if path in ORDER or path in FREE:
        return path
    folder = posixpath.dirname(path)
    if folder in SUBROOMS or folder == "detail":
        return "detail"
    parts = folder.split("/")
    if "detail" in parts:
        parts = parts[:parts.index("detail")]
    if parts[:1] and parts[0] in LEAVES:
        return parts[0]  # with its sub-folders
    room = "/".join(parts)
    return room if room in ORDER or room in LEAVES else None


def header_of(body, headers):
    """The header whose bodies impl/ROOM/NAME.ipp has, or None where there is none."""
    wanted = body[len("impl/"):-len(".ipp")] + ".hpp"
    if wanted.startswith("plan/"):
        wanted = wanted[len("plan/"):]
    return next((h for h in headers if h.replace("detail/", "") == wanted and not h.startswith("detail/")), None)


def is_private(path):
    return "detail" in posixpath.dirname(path).split("/")


def planner_level(path):
    """The position of a private header of the planner among its sub-rooms, or None."""
    folder = posixpath.dirname(path)
    return PLANNER.index(folder) if folder in PLANNER else None


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
    """(kind, reason) where a header may not include that header of another library, else None."""
    if name == "iostream":
        return "iostream", "a header never prints"
    if room == "detail" and not STANDARD.fullmatch(name):
        return "detail", "the root's detail includes nothing but the standard library and itself"
    if name.startswith("boost/graph/") and header not in BOOST_GRAPH_USERS:
        return "boost-graph", "Boost.Graph only in " + ", ".join(sorted(BOOST_GRAPH_USERS))
    if name.startswith("Eigen/"):
        return "eigen", "Eigen only in examples/studies/offload"
    if name.startswith("range/v3/") and room != "views":
        return "range-v3", "range-v3 only in views"
    if name.startswith("nlohmann/") and room != "io":
        return "nlohmann", "nlohmann only in io"
    return None


def forbidden_ours(header, room, path, target):
    """(kind, reason) where a header may not include the header `path` of the room `target`, else None."""
    if is_private(path) and target not in SHARED | {room} and not (header == "plan.hpp" and target == "planner"):
        return "foreign", f"{path} is private to {target}"
    if target in FREE or room in FREE:
        return None if target in FREE else ("upwards", f"{header} includes nothing of the library")
    if target in LEAVES:
        return None if room == target else ("leaf", f"{target} is a leaf, which nothing else includes")
    if room in LEAVES:
        return None
    if ORDER.index(target) > ORDER.index(room):
        return "upwards", f"{room} may not include {target}, which stands above it"
    here, there = planner_level(header), planner_level(path)
    if here is not None and there is not None and there > here:
        return "upwards", f"{PLANNER[here]} may not include {PLANNER[there]}, which stands above it"
    if room == target == "detail" and posixpath.dirname(header) in SUBROOMS:
        if posixpath.dirname(path) in SUBROOMS and posixpath.dirname(path) != posixpath.dirname(header):
            return "upwards", "maximum_flow and satisfiability know nothing of each other"
    return None


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


def namespace_fault(header, text):
    """Why the namespaces of a header do not fit its path, or None."""
    opened = [name.strip() for name in NAMESPACE.findall(text)]
    ours = [name for name in opened if name.startswith("repebble")]
    if is_private(header):
        outside = [name for name in ours if "detail" not in re.split(r"::| ", name)]
        return f"is private, but opens namespace {outside[0]}" if outside else None
    if header in (UMBRELLA, *FREE) or not ours:
        return None
    # What remains outside of every nested namespace detail, and of function-object definitions, must be something.
    public = re.sub(r"^namespace detail \{.*?^\}  // namespace detail", "", text, flags=re.DOTALL | re.MULTILINE)
    body = re.findall(r"^namespace repebble::inline \w+(?:::(?!detail)\w+)* \{(.*?)^\}  // namespace repebble", public,
                      re.DOTALL | re.MULTILINE)
    if any(re.search(r"\w", part) for part in body) or re.search(r"^#define REPEBBLE_(?!\w*_HPP\b)", text, re.MULTILINE):
        return None
    # A header of declarations that its users reach through another public header says so by a name in detail only.
    return "is public, but declares no name outside of namespace detail"


def literal_faults(root, files):
    """Numbers in the planner outside of its table of constants, and reasons for numbers that are not there."""
    for name in files:
        if not name.startswith(("planner/", "impl/planner/")) or name == EFFORT:
            continue
        allowed, seen = ALLOWED_LITERALS.get(name, {}), set()
        text = STRING.sub('""', without_comments((root / name).read_text(encoding="utf-8")))
        for line, code in enumerate(text.splitlines(), 1):
            if code.lstrip().startswith("#"):
                continue
            for number in NUMBER.findall(code):
                seen.add(number)
                if float(number) not in (0, 1, 2) and number not in allowed:
                    yield "literal", f"repebble/{name}:{line}: [literal] {number}: a constant belongs into {EFFORT}"
        for number in sorted(set(allowed) - seen):
            yield "literal", f"repebble/{name}:1: [literal] {number} is allowed, but not there"


def has_file_comment(raw):
    lines = raw.splitlines()
    for line in lines[2:8]:
        if line.startswith("// ") and len(line) > 12:
            return True
        if line.startswith(("#include", "namespace", "///")):
            return False
    return False


def umbrella_faults(graph, foreign):
    """What the umbrella lacks, has too much, or has in another order than that of the rooms."""

    def is_adaptor(header):
        return header in graph and room_of(header) == "graph/adapt"

    def needs_a_library(header):
        return bool(foreign[header]) or any(needs_a_library(target) for target in graph[header] if is_adaptor(target))

    def where(text):
        return "umbrella", f"repebble/{UMBRELLA}:1: [umbrella] {text}"

    core = {header for header in graph if room_of(header) in [*ORDER, *FREE] and not is_private(header)
            and header != UMBRELLA and header not in SOURCES}
    optional = {header for header in core if is_adaptor(header) and needs_a_library(header)}
    included = graph[UMBRELLA]
    for header in sorted(core - optional - set(included)):
        yield where(f"does not include {header}")
    for header in sorted(optional & set(included)):
        yield where(f"includes {header}, which needs another library")
    for header in sorted(h for h in included if is_private(h)):
        yield where(f"includes {header}, which is private")
    rooms = [ORDER.index(room_of(header)) for header in included if room_of(header) in ORDER]
    if rooms != sorted(rooms):
        yield where("its rooms are not in their order")


def readme_fault(folder):
    page = folder / "README.md"
    if not page.is_file():
        return "has no README.md"
    lines = []
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            break
        if line.strip():
            lines.append(line)
    return None if 3 <= len(lines) <= 8 else f"README.md has {len(lines)} lines before its first `## `, not 3 to 8"


def test_faults(project, known, public):
    """Of the tests that mirror rooms: what they say they cover."""
    tests = project / "tests"
    named = set()
    for path in sorted(tests.rglob("*.cpp")) if tests.is_dir() else []:
        where = path.relative_to(project).as_posix()
        text = path.read_text(encoding="utf-8")
        included = re.findall(r"#include <repebble/([^>]+)>", text)
        named.update(included)
        top = path.relative_to(tests).parts[0]
        if top not in {room.split("/")[0] for room in [*ORDER, *LEAVES]}:
            continue
        covers = COVERS.match(text)
        if not covers:
            yield "covers", f"{where}:1: [covers] does not begin with `// Covers HEADER.`"
            continue
        for header in re.findall(r"[\w/]+\.hpp", covers.group(1)):
            if header not in known:
                yield "covers", f"{where}:1: [covers] {header} does not exist"
            named.add(header)
    if tests.is_dir():
        for header in sorted(public - named):
            yield "uncovered", f"repebble/{header}:1: [uncovered] no test names it"


def technique_faults(project, root):
    """Of the table of techniques in the map: headers that no test includes or says that it covers."""
    table = root / "README.md"
    if not table.is_file():
        return
    part = table.read_text(encoding="utf-8").partition("## Which file is it?")[2].partition("\n## ")[0]
    folders = [root, *(folder / "repebble" for folder in project.glob("examples/components/*"))]
    texts = [path.read_text(encoding="utf-8") for path in (project / "tests").rglob("*.cpp")]
    named = {header for text in texts for header in
             re.findall(r"#include <repebble/([^>]+)>", text) + re.findall(r"[\w/]+\.hpp", "".join(COVERS.findall(text)))}
    for header in re.findall(r"`([\w/]+\.hpp)`", part):
        if not any((folder / header).is_file() for folder in folders):
            yield "technique", f"repebble/README.md: [technique] {header} does not exist"
        elif header not in named:
            yield "technique", f"repebble/{header}:1: [technique] no test includes it or says that it covers it"


# What a file outside of include/ may not use: private headers of the library, and its names in a namespace detail.
PRIVATE_HEADER = re.compile(r"#include <repebble/((?:[\w]+/)*detail/[\w/]+\.hpp)>")
PRIVATE_NAME = re.compile(r"\brepebble::(?:v0::)?(?:io::)?detail::\w+|(?<![\w:])io::detail::\w+")


def private_faults(project, known):
    """Uses of private code outside of include/."""
    for top in ("benchmarks", "examples", "tests"):
        folder = project / top
        for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
            if path.suffix not in (".hpp", ".cpp", ".cu", ".cuh", ".ipp") or not path.is_file():
                continue
            name = path.relative_to(project).as_posix()
            text = without_comments(path.read_text(encoding="utf-8"))
            of_component = name.startswith(("examples/components/", "examples/studies/", "examples/command_line/"))
            rooms = next((rooms for part, rooms in BUILT_ON.items() if name.startswith(f"examples/{part}/")), set())
            if name.startswith("tests/"):
                tested = name.split("/")[1]
                rooms = {tested, *next((r for part, r in BUILT_ON.items() if part.endswith("/" + tested)), set())}
            for match in [*PRIVATE_HEADER.finditer(text), *PRIVATE_NAME.finditer(text)]:
                what = match.group(1) if match.re is PRIVATE_HEADER else match.group()
                if match.re is PRIVATE_HEADER:
                    if what not in known:
                        continue  # a component's own
                    of_root = room_of(what) in SHARED
                    of_room = what.split("/")[0] in rooms
                    if of_room or of_root and (top != "examples" or of_component):
                        continue
                elif top != "examples" or of_component:
                    continue
                line = text.count("\n", 0, match.start()) + 1
                yield "private", f"{name}:{line}: [private] uses {what}"


def room_sizes(root):
    """Lines of each room: those that stand in the first column of a path. Bodies count in the room of their header."""
    lines = collections.Counter()
    headers = [path.relative_to(root).as_posix() for path in root.rglob("*.hpp")]
    for path in root.rglob("*.?pp"):
        header = path.relative_to(root).as_posix()
        if header.startswith("impl/"):
            header = header_of(header, headers) or header
        room = room_of(header)
        if room and header != UMBRELLA:
            lines[room] += len(path.read_text(encoding="utf-8").splitlines())
    return lines


def check(project):
    """(kind, message) of every violation in a project."""
    project = pathlib.Path(project)
    root = project / "include" / "repebble"
    files = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and p.suffix != ".md")
    headers = [name for name in files if not name.startswith("impl/")]
    known, graph, foreign, violations = set(headers), {}, {}, []
    if not headers:
        return [("empty", "no header below include/repebble")]
    included_by = collections.defaultdict(list)
    for name in headers + [f for f in files if f not in known]:
        is_body = name not in known
        header = header_of(name, headers) if is_body else name  # whose includes those of a body are, too
        if header is None:
            violations.append(("body", f"repebble/{name}:1: [body] there is no header whose bodies these are"))
            continue
        room = room_of(header)
        raw = (root / name).read_text(encoding="utf-8")
        graph.setdefault(header, [])
        foreign.setdefault(header, [])

        def report(kind, line, reason):
            violations.append((kind, f"repebble/{name}:{line}: [{kind}] {reason}"))

        if header in SOURCES:
            room = "plan.hpp" if header == "src.hpp" else "io"
        if room is None:
            report("room", 1, "there is no such room")
            continue
        text = without_comments(raw)
        first = True
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            angled, quoted, other = match.groups()
            if other:
                report("unreadable", line, f"#include {other}: cannot tell what it includes")
                continue
            include = angled or quoted
            target = resolve(quoted is not None, include, name, known)
            if is_body and first and target != header:
                report("body", line, f"does not include {header} first")
            if target is not None and target.startswith("impl/"):
                included_by[target].append(name)
                if target not in files:
                    report("missing", line, f"includes {include}, which does not exist")
            elif target is None:
                if not STANDARD.fullmatch(include):
                    foreign[header].append(include)
                if wrong := forbidden_foreign(header, room, include):
                    report(wrong[0], line, f"includes {include}: {wrong[1]}")
            elif target not in known:
                report("missing", line, f"includes {include}, which does not exist")
            elif not (is_body and first):
                graph[header].append(target)
                target_room = room_of(target)
                if target_room and (wrong := forbidden_ours(header, room, target, target_room)):
                    report(wrong[0], line, f"includes {include}: {wrong[1]}")
            first = False
        if is_body or header in SOURCES:
            continue
        if wrong := namespace_fault(header, raw):
            report("namespace", 1, wrong)
        if header != UMBRELLA and not has_file_comment(raw):
            report("comment", 1, "has no // comment about the file after its include guard")
    for name in sorted(set(files) - known):
        header = header_of(name, headers)
        if header and sorted(included_by[name]) != sorted([header, "io/src.hpp" if room_of(header) == "io" else "src.hpp"]):
            violations.append(("body", f"repebble/{name}:1: [body] is included by {', '.join(included_by[name]) or 'no file'}"))
    for folder in sorted({(root / header).parent for header in headers} - {root}):
        if wrong := readme_fault(folder):
            violations.append(("readme", f"{folder.relative_to(project).as_posix()}: [readme] {wrong}"))
    cycles = find_cycles(graph)
    for cycle in cycles:
        violations.append(("cycle", "[cycle] " + " -> ".join(f"repebble/{header}" for header in cycle)))
    if UMBRELLA not in graph:
        violations.append(("umbrella", f"there is no repebble/{UMBRELLA}"))
    elif not cycles:
        violations.extend(umbrella_faults(graph, foreign))
    public = {h for h in headers if room_of(h) in [*ORDER, *LEAVES] and not is_private(h) and h not in (UMBRELLA, *SOURCES)}
    violations.extend(test_faults(project, known, public))
    violations.extend(technique_faults(project, root))
    violations.extend(private_faults(project, known))
    violations.extend(literal_faults(root, files))
    sizes = room_sizes(root)
    whole = sum(sizes.values())
    for room, lines in sorted(sizes.items()):
        if len(sizes) > 8 and lines > LARGEST_SHARE * whole:
            violations.append(("size", f"{room}: [size] {lines} of {whole} lines, more than {LARGEST_SHARE:.0%}"))
    return violations


def print_rooms(project):
    root = pathlib.Path(project) / "include" / "repebble"
    sizes = room_sizes(root)
    whole = sum(sizes.values())
    print("| room | public | private | lines | share |\n|---|--:|--:|--:|--:|")
    for room in [*ORDER, *LEAVES]:
        inside = [h for h in (p.relative_to(root).as_posix() for p in root.rglob("*.hpp")) if room_of(h) == room]
        if inside and room != UMBRELLA:
            hidden = sum(is_private(h) for h in inside)
            print(f"| {room} | {len(inside) - hidden} | {hidden} | {sizes[room]} | {sizes[room] / whole:.1%} |")


# ---- self test -------------------------------------------------------------------------------------------------


def header_text(path, body="", comment="// A header of the self test, about its file."):
    """A well-formed header: guard, comment, includes, a name in the namespace that its path asks for."""
    includes = "".join(line + "\n" for line in body.split("\n") if line.startswith("#include"))
    rest = "".join(line + "\n" for line in body.split("\n") if line and not line.startswith("#include"))
    if path == UMBRELLA:
        return f"#ifndef A\n#define A\n\n{includes}{rest}\n#endif\n"
    where = "repebble::inline v0::detail" if is_private(path) else "repebble::inline v0"
    return (f"#ifndef A\n#define A\n\n{comment}\n\n{includes}\nnamespace {where} {{\n\nstruct a_name {{}};\n{rest}\n"
            f"}}  // namespace {where}\n\n#endif\n")


BODIES = {
    "detail/bits.hpp": "#include <cstdint>\n#include <vector>",
    "detail/maximum_flow/flow.hpp": "#include <repebble/detail/bits.hpp>",
    "detail/satisfiability/clause.hpp": "#include <repebble/detail/bits.hpp>",
    "graph/access.hpp": "#include <repebble/detail/bits.hpp>\n// #include <iostream>\n/* #include <range/v3/all.hpp> */",
    "graph/order.hpp": '#include "access.hpp"',
    "graph/dataflow/flow.hpp": "#include <repebble/graph/order.hpp>",
    "graph/adapt/boost_graph.hpp": "#include <boost/graph/graph_traits.hpp>\n#include <repebble/graph/access.hpp>",
    "graph/adapt/nested_range.hpp": "#include <ranges>\n#include <repebble/graph/access.hpp>",
    "graph/adapt/reversed.hpp": '#include "boost_graph.hpp"\n#include "../access.hpp"',
    "pebbling/step.hpp": "#include <boost/container/small_vector.hpp>\n#include <repebble/pebbling/detail/search.hpp>",
    "pebbling/detail/search.hpp": "#include <repebble/graph/dataflow/flow.hpp>",
    "allocate/arena.hpp": '#include "repebble/pebbling/step.hpp"',
    "recompute/sqrt.hpp": "#include <repebble/allocate/arena.hpp>\nconstexpr int n = 1'000;",
    "planner/options.hpp": "#include <repebble/recompute/sqrt.hpp>\nconstexpr double no = 0.0, one = 1, mask = 0x1p58;",
    "planner/detail/model/model.hpp": "#include <repebble/planner/options.hpp>",
    "planner/detail/annealing/walk.hpp": "#include <repebble/planner/detail/model/model.hpp>",
    "plan.hpp": "#include <repebble/planner/detail/annealing/walk.hpp>",
    "io/json.hpp": "#include <nlohmann/json.hpp>\n#include <repebble/plan.hpp>\n#include <repebble/io/gzip.hpp>",
    "io/gzip.hpp": "#include <zlib.h>",
    "views/steps.hpp": "#include <range/v3/view/transform.hpp>\n#include <repebble/pebbling/step.hpp>",
    "report/page.hpp": "#include <repebble/repebble.hpp>",
}
BODIES[UMBRELLA] = "\n".join(f"#include <repebble/{header}>" for header in [
    "graph/access.hpp", "graph/order.hpp", "graph/dataflow/flow.hpp", "graph/adapt/nested_range.hpp",
    "pebbling/step.hpp", "allocate/arena.hpp", "recompute/sqrt.hpp", "planner/options.hpp", "plan.hpp"])
CLEAN = {f"include/repebble/{path}": header_text(path, body) for path, body in BODIES.items()}
README = "# A room\n\nIts purpose is the self test.\nRead its files in any order.\n\n## Algorithms\n" + "More.\n" * 20
for folder in {posixpath.dirname(path) for path in CLEAN} - {"include/repebble"}:
    CLEAN[f"{folder}/README.md"] = README
CLEAN["include/repebble/src.hpp"] = "#ifndef A\n#define A\n\n// Bodies.\n\n#include <repebble/impl/pebbling/search.ipp>\n#endif\n"
BODY = "include/repebble/impl/pebbling/search.ipp"
CLEAN[BODY] = ("#ifndef A\n#define A\n\n#include <repebble/pebbling/detail/search.hpp>\n\n#include <vector>\n\n"
               "#include <repebble/graph/order.hpp>\n#endif\n")
CLEAN["include/repebble/pebbling/detail/search.hpp"] += "#include <repebble/impl/pebbling/search.ipp>\n"
MAP = "# The map\n\nOne.\nTwo.\n\n## Which file is it?\n\n| search | `pebbling/detail/search.hpp` |\n\n## More\n"
CLEAN["include/repebble/README.md"] = MAP
CLEAN["tests/pebbling/search.cpp"] = ("// Covers pebbling/detail/search.hpp.\n#include <repebble/pebbling/detail/search.hpp>\n"
                                      "#include <repebble/detail/bits.hpp>\n")
CLEAN["examples/plan/main.cpp"] = "#include <repebble/plan.hpp>\n// repebble::detail::a_name\n"
CLEAN["benchmarks/time.cpp"] = "#include <repebble/detail/bits.hpp>\n"
CLEAN["tests/graph/order.cpp"] = ("// Covers " + ", ".join(sorted(h for h in BODIES if not is_private(h))) +
                                  ".\n#include <repebble/graph/order.hpp>\n")

# (kind, header, what its body gets, or a whole text where it begins with `=`): each planted alone in the clean tree.
PLANTED = [
    ("upwards", "detail/bits.hpp", "#include <repebble/graph/access.hpp>"),
    ("upwards", "detail/maximum_flow/flow.hpp", "#include <repebble/detail/satisfiability/clause.hpp>"),
    ("upwards", "graph/order.hpp", "#include <repebble/pebbling/step.hpp>"),
    ("upwards", "graph/order.hpp", "#include <repebble/graph/dataflow/flow.hpp>"),
    ("upwards", "graph/order.hpp", '#include "adapt/nested_range.hpp"'),
    ("upwards", "graph/adapt/reversed.hpp", '#include "../../pebbling/step.hpp"'),
    ("upwards", "allocate/arena.hpp", "#include <repebble/recompute/sqrt.hpp>"),
    ("upwards", "recompute/sqrt.hpp", "#include <repebble/planner/options.hpp>"),
    ("upwards", "plan.hpp", "#include <repebble/repebble.hpp>"),
    ("upwards", "planner/detail/model/model.hpp", "#include <repebble/planner/detail/annealing/walk.hpp>"),
    ("foreign", "allocate/arena.hpp", "#include <repebble/planner/detail/model/model.hpp>"),
    ("upwards", "graph/order.hpp", "#include <repebble/pebbling/detail/search.hpp>"),
    ("foreign", "io/json.hpp", "#include <repebble/planner/detail/model/model.hpp>"),
    ("namespace", "pebbling/detail/search.hpp", "=#ifndef A\n#define A\n\n// A file of the self test.\n\n#include <vector>\n"
     "namespace repebble::inline v0 {\nstruct a {};\n}  // namespace repebble::inline v0\n#endif\n"),
    ("namespace", "pebbling/step.hpp", "=#ifndef A\n#define A\n\n// A file of the self test.\n\n"
     "namespace repebble::inline v0 {\n\nnamespace detail {\nstruct a {};\n}  // namespace detail\n\n"
     "}  // namespace repebble::inline v0\n#endif\n"),
    ("comment", "graph/order.hpp", "=#ifndef A\n#define A\n\n#include <repebble/graph/access.hpp>\n"
     "namespace repebble::inline v0 {\nstruct a {};\n}  // namespace repebble::inline v0\n#endif\n"),
    ("leaf", "graph/order.hpp", "#include <repebble/io/gzip.hpp>"),
    ("leaf", "plan.hpp", "#include <repebble/report/page.hpp>"),
    ("leaf", "repebble.hpp", "#include <repebble/views/steps.hpp>"),
    ("leaf", "views/steps.hpp", "#include <repebble/io/gzip.hpp>"),
    ("detail", "detail/bits.hpp", "#include <boost/container/small_vector.hpp>"),
    ("boost-graph", "graph/order.hpp", "#include <boost/graph/graph_traits.hpp>"),
    ("eigen", "recompute/sqrt.hpp", "#include <Eigen/Core>"),
    ("range-v3", "io/json.hpp", "#include <range/v3/all.hpp>"),
    ("nlohmann", "report/page.hpp", "#include <nlohmann/json.hpp>"),
    ("iostream", "detail/bits.hpp", "#include <iostream>"),
    ("literal", "planner/options.hpp", "constexpr double share = 0.25;"),
    ("literal", "planner/detail/annealing/walk.hpp", "constexpr int most = 1'000;"),
    ("literal", "planner/technique.hpp", "constexpr int technique_count = 24;"),
    ("cycle", "graph/access.hpp", "#include <repebble/graph/order.hpp>"),
    ("cycle", "graph/order.hpp", '#include "order.hpp"'),
    ("missing", "graph/order.hpp", "#include <repebble/graph/acces.hpp>"),
    ("room", "util/misc.hpp", "#include <vector>"),
    ("room", "misc.hpp", "#include <vector>"),
    ("unreadable", "graph/order.hpp", "#include SOME_HEADER"),
    ("umbrella", "recompute/chain.hpp", "#include <vector>"),
    ("umbrella", UMBRELLA, "#include <repebble/graph/adapt/boost_graph.hpp>"),
    ("umbrella", UMBRELLA, "#include <repebble/graph/access.hpp>"),
    ("uncovered", "recompute/chain.hpp", "#include <vector>"),
    ("size", "graph/order.hpp", "\n".join("int x%d;" % k for k in range(2000))),
]
# (kind, file, text)
PLANTED_FILES = [
    ("readme", "include/repebble/pebbling/README.md", "# A room\n"),
    ("readme", "include/repebble/pebbling/README.md", "line\n" * 9),
    ("covers", "tests/graph/order.cpp", "#include <repebble/graph/order.hpp>\n"),
    ("covers", "tests/graph/order.cpp", "// Covers graph/gone.hpp.\n"),
    ("body", "include/repebble/impl/pebbling/lost.ipp", CLEAN[BODY]),
    ("body", BODY, CLEAN[BODY].replace("pebbling/detail/search", "graph/access", 1)),
    ("body", "include/repebble/src.hpp", "#ifndef A\n#define A\n\n// No bodies.\n\n#endif\n"),
    ("body", "include/repebble/graph/order.hpp", CLEAN["include/repebble/graph/order.hpp"] +
     "#include <repebble/impl/pebbling/search.ipp>\n"),
    ("upwards", BODY, CLEAN[BODY].replace("graph/order", "recompute/sqrt")),
    ("foreign", BODY, CLEAN[BODY].replace("graph/order", "planner/detail/model/model")),
    ("iostream", BODY, CLEAN[BODY].replace("vector", "iostream")),
    ("cycle", BODY, CLEAN[BODY].replace("graph/order", "pebbling/step")),
    ("technique", "include/repebble/README.md", MAP.replace("detail/search", "detail/gone")),
    ("technique", "tests/pebbling/search.cpp", "// Covers pebbling/step.hpp.\n#include <repebble/pebbling/step.hpp>\n"),
    ("private", "tests/graph/order.cpp",
     CLEAN["tests/graph/order.cpp"] + "#include <repebble/planner/detail/model/model.hpp>\n"),
    ("private", "examples/plan/main.cpp", "#include <repebble/detail/bits.hpp>\n"),
    ("private", "examples/plan/main.cpp", "int x = repebble::detail::a_name();\n"),
    ("private", "examples/python/src/core.cpp", "int x = io::detail::a_name();\n"),
    ("private", "benchmarks/time.cpp", "#include <repebble/planner/detail/model/model.hpp>\n"),
]


def self_test():
    failures = []

    def violations_of(files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(folder)

    global LARGEST_SHARE
    share, LARGEST_SHARE = LARGEST_SHARE, 0.5  # the tree of the self test has a few lines for each room
    for _, message in violations_of(CLEAN):
        failures.append(f"found in the clean tree: {message}")
    if [kind for kind, _ in violations_of({})] != ["empty"]:
        failures.append("an empty tree is not reported")
    for kind, header, text in PLANTED:
        path = f"include/repebble/{header}"
        whole = text[1:] if text.startswith("=") else header_text(header, BODIES.get(header, "") + "\n" + text)
        found = violations_of({**CLEAN, path: whole})
        if not any(k == kind for k, m in found):
            failures.append(f"not caught: [{kind}] in {header}: {text.strip()[:60]}; found {found}")
    for kind, path, text in PLANTED_FILES:
        if not any(k == kind for k, _ in violations_of({**CLEAN, path: text})):
            failures.append(f"not caught: [{kind}] in {path}")
    LARGEST_SHARE = share
    for failure in failures:
        print(failure)
    print(f"walls: {len(PLANTED) + len(PLANTED_FILES)} violations planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) == 2 and arguments[0] == "--rooms":
        print_rooms(arguments[1])
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    violations = check(arguments[0])
    for _, message in violations:
        print(message)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
