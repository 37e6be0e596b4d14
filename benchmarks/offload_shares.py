#!/usr/bin/env python3
"""In how many cells of offload_tables.md is the deep Q-network's plan better than the best of as many random ones?

    offload_shares.py PAGE            prints the table of that
    offload_shares.py --check PAGE    exit status 1, with one line for each row that the page has otherwise, or not
Cells are those in which both have a plan. Where both have no overhead, none can be better: these are counted alone.
"""
import pathlib
import sys

HEADER = "| limit | cells | better | both 0 | equal | worse | better, of those above 0 |"
KINDS = ["better", "both 0", "equal", "worse"]


def cells_of(line):
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def cells(text):
    """Limit, overhead by random choice and by the network, of every cell that has both."""
    header = []
    for line in text.splitlines():
        row = cells_of(line) if line.startswith("|") else []
        if "random" in row and "DQN" in row:
            header = row
        elif not row:
            header = []
        elif header and row[0].endswith("%"):
            found = dict(zip(header, row))
            learnt, drawn = (found[name].split()[0] for name in ("DQN", "random"))  # the median of its seeds
            if "–" not in (drawn, learnt):
                yield found["limit"], float(drawn), float(learnt)


def kind(random, learnt):
    if random == learnt:
        return "equal" if learnt > 0 else "both 0"
    return "better" if learnt < random else "worse"


def row(limit, kinds):
    of = len(kinds) - kinds.count("both 0")
    share = f"{100 * kinds.count('better') / of:.0f} %" if of else "–"
    return f"| {limit} | {len(kinds)} | {' | '.join(str(kinds.count(k)) for k in KINDS)} | {share} |"


def table(text):
    by_limit = {}
    for limit, random, learnt in cells(text):
        by_limit.setdefault(limit, []).append(kind(random, learnt))
    rows = [row(limit, by_limit[limit]) for limit in sorted(by_limit, reverse=True)]
    return [HEADER, "|--:" * 7 + "|", *rows, row("all", sum(by_limit.values(), []))]


def main():
    check = sys.argv[1] == "--check"
    text = pathlib.Path(sys.argv[1 + check]).read_text()
    if not check:
        print("\n".join(table(text)))
        return
    missing = [line for line in table(text) if line not in text.splitlines()]
    print("".join(f"no line of the page is: {line}\n" for line in missing), end="")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
