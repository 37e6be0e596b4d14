#!/usr/bin/env bash
# Including the core must not pull in a JSON library, range-v3 or Eigen, and Boost.Graph only where everything is included.
# Prints what the include costs: of what one plan needs, and of everything without the time (benchmarks/compile_cost.py).
#   include_cost.sh COMPILER [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]
# Exit status 77: the compiler is not there.
set -euo pipefail

compiler=$1
shift
checks=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v "$compiler" >/dev/null; then
    echo "include_cost: skipped, no $compiler"
    exit 77
fi

flags=(-std=c++20 -O0 -I "$checks/../../include")
for directory in "$@"; do
    [[ $directory == /usr/include ]] || flags+=(-isystem "$directory")
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# SOURCE FORBIDDEN_FILES
look_through() {
    local source=$1 name files forbidden
    name=$(basename "$source" .cpp)
    "$compiler" "${flags[@]}" -E "$source" -o "$work/$name.ii"
    files=$(sed -nE 's/^# [0-9]+ "([^<"]+)".*$/\1/p' "$work/$name.ii" | LC_ALL=C sort -u)
    if forbidden=$(grep -E "$2" <<<"$files"); then
        echo "$name: the core includes what it must not:"
        echo "$forbidden"
        exit 1
    fi
    printf '%s: %s files, %s lines' "$name" "$(wc -l <<<"$files")" "$(wc -l <"$work/$name.ii")"
}

look_through "$checks/include_cost.cpp" '(^|/)(nlohmann/json|zlib\.h|range/v3/|Eigen/|boost/graph/)'
TIMEFORMAT=', %U s user, %R s elapsed'
time "$compiler" "${flags[@]}" -c "$checks/include_cost.cpp" -o "$work/include_cost.o"
printf '#include <repebble/repebble.hpp>\n' >"$work/repebble.hpp.cpp"
look_through "$work/repebble.hpp.cpp" '(^|/)(nlohmann/json|zlib\.h|range/v3/|Eigen/|repebble/(io|views|report)/)'
echo
