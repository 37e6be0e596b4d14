#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_BOUND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/bounds/several_cuts/insert_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>
#include <repebble/planner/detail/bounds/several_cuts/violated_cuts.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// What several cuts together by_bound of the time of schedules within a budget: to the first cut others are added,
/// one after the other. First those at which the best choice so far, when it is played, holds too much: the bound of
/// the longer chain rules it out. Then those that raise the bound most, which shows when their searches have run for a
/// while: all begin, and the better half goes on, again and again.
class multi_cut_bound {
  public:
    /// `cuts`: operations that run in every schedule, the best alone first; `bound`: what that says; `unit`: in
    /// which bytes are counted (`byte_units`).  Requires: some cut.
    multi_cut_bound(planning_model const& m, bytes budget, bytes unit, std::span<operation_index const> candidates,
                    std::int64_t bound)
        : m_(m), budget_(budget), unit_(unit), candidates_(candidates.begin(), candidates.end()), bound_(bound) {
        chain_.emplace_back(m, candidates.front());
    }
    /// The same of those schedules only in which `order.first` runs before `order.second`: begins with the best cut
    /// alone, and of those two whichever comes before or after it in all of them.  Requires: they run in every
    /// schedule.
    [[nodiscard]] auto with_order(first_run_order order) const -> multi_cut_bound {
        multi_cut_bound those(m_, budget_, unit_, candidates_, bound_);
        those.orders_ = orders_;
        those.orders_.push_back(order);
        those.chain_.clear();
        for (auto const v : {candidates_.front(), order.first, order.second})
            if (auto longer = those.with_cut(v)) those.chain_ = std::move(*longer);
        return those;
    }

    /// Goes on until the bound is `cutoff`, the overhead of a known plan, or more than any is allowed; computes about
    /// as many `flows` over the model for one cut, or until `stop()` says so.  Returns how many.
    auto improve(std::int64_t cutoff, std::size_t flows, stop_test stop) -> std::size_t {
        work left{flows, 0};
        auto const over = [&] { return left.is_spent() || bound_ >= cutoff || infeasible_ || stop(); };
        if (search_) search_->lower(cutoff);
        while (!over()) {
            bool const full = chain_.size() >= effort::most_cuts;
            if (search_) branch(*search_, left, full ? left.rest() : left.rest() / effort::branch_part, stop);
            if (full || over()) break;
            auto longer = search_ ? with_violated_cut(cutoff, left, stop) : started(chain_, cutoff, left, stop);
            if (!longer && search_ && !search_->is_settled()) {
                branch(*search_, left, left.rest() / effort::settle_part, stop);
                if (search_->is_settled()) continue;
            }
            if (!longer && !over()) longer = with_best_cut(cutoff, left, left.rest() / effort::trial_part, stop);
            if (!longer) {
                if (search_) branch(*search_, left, left.rest(), stop);
                break;
            }
            chain_ = longer->cuts();
            search_ = std::move(longer);
            rejected_.clear();
            round_capacities(left, stop);
            split_costs(left, stop);
        }
        return left.done;
    }

    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }
    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    /// By the best choice so far at these cuts; nothing where none was met, or where it takes more than `limit`
    /// computations.
    [[nodiscard]] auto computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
        if (!search_ || search_->best().empty()) return std::nullopt;
        return sequence_of_cuts(search_->cuts(), search_->best(), recomputed_until::last_use, limit);
    }
    [[nodiscard]] auto candidates() const noexcept -> std::vector<operation_index> const& { return candidates_; }
    [[nodiscard]] auto orders() const noexcept -> std::vector<first_run_order> const& { return orders_; }
    /// The cuts that were found to by_bound most together.
    [[nodiscard]] auto chain() const noexcept -> std::vector<first_run_cut> const& { return chain_; }

  private:
    struct work {
        std::size_t most, done;
        [[nodiscard]] auto rest() const -> std::size_t { return most - std::min(done, most); }
        [[nodiscard]] auto is_spent() const -> bool { return done >= most; }
    };

    /// Calls go_on(over) for a search, until over() says that so much of the work is done, or `stop()` does.
    void spend(multi_cut_search& search, work& left, std::size_t most, stop_test stop,
               function_ref<void(stop_test)> go_on) {
        auto const cut_count = search.cuts().size();
        auto const before = search.flows();
        go_on([&] { return (search.flows() - before) * cut_count >= most || stop(); });
        note(search);
        left.done += (search.flows() - before) * cut_count;
    }
    void branch(multi_cut_search& search, work& left, std::size_t most, stop_test stop) {
        spend(search, left, most, stop, [&](stop_test over) { search.branch(over); });
    }
    void round_capacities(work& left, stop_test stop) {
        spend(*search_, left, left.rest() / effort::row_part + 1, stop,
              [&](stop_test over) { search_->round_capacities(over); });
    }
    /// Of the chain, where it is short: between many cuts there are many blocks.
    void split_costs(work& left, stop_test stop) {
        if (chain_.size() > effort::most_split_cuts || left.is_spent()) return;
        auto const most = std::max(left.rest() / effort::split_part, effort::least_split_work) + 1;
        spend(*search_, left, most, stop, [&](stop_test over) { search_->split_costs(effort::split_steps, over); });
    }
    void note(multi_cut_search const& search) {
        infeasible_ = infeasible_ || search.infeasible();
        if (!infeasible_) bound_ = std::max(bound_, search.bound());
    }
    /// The search of a longer chain, that has not divided yet.
    auto started(std::vector<first_run_cut> chain, std::int64_t cutoff, work& left, stop_test stop)
        -> std::optional<multi_cut_search> {
        std::optional<multi_cut_search> search;
        search.emplace(std::move(chain), budget_, unit_, cutoff, effort::root_steps, stop);
        left.done += search->flows() * search->cuts().size();
        note(*search);
        return search;
    }
    /// The search with one cut more, of those at which the best choice so far holds most beyond the budget: the one
    /// that says most after a while. Nothing where there is none, or where it says no more than what goes on.
    auto with_violated_cut(std::int64_t cutoff, work& left, stop_test stop) -> std::optional<multi_cut_search> {
        auto const played = computations(step_limit(m_));
        if (!played) return std::nullopt;
        auto const part = left.rest() / (effort::violated_part * effort::violated_trials);
        std::optional<multi_cut_search> best;
        int tried = 0;
        for (auto const v : violated_cuts(m_, *played, budget_)) {
            if (!search_->is_settled() && std::ranges::find(rejected_, v) != rejected_.end()) continue;
            auto longer = with_cut(v);
            if (!longer) continue;
            auto search = started(std::move(*longer), cutoff, left, stop);
            if (infeasible_ || bound_ >= cutoff) return search;
            branch(*search, left, part, stop);
            rejected_.push_back(v);
            if (!best || search->bound() > best->bound()) best = std::move(search);
            if (++tried == effort::violated_trials || left.is_spent() || stop()) break;
        }
        // The least time at the longer chain is no less than that at the chain, if that is known.
        if (best && (search_->is_settled() || best->bound() > search_->bound())) return best;
        return std::nullopt;
    }
    /// The search with one cut more that says most; nothing where none says more than what is known.
    auto with_best_cut(std::int64_t cutoff, work& left, std::size_t most, stop_test stop)
        -> std::optional<multi_cut_search> {
        auto const known = search_ ? search_->bound() : bound_;
        auto const end = left.done + most;
        std::vector<multi_cut_search> tried;
        auto const over = [&] { return bound_ >= cutoff || infeasible_ || left.done >= end || stop(); };
        // A third of the work to begin them, and the rest in equal parts for each half of those that are left.
        for (auto const v : candidates_) {
            if (over() || left.done + 2 * most / 3 > end) break;
            auto longer = with_cut(v);
            if (!longer) continue;
            auto const& search =
                tried.emplace_back(std::move(*longer), budget_, unit_, cutoff, effort::trial_steps, stop);
            left.done += search.flows() * search.cuts().size();
            note(search);
        }
        // Those that by_bound most now, and those that promise most; of those that by_bound the same, one.
        auto const by_bound = [](multi_cut_search const& s) { return std::pair(s.bound(), s.estimate()); };
        std::ranges::stable_sort(tried, std::greater<>{}, by_bound);
        auto const same = std::ranges::unique(tried, {}, by_bound);
        tried.erase(same.begin(), same.end());
        auto const rest = tried.begin() + std::min(effort::trials_by_bound, std::ssize(tried));
        std::ranges::stable_sort(rest, tried.end(), std::greater<>{}, &multi_cut_search::estimate);
        tried.erase(rest + std::min(effort::trials_by_estimate, tried.end() - rest), tried.end());
        std::size_t halves = 1;
        while ((tried.size() >> halves) > 0) ++halves;
        auto const part = (end - std::min(end, left.done)) / halves;
        while (!tried.empty() && !over()) {
            for (auto& search : tried)
                if (!over()) branch(search, left, tried.size() > 1 ? part / tried.size() : end - left.done, stop);
            if (tried.size() == 1) break;
            auto const half = std::ssize(tried) / 2;
            std::erase_if(tried, [&](auto const& s) { return s.is_solved() && s.bound() <= known; });
            std::ranges::stable_sort(tried, std::greater<>{}, &multi_cut_search::bound);
            if (std::ssize(tried) > half) tried.erase(tried.begin() + half, tried.end());
        }
        std::ranges::stable_sort(tried, std::greater<>{}, &multi_cut_search::bound);
        if (tried.empty() || tried.front().bound() <= known) return std::nullopt;
        return std::move(tried.front());
    }
    /// Nothing where schedules differ in which of the cuts comes first.
    auto with_cut(operation_index v) const -> std::optional<std::vector<first_run_cut>> {
        return insert_cut(chain_, first_run_cut(m_, v, orders_));
    }

    planning_model const& m_;
    bytes budget_, unit_;
    std::vector<operation_index> candidates_;
    std::vector<first_run_order> orders_;
    std::vector<first_run_cut> chain_;
    std::optional<multi_cut_search> search_;  // of the chain, but for that of one cut
    std::vector<operation_index> rejected_;   // of overfull cuts
    std::int64_t bound_;
    bool infeasible_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
