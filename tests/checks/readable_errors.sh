#!/usr/bin/env bash
# A wrong type is refused in one line that says what it lacks: every program in wrong_graphs/ and wrong_backends/ fails to
# compile, with one call or assertion at fault, and the first or the second line of what the compiler says of it holds the
# words that follow "// expected:" in the program. (Of graphs g++ has them in the error itself, clang in the note that
# belongs to it.)
#   readable_errors.sh COMPILER [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]
# Exit status 77: the compiler is not there.
set -euo pipefail

compiler=$1
shift
checks=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v "$compiler" >/dev/null; then
    echo "readable_errors: skipped, no $compiler"
    exit 77
fi

flags=(-std=c++20 -DREPEBBLE_SEPARATE_COMPILATION -I "$checks/../../include")
for directory in "$@"; do
    [[ $directory == /usr/include ]] || flags+=(-isystem "$directory")
done

# What most of them include is compiled once. A program begins behind the first of these that it includes itself.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shared=(plan execute/executor graph/adapt/nested_range)
for header in "${shared[@]}"; do
    mkdir -p "$work/$(dirname "$header")"
    echo "#include <repebble/$header.hpp>" >"$work/$header.hpp"
    "$compiler" "${flags[@]}" -x c++-header "$work/$header.hpp" -o "$work/$header.hpp.gch"
done

count=0
for program in "$checks"/wrong_{graphs,backends}/*.cpp; do
    name=$(basename "$program" .cpp)
    expected=$(sed -n 's/^\/\/ expected: //p' "$program")
    if [[ -z $expected ]]; then
        echo "readable_errors: $name does not say what it expects"
        exit 1
    fi
    words="static assertion failed.*$expected"
    [[ $program == */wrong_graphs/* ]] && words="UnmetRequirement = (repebble::(v[0-9]+::)?)?unmet::$expected\b"
    behind=()
    for header in "${shared[@]}"; do
        if ((${#behind[@]} == 0)) && grep -q "^#include <repebble/$header.hpp>" "$program"; then
            behind=(-include "$work/$header.hpp")
        fi
    done
    if said=$(LC_ALL=C "$compiler" "${flags[@]}" -fsyntax-only "${behind[@]}" "$program" 2>&1); then
        echo "readable_errors: $name compiles"
        exit 1
    fi
    lines=$(grep -E '(error|note): ' <<<"$said")
    at=$(grep -E 'error: ' <<<"$said" | cut -d: -f1,2 | LC_ALL=C sort -u | wc -l)
    if ((at != 1)) || ! head -n 2 <<<"$lines" | grep -qE "$words"; then
        printf 'readable_errors: %s, %s: errors in %s lines of source, not one that names %s\n%s\n' \
            "$compiler" "$name" "$at" "$expected" "$said"
        exit 1
    fi
    count=$((count + 1))
done
echo "readable_errors: $count wrong types, $compiler"
