#ifndef REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_SEARCH_HPP

// The search for decisions that fit the budgets and take little time: copies of what is used last (`fill`, Belady
// 1966), as many recomputations of an order as pay (`remake_first`), greedy at the fullest step by judged time per
// byte, then simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983) of single decisions, exchanges, and decisions with
// those of the inputs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/swapping/swap_decoder.hpp>

namespace repebble::inline v0::detail {

class swap_search {
  public:
    struct found {
        swap_decisions decisions;
        swap_cost cost;
    };

    explicit swap_search(swap_gaps const& p, std::uint64_t seed);

    /// What a byte above the budget costs in the annealing's energy: first a little more than the time per byte that
    /// the budget saves, in the end much more.
    void set_price(double overhead, bytes saved) {
        price_ = std::max(overhead, p_.model().effort.least_swap_price * static_cast<double>(p_.model().time_once)) /
                 static_cast<double>(std::max<bytes>(1, saved));
    }
    [[nodiscard]] auto decoder() noexcept -> swap_decoder& { return decoder_; }
    /// The best decisions so far that fit.
    [[nodiscard]] auto best() const noexcept -> std::optional<found> const& { return best_; }
    /// Offers decisions from elsewhere.
    auto consider(swap_decisions const& d) -> swap_cost {
        auto const c = decoder_.cost(d);
        note(d, c);
        return c;
    }

    /// From `d` on, the cheapest of these choices by time per byte at the fullest step, until the list fits or nothing
    /// helps.
    auto greedy(swap_decisions d, std::initializer_list<gap_choice> choices, function_ref<bool()> stop)
        -> swap_decisions;

    /// What is held is copied where it does not fit, that with the furthest next use first (Belady 1966).
    /// O(gaps log gaps).
    [[nodiscard]] auto fill(swap_decisions d) const -> swap_decisions;

    /// From `d`, of the decisions that remake the first gaps of `ranked` and are filled, the fastest. A heuristic:
    /// it tries sixteenths of all, then finer parts about the best. Returns them before they are filled.  O(list) for
    /// each try.
    auto remake_first(swap_decisions d, std::span<std::uint32_t const> ranked, function_ref<bool()> stop)
        -> swap_decisions;

    /// One pass over the gaps, the largest values first: each is held or remade, whatever takes less time when filled.
    /// O(gaps · list).
    auto descend(swap_decisions d, function_ref<bool()> stop) -> swap_decisions;

    /// Leaves so many of the decisions, each once: those of least energy.  O(list) for each.
    void keep_best(std::vector<swap_decisions>& some, std::size_t most);

    /// So many moves from `d` on, from the first temperature to the last, each a share of the time of everything once;
    /// or until stop(), which is asked now and then.  Returns the last decisions.
    auto anneal(swap_decisions d, std::size_t moves, double hot, double cold, function_ref<bool()> stop)
        -> swap_decisions;

  private:
    struct change {  // to what was before
        std::uint32_t gap;
        gap_choice choice;
        std::uint8_t stays;
    };

    [[nodiscard]] auto excess(swap_cost const& c) const -> double {
        return static_cast<double>(c.most_above) + c.all_above;
    }
    [[nodiscard]] auto energy_of(swap_cost const& c) const -> double {
        if (c.is_too_long) return std::numeric_limits<double>::infinity();
        return static_cast<double>(c.time) + per_byte_ * excess(c);
    }
    void note(swap_decisions const& d, swap_cost const& c) {
        if (c.fits() && (!best_ || c.time < best_->cost.time)) best_ = found{d, c};
    }

    [[nodiscard]] auto any_gap() -> std::uint32_t { return open_[random_.below(open_.size())]; }
    [[nodiscard]] auto any_choice() -> gap_choice;

    void set(swap_decisions& d, std::uint32_t gap, gap_choice c) {
        if (d.choice[gap] == c || !p_.allows(gap, c)) return;
        changes_.push_back({gap, d.choice[gap], d.stays[gap]});
        d.choice[gap] = c;
    }
    void propose(swap_decisions& d);
    /// Draws the choice of a gap, and of some of the gaps in which what its producer reads lies when the gap ends.
    void propose_with_inputs(swap_decisions& d, std::uint32_t gap);

    swap_gaps const& p_;
    swap_decoder decoder_;
    split_mix random_;
    double per_byte_ = 0, price_ = 0;
    std::vector<std::uint32_t> open_;  // gaps in which a choice matters
    std::vector<change> changes_;
    std::optional<found> best_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/swapping/swap_search.ipp>
#endif

#endif
