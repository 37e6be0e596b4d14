#ifndef REPEBBLE_IMPL_PIPELINES_IMPROVE_CHOICES_IPP
#define REPEBBLE_IMPL_PIPELINES_IMPROVE_CHOICES_IPP

#include <repebble/pipelines/detail/improve_choices.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pipelines/detail/choice_fitter.hpp>
#include <repebble/pipelines/detail/flat_order.hpp>

namespace repebble::inline v0::detail {

/// The local search of `find_choices`.
class choice_search {
  public:
    choice_search(pipeline const& p, pass_orders const& orders, std::span<bytes const> budgets)
        : p_(p), orders_(orders), budgets_(budgets), flat_(p, orders) {}

    [[nodiscard]] auto run(std::size_t tries, function_ref<bool()> stop) -> std::optional<timed_choices> {
        std::vector<std::uint32_t> choices(p_.stages.size() * p_.microbatches, 0);
        for (std::size_t r = 0; r < p_.ranks; ++r)
            if (!fit_rank(p_, r, orders_[r], budgets_[r], choices)) return std::nullopt;
        best_ = measured(std::move(choices));
        for (bool better = true; better && tries > 0;) {
            better = false;
            for (auto const i : critical()) {
                if (tries-- == 0 || stop()) return timed_choices{best_.choices, best_.makespan};
                better = try_faster(i);
                if (better || tries == 0) break;
            }
        }
        return timed_choices{best_.choices, best_.makespan};
    }

  private:
    struct state {
        std::vector<std::uint32_t> choices{};
        std::vector<std::int64_t> again{}, ends{};
        std::int64_t makespan{}, recomputed{};
    };
    [[nodiscard]] auto measured(std::vector<std::uint32_t> choices) const -> state {
        state s{std::move(choices)};
        s.again = flat_.recomputed(s.choices);
        s.ends = flat_.ends(s.again);
        s.makespan = s.ends.empty() ? 0 : std::ranges::max(s.ends);
        s.recomputed = std::accumulate(s.again.begin(), s.again.end(), std::int64_t{0});
        return s;
    }
    /// Passes of the longest path that begin with what is computed again, the longest of these first. Sets the slack of
    /// all items.
    [[nodiscard]] auto critical() -> std::vector<std::uint32_t> {
        auto const passes = flat_.passes();
        slack_ = flat_.slacks(best_.again, best_.ends);
        std::vector<std::uint32_t> found;
        for (std::uint32_t i = 0; i < passes.size(); ++i)
            if (best_.again[i] > 0 && slack_[passes[i].item] == 0) found.push_back(i);
        std::ranges::stable_sort(found, std::ranges::greater{}, [&](auto i) { return best_.again[i]; });
        return found;
    }
    [[nodiscard]] auto try_faster(std::uint32_t i) -> bool {
        auto const item = flat_.passes()[i].item;
        auto const stage = flat_.passes()[i].name.stage;
        auto const rank = p_.stages[stage].rank;
        auto choices = best_.choices;
        // The slowest of the faster ones: the others follow in later tries.
        auto const& all = p_.stages[stage].choices;
        auto& choice = choices[item];
        while (choice > 0 && all[choice].recomputation == best_.again[i]) --choice;
        if (!fit_rank(p_, rank, orders_[rank], budgets_[rank], choices, {slack_, item})) return false;
        auto next = measured(std::move(choices));
        if (std::tie(next.makespan, next.recomputed) >= std::tie(best_.makespan, best_.recomputed)) return false;
        best_ = std::move(next);
        return true;
    }

    pipeline const& p_;
    pass_orders const& orders_;
    std::span<bytes const> budgets_;
    flat_order flat_;
    state best_;
    std::vector<std::int64_t> slack_;  // by item
};

REPEBBLE_INLINE auto find_choices(pipeline const& p, pass_orders const& orders, std::span<bytes const> budgets,
                                  std::size_t tries, function_ref<bool()> stop) -> std::optional<timed_choices> {
    return choice_search(p, orders, budgets).run(tries, stop);
}

}  // namespace repebble::inline v0::detail

#endif
