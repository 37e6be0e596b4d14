#ifndef REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_UNIT_HPP
#define REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_UNIT_HPP

// Fits the size of a slot to the sizes of a chain, so that rounding changes them little: networks have few different
// sizes. Used by chain_frontier.hpp where `fit_slots`.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The rounding error of slot sizes, for the sizes of a chain.
class slot_unit {
  public:
    slot_unit(chain_sums const& sums, slot_rounding round) : round_(round) {
        std::map<bytes, std::size_t> sizes;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            ++sizes[sums.value(i)];
            for (auto const& tape : sums.stage(i).tapes) ++sizes[tape.saved];
        }
        for (auto const& [size, count] : sizes) {
            sizes_.emplace_back(count, size);
            all_ += static_cast<double>(size) * static_cast<double>(count);
        }
        sort_by(sizes_, std::greater<>{});
    }

    /// The sum of all rounding errors as a share of the sum of all sizes, for slots of `unit` bytes. O(different
    /// sizes).
    [[nodiscard]] auto change(bytes unit) const -> double {
        double changed = 0;
        for (auto const& [count, size] : sizes_) {
            auto const rest = size % unit;
            auto const up = rest == 0 ? 0 : unit - rest;
            auto const by = round_ == slot_rounding::down ? rest
                            : round_ == slot_rounding::up ? up
                                                          : std::min(rest, up);
            changed += static_cast<double>(by) * static_cast<double>(count);
        }
        return all_ > 0 ? changed / all_ : 0;
    }
    /// The slot size between `least` and 2 `least` of least rounding error, among some thousand candidates that divide
    /// a frequent size. O(different sizes) for each candidate.
    [[nodiscard]] auto best_from(bytes least) const -> bytes {
        auto best = least;
        auto by = change(best);
        constexpr std::size_t few = 64;    // the most frequent sizes that are tried
        constexpr bytes most_wholes = 64;  // numbers of slots that are tried for each of them
        for (std::size_t k = 0; k < std::min(few, sizes_.size()); ++k) {
            auto const size = sizes_[k].second;
            auto const first = size / least / 2;
            for (auto whole = std::max<bytes>(1, first); whole <= size / least && whole < first + most_wholes;
                 ++whole) {
                auto const unit =
                    round_ == slot_rounding::down ? size / whole : size / whole + (size % whole > 0 ? 1 : 0);
                if (unit < least || unit - least > least) continue;
                if (auto const less = change(unit); less < by) {
                    by = less;
                    best = unit;
                }
            }
        }
        return best;
    }

  private:
    slot_rounding round_;
    std::vector<std::pair<std::size_t, bytes>> sizes_;  // count and size, the most frequent first
    double all_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
