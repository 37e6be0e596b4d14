#ifndef REPEBBLE_CHAINS_BYTES_TO_KEEP_ALL_HPP
#define REPEBBLE_CHAINS_BYTES_TO_KEEP_ALL_HPP

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
        bytes rest = 0;     // beside its input, of the stages after i
        bytes running = 0;  // with the published test: to run them forward, but for the last
        for (auto i = n; i-- > 0;) {
            auto const& tapes = sums.stage(i).tapes;
            auto const alone = sums.stage(i).output + sums.stage(i).workspace;
            bool const published = test == memory_test::published && i + 1 < n;
            if (published) running = std::max(running, alone);
            auto const extra = std::ranges::min_element(tapes, {}, &stage_tape<Time>::extra_time)->extra_time;
            bytes least = std::numeric_limits<bytes>::max();
            for (std::size_t how = 0; how < tapes.size(); ++how) {
                if (tapes[how].extra_time != extra) continue;
                auto const forward = published ? std::max(sums.gradient(i + 1) + sums.saving(i, how), waiting + running)
                                               : waiting + sums.saving(i, how);
                auto const after = i + 1 < n ? tapes[how].saved + rest : 0;
                least = std::min(least, std::max({forward, sums.reversing(i, how), after}));
            }
            rest = least;
            if (published) running = std::max(running, sums.value(i) + alone);
        }
        return of.input + rest;
    }
};

}  // namespace detail

/// The least budget with which every stage of a chain runs forward once only, and saves by its fastest way: there the
/// curve of `solve_chain` ends, unless it makes something again that takes no time.  O(stages + tapes).
/// Throws as `solve_chain` does for a chain that is none.
inline constexpr detail::bytes_to_keep_all_fn bytes_to_keep_all{};

}  // namespace repebble::inline v0

#endif
