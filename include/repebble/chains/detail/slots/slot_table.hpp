#ifndef REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_TABLE_HPP
#define REPEBBLE_CHAINS_DETAIL_SLOTS_SLOT_TABLE_HPP

// The dynamic program of Beaumont et al. 2019, section 4, on memory in slots: tiles of subchains solved by
// antidiagonals, the tiles of one in parallel; then the traceback. Used by chain_frontier.hpp.
// Invariant: rows do not depend on the number of threads. Decisions are not stored but recomputed by the traceback.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/detail/slots/slot_kernel.hpp>
#include <repebble/chains/detail/slots/slot_rows.hpp>
#include <repebble/chains/detail/slots/slot_tiles.hpp>
#include <repebble/chains/detail/traceback.hpp>
#include <repebble/chains/slot_costs.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/thread_team.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The rows of overheads of all subchains. The row of (i, l) counts the slots of its input; so a split at checkpoint j
/// reads rows (j, l) and (i, j - 1) at the same slots for every j, and the subchains of a tile share these reads.
/// O(L³ S) time, O(L² S) space for L stages and S slots.
template <class Lane>
class slot_table {
  public:
    /// Where stop(), asked after each diagonal of tiles, returns true, it is not complete, and nothing else counts.
    slot_table(chain_sums const& sums, slot_costs const& costs, slot_count slots, std::size_t threads,
               stop_test stop = never_stop{})
        : solution_(sums, costs, slots), store_(std::clamp<std::size_t>(threads, 1, thread_team::most)) {
        auto const tiles = (solution_.size + subchain_tile::side - 1) / subchain_tile::side;
        thread_team workers(std::min<std::size_t>(threads, tiles));
        std::vector<slot_kernel<Lane>> at_work(workers.size(), slot_kernel<Lane>(solution_));
        for (std::uint32_t apart = 0; apart < tiles; ++apart) {
            if (stop()) return;
            workers.for_each(tiles - apart, [&](std::size_t k, std::size_t worker) {
                auto const i = static_cast<std::uint32_t>(k);
                at_work[worker].solve({i, i + apart}, store_, worker);
            });
        }
        complete_ = true;
    }

    [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }

    /// The overhead of the whole chain within a number of slots, its input's included; nothing where no plan fits.
    [[nodiscard]] auto overhead(slot_count slots) const -> std::optional<std::int64_t> {
        auto const found = solution_.row(0, solution_.size - 1).at(slots);
        if (found >= solution_.none) return std::nullopt;
        return static_cast<std::int64_t>(found);
    }
    /// A plan with that overhead.  Requires: one fits.
    [[nodiscard]] auto actions_within(slot_count slots) const -> chain_actions {
        return actions_of<slot_count>(solution_.sums, {0, solution_.size - 1, 0}, slots - solution_.costs.value(0),
                                      [&](subchain const& p, slot_count left) { return best_choice(p, left); });
    }

  private:
    /// The first decision of least overhead within the slots that are left.  Requires: a plan fits.
    [[nodiscard]] auto best_choice(subchain const& p, slot_count left) const -> subchain_choice<slot_count> {
        using choice = subchain_choice<slot_count>;
        auto const [i, l, end] = p;
        choice best;
        auto least = solution_.none;
        auto const offer = [&](Lane sum, choice const& c) {
            if (!(sum < least)) return;
            least = sum;
            best = c;
        };
        auto const keep = solution_.costs.keeps(i, l + 1).back();
        for (std::uint32_t tape = 0; tape < solution_.sums.stage(i).tapes.size(); ++tape) {
            if (left < solution_.costs.save(i, tape, l, keep)) continue;
            auto const extra = static_cast<Lane>(solution_.sums.stage(i).tapes[tape].extra_time);
            auto const saved = solution_.costs.saved(i, tape);
            auto const rest = i == l         ? Lane{}
                              : left < saved ? solution_.none
                                             : solution_.row(i + 1, l).at(left - saved + solution_.costs.value(i + 1));
            offer(extra + rest, {choice::kind::save, i, tape, i == l ? 0 : saved});
        }
        if (left >= keep)
            for (auto j = i + 1; j <= l; ++j)
                if (solution_.costs.value(j) <= left)
                    offer(solution_.forward[j] - solution_.forward[i] + solution_.row(j, l).at(left) +
                              solution_.row(i, j - 1).at(left + solution_.costs.value(i)),
                          {choice::kind::keep, j, 0, solution_.costs.value(j)});
        REPEBBLE_ASSERT(least < solution_.none);
        return best;
    }

    slot_tiles<Lane> solution_;
    slot_store<Lane> store_;
    bool complete_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
