#!/usr/bin/env bash
# Every public header, of the library and of the networks, compiles alone, and may be included twice.
#   headers_alone.sh COMPILER [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]
# Exit status 77: the compiler is not there.
set -euo pipefail

compiler=$1
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ! command -v "$compiler" >/dev/null; then
    echo "headers_alone: skipped, no $compiler"
    exit 77
fi

flags=(-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -I "$root/include" -I "$root/examples/networks")
for directory in "$@"; do
    [[ $directory == /usr/include ]] || flags+=(-isystem "$directory")
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count=0
while IFS= read -r header; do
    unit=$work/${header//\//.}.cpp
    printf '#include <%s>\n#include <%s>\nint main() {}\n' "$header" "$header" >"$unit"
    count=$((count + 1))
done < <(for folder in include examples/networks; do (cd "$root/$folder" && find repebble -name '*.hpp'); done | LC_ALL=C sort)
if ((count == 0)); then
    echo "headers_alone: no header"
    exit 1
fi

compile() {
    local log
    if ! log=$("$@" 2>&1); then
        printf 'FAILED %s\n%s\n' "$(basename "${!#}" .cpp)" "$log"
        exit 1
    fi
}
export -f compile
find "$work" -name '*.cpp' -print0 | LC_ALL=C sort -z |
    xargs -0 -n 1 -P 2 bash -c 'compile "$@"' compile "$compiler" "${flags[@]}"
echo "headers_alone: $count headers, $compiler"
