#ifndef REPEBBLE_IMPL_CHAINS_BYTES_TO_KEEP_ALL_IPP
#define REPEBBLE_IMPL_CHAINS_BYTES_TO_KEEP_ALL_IPP

#include <repebble/chains/bytes_to_keep_all.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto bytes_to_keep_all(chain const& of, memory_test test) -> bytes {
    detail::chain_sums const sums(of);
    auto const n = sums.size();
    auto const waiting = sums.gradient(n);
    bytes rest = 0;     // of the stages after i, beside their input
    bytes running = 0;  // published test: to run the stages after i forward, but for the last
    for (auto i = n; i-- > 0;) {
        auto const& tapes = sums.stage(i).tapes;
        auto const alone = sums.stage(i).output + sums.stage(i).workspace;
        bool const published = test == memory_test::published && i + 1 < n;
        if (published) running = std::max(running, alone);
        auto const extra = std::ranges::min_element(tapes, {}, &stage_tape::extra_time)->extra_time;
        bytes least = std::numeric_limits<bytes>::max();
        for (std::size_t tape = 0; tape < tapes.size(); ++tape) {
            if (extra < tapes[tape].extra_time) continue;
            auto const forward = published
                                     ? std::max(sums.gradient(i + 1) + sums.recording_bytes(i, tape), waiting + running)
                                     : waiting + sums.recording_bytes(i, tape);
            auto const after = i + 1 < n ? tapes[tape].saved + rest : 0;
            least = std::min(least, std::max({forward, sums.backward_bytes(i, tape), after}));
        }
        rest = least;
        if (published) running = std::max(running, sums.value(i) + alone);
    }
    return of.input + rest;
}

}  // namespace repebble::inline v0

#endif
