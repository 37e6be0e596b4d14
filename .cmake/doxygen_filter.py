#!/usr/bin/env python3
"""What Doxygen reads of a header: names without the version's inline namespace, and of namespace detail nothing but the
function object types, which show how the public constants are called. Lines keep their numbers.

    doxygen_filter.py HEADER
"""
import re
import sys


def filtered(text):
    out, within, function = [], False, False
    for line in text.splitlines():
        line = re.sub(r"namespace repebble::inline v\d+(::)?", lambda m: "namespace repebble" + (m.group(1) or ""), line)
        if re.match(r"namespace (\w+::)*detail \{", line):
            within = True
        elif re.match(r"\}  // namespace .*\bdetail$", line):
            within = False
        elif within:
            if found := re.match(r"struct (\w+)_fn\b", line):
                function = not line.rstrip().endswith(";")
                line = f"/** How {found.group(1)} is called. */ {line}"
            elif function:
                function = line != "};"
            else:
                line = ""
        out.append(line)
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(filtered(header.read()))
