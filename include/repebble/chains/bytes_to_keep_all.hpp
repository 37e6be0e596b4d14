#ifndef REPEBBLE_CHAINS_BYTES_TO_KEEP_ALL_HPP
#define REPEBBLE_CHAINS_BYTES_TO_KEEP_ALL_HPP

// The budget at which a chain needs no recomputation, by one backward pass over the stages instead of a whole curve.
// The upper end of the budgets that are worth solving for: examples/chain and benchmarks/chain_growth start from it.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

namespace detail {

struct bytes_to_keep_all_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(chain<Time> const& of, memory_test test = memory_test::tight) const -> bytes {
        chain_sums<Time> const sums(of);
        auto const n = sums.size();
        auto const waiting = sums.gradient(n);
        bytes rest = 0;     // of the stages after i, beside their input
        bytes running = 0;  // published test: to run the stages after i forward, but for the last
        for (auto i = n; i-- > 0;) {
            auto const& tapes = sums.stage(i).tapes;
            auto const alone = sums.stage(i).output + sums.stage(i).workspace;
            bool const published = test == memory_test::published && i + 1 < n;
            if (published) running = std::max(running, alone);
            auto const extra = std::ranges::min_element(tapes, {}, &stage_tape<Time>::extra_time)->extra_time;
            bytes least = std::numeric_limits<bytes>::max();
            for (std::size_t tape = 0; tape < tapes.size(); ++tape) {
                if (extra < tapes[tape].extra_time) continue;
                auto const forward =
                    published ? std::max(sums.gradient(i + 1) + sums.recording_bytes(i, tape), waiting + running)
                              : waiting + sums.recording_bytes(i, tape);
                auto const after = i + 1 < n ? tapes[tape].saved + rest : 0;
                least = std::min(least, std::max({forward, sums.backward_bytes(i, tape), after}));
            }
            rest = least;
            if (published) running = std::max(running, sums.value(i) + alone);
        }
        return of.input + rest;
    }
};

}  // namespace detail

/// The least budget, in bytes, with which every stage of a chain runs forward only once, with its fastest tape. The
/// curve of `solve_chain` ends there, unless a plan recomputes a value in no time.  O(stages + tapes).
/// Throws as `solve_chain` for an invalid chain.
inline constexpr detail::bytes_to_keep_all_fn bytes_to_keep_all{};

}  // namespace repebble::inline v0

#endif
