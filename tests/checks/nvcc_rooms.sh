#!/usr/bin/env bash
# The rooms that a .cu may include compile with nvcc.
#   nvcc_rooms.sh [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]
# nvcc is looked for as $CUDACXX, on the PATH, below $CUDA_HOME and $CUDA_PATH, and where it is by default.
# Exit status 77: there is no nvcc.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
nvcc=
for candidate in "${CUDACXX:-nvcc}" nvcc {"${CUDA_HOME:-}","${CUDA_PATH:-}",/usr/local/cuda}/bin/nvcc; do
    if command -v "$candidate" >/dev/null; then
        nvcc=$candidate
        break
    fi
done
if [[ -z $nvcc ]]; then
    echo "nvcc_rooms: skipped, no nvcc"
    exit 77
fi

flags=(-std=c++20 --expt-relaxed-constexpr -I "$root/include")
for directory in "$@"; do
    [[ $directory == /usr/include ]] || flags+=(-isystem "$directory")
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count=0
for room in graph pebbling allocate execute; do
    [[ -d $root/include/repebble/$room ]] || continue
    while IFS= read -r header; do
        printf '#include <%s>\n' "$header" >>"$work/rooms.cu"
        count=$((count + 1))
    done < <(cd "$root/include" && find "repebble/$room" -name '*.hpp' | LC_ALL=C sort)
done
if ((count == 0)); then
    echo "nvcc_rooms: skipped, no header yet"
    exit 77
fi
printf '__global__ void kernel() {}\n' >>"$work/rooms.cu"

"$nvcc" "${flags[@]}" -c "$work/rooms.cu" -o "$work/rooms.o"
echo "nvcc_rooms: $count headers"
