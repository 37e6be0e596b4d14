#!/usr/bin/env bash
# Including the core must not pull in a JSON library, range-v3 or Boost.Graph. Prints what the include costs.
#   include_cost.sh COMPILER [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]
# Exit status 77: the compiler or the source is not there.
set -euo pipefail

compiler=$1
shift
checks=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$checks/include_cost.cpp
if ! command -v "$compiler" >/dev/null || [[ ! -e $source ]]; then
    echo "include_cost: skipped, no $compiler or no include_cost.cpp"
    exit 77
fi

flags=(-std=c++20 -O0 -I "$checks/../../include")
for directory in "$@"; do
    [[ $directory == /usr/include ]] || flags+=(-isystem "$directory")
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$compiler" "${flags[@]}" -E "$source" -o "$work/include_cost.ii"
files=$(sed -nE 's/^# [0-9]+ "([^<"]+)".*$/\1/p' "$work/include_cost.ii" | LC_ALL=C sort -u)
if forbidden=$(grep -E '(^|/)(nlohmann/json|range/v3/|boost/graph/)' <<<"$files"); then
    echo "include_cost: the core includes what it must not:"
    echo "$forbidden"
    exit 1
fi
TIMEFORMAT='%U s user, %R s elapsed'
cost=$({ time "$compiler" "${flags[@]}" -c "$source" -o "$work/include_cost.o"; } 2>&1)
echo "include_cost: $(wc -l <<<"$files") files, $(wc -l <"$work/include_cost.ii") lines, $cost"
