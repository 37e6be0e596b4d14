#ifndef REPEBBLE_CHAINS_DETAIL_OVERLAP_COPIES_HPP
#define REPEBBLE_CHAINS_DETAIL_OVERLAP_COPIES_HPP

// Moves copies in to the front and discards after copies out to the back, as far as the bytes of a budget allow, so
// that more computations run beside the copies. solve_offloaded.hpp does so with its plans.

#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::detail {

/// A step, at most so many bytes in the device pool during it, and those of the value that it names.
struct step_and_bytes {
    step<> of;
    bytes during = 0, size = 0;
};

/// Tells steps that name the same value.
[[nodiscard]] inline auto same_value(step<> const& a, step<> const& b) -> bool {
    return a.what != action::compute && b.what != action::compute && a.vertex == b.vertex && a.output == b.output;
}

/// The last step before `from` that names the same value.
[[nodiscard]] inline auto last_naming(std::vector<step_and_bytes> const& all, std::size_t from) -> std::size_t {
    auto k = from;
    while (k > 0 && !same_value(all[k - 1].of, all[from].of)) --k;
    return k > 0 ? k - 1 : all.size();
}

/// Values stay in the device pool where there are bytes for them until they are copied in, those that leave for the
/// shortest time first.  O(steps²) at worst.
inline void leave_out_copies(std::vector<step_and_bytes>& all, bytes budget) {
    std::vector<char> out(all.size(), 0);
    for (std::size_t in = 0; in < all.size(); ++in) {
        if (all[in].of.what != action::prefetch) continue;
        auto const left = last_naming(all, in);
        if (left == all.size() || all[left].of.what != action::discard) continue;
        auto const size = all[in].size;
        bool fits = true;
        for (auto k = left + 1; k < in && fits; ++k) fits = all[k].during + size <= budget;
        if (!fits) continue;
        for (auto k = left + 1; k < in; ++k) all[k].during += size;
        out[left] = out[in] = 1;
    }
    for (std::size_t from = 0; from < all.size(); ++from) {
        if (all[from].of.what != action::offload) continue;
        auto end = from + 1;  // the discard from the host pool, or a copy in
        while (end < all.size() && (out[end] != 0 || !same_value(all[end].of, all[from].of) ||
                                    (all[end].of.what == action::discard && all[end].of.from == pool::device)))
            ++end;
        if (end < all.size() && all[end].of.what == action::discard) out[from] = out[end] = 1;
    }
    std::size_t kept = 0;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (out[k] == 0) all[kept++] = all[k];
    all.resize(kept);
}

/// Each copy in moves before earlier steps, down to the last one that names its value, while its bytes fit beside them;
/// each discard of a value that was just copied out moves behind later steps.  O(steps²) at worst.
inline void overlap_copies(std::vector<step_and_bytes>& all, bytes budget) {
    for (std::size_t from = 0; from < all.size(); ++from)
        if (all[from].of.what == action::prefetch)
            for (auto k = from; k > 0; --k) {
                auto& earlier = all[k - 1];
                if (same_value(earlier.of, all[k].of) || earlier.of.what == action::prefetch ||
                    earlier.during + all[k].size > budget)
                    break;
                earlier.during += all[k].size;
                all[k].during = earlier.during;
                std::swap(all[k - 1], all[k]);
            }
    for (auto from = all.size(); from-- > 0;) {
        if (all[from].of.what != action::discard || all[from].of.from != pool::device) continue;
        auto const copied = last_naming(all, from);
        if (copied == all.size() || all[copied].of.what != action::offload) continue;
        for (auto k = from; k + 1 < all.size(); ++k) {
            auto& later = all[k + 1];
            if (same_value(later.of, all[k].of) || later.during + all[k].size > budget) break;
            later.during += all[k].size;
            all[k].during = later.during;
            std::swap(all[k + 1], all[k]);
        }
    }
}

}  // namespace repebble::inline v0::detail

#endif
