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
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// What several moments together say of the time of schedules within a budget: to the first moment others are added,
/// one after the other. First those at which the best choice so far, when it is played, holds too much: the bound of
/// the longer chain rules it out. Then those that raise the bound most, which shows when their searches have run for a
/// while: all begin, and the better half goes on, again and again.
class multi_cut_bound {
  public:
    /// `moments`: operations that run in every schedule, the best alone first; `bound`: what that says; `unit`: in
    /// which bytes are counted (`byte_units`).  Requires: some moment.
    multi_cut_bound(planning_model const& m, bytes budget, bytes unit, std::span<operation_index const> moments,
                    std::int64_t bound)
        : m_(m), budget_(budget), unit_(unit), moments_(moments.begin(), moments.end()), bound_(bound) {
        chain_.emplace_back(m, moments.front());
    }
    /// The same of those schedules only in which `order.first` runs before `order.second`: begins with the best moment
    /// alone, and of those two whichever comes before or after it in all of them.  Requires: they run in every
    /// schedule.
    [[nodiscard]] auto with_order(first_run_order order) const -> multi_cut_bound {
        multi_cut_bound those(m_, budget_, unit_, moments_, bound_);
        those.orders_ = orders_;
        those.orders_.push_back(order);
        those.chain_.clear();
        for (auto const v : {moments_.front(), order.first, order.second})
            if (auto longer = those.with_moment(v)) those.chain_ = std::move(*longer);
        return those;
    }

    /// Goes on until the bound is `enough`, the overhead of a known plan, or more than any is allowed; computes about
    /// as many `flows` over the model for one moment, or until `stop()` says so.  Returns how many.
    auto improve(std::int64_t enough, std::size_t flows, stop_test stop) -> std::size_t {
        constexpr std::size_t most_moments = 8;
        work left{flows, 0};
        auto const over = [&] { return left.is_spent() || bound_ >= enough || infeasible_ || stop(); };
        if (search_) search_->lower(enough);
        while (!over()) {
            bool const full = chain_.size() >= most_moments;
            if (search_) divide(*search_, left, full ? left.rest() : left.rest() / 6, stop);
            if (full || over()) break;
            auto longer = search_ ? overfull_longer(enough, left, stop) : begun(chain_, enough, left, stop);
            if (!longer && search_ && !search_->is_settled()) {
                divide(*search_, left, left.rest() / 3, stop);
                if (search_->is_settled()) continue;
            }
            if (!longer && !over()) longer = best_longer(enough, left, left.rest() / 2, stop);
            if (!longer) {
                if (search_) divide(*search_, left, left.rest(), stop);
                break;
            }
            chain_ = longer->cuts();
            search_ = std::move(longer);
            refused_.clear();
            round_rooms(left, stop);
            split_costs(left, stop);
        }
        return left.done;
    }

    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }
    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    /// By the best choice so far at these moments; nothing where none was met, or where it takes more than `limit`
    /// computations.
    [[nodiscard]] auto computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
        if (!search_ || search_->best().empty()) return std::nullopt;
        return sequence_of_cuts(search_->cuts(), search_->best(), recomputed::stays, limit);
    }
    [[nodiscard]] auto moments() const noexcept -> std::vector<operation_index> const& { return moments_; }
    [[nodiscard]] auto orders() const noexcept -> std::vector<first_run_order> const& { return orders_; }
    /// The moments that were found to say most together.
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
        auto const moments = search.cuts().size();
        auto const before = search.flows();
        go_on([&] { return (search.flows() - before) * moments >= most || stop(); });
        note(search);
        left.done += (search.flows() - before) * moments;
    }
    void divide(multi_cut_search& search, work& left, std::size_t most, stop_test stop) {
        spend(search, left, most, stop, [&](stop_test over) { search.divide(over); });
    }
    void round_rooms(work& left, stop_test stop) {
        spend(*search_, left, left.rest() / 4 + 1, stop, [&](stop_test over) { search_->round_rooms(over); });
    }
    /// Of the chain, where it is short: between many moments there are many blocks.
    void split_costs(work& left, stop_test stop) {
        constexpr std::size_t most_moments = 4, most_steps = 250, least_work = 4500;  // or it says little
        if (chain_.size() > most_moments || left.is_spent()) return;
        auto const most = std::max(left.rest() / 2, least_work) + 1;
        spend(*search_, left, most, stop, [&](stop_test over) { search_->split_costs(most_steps, over); });
    }
    void note(multi_cut_search const& search) {
        infeasible_ = infeasible_ || search.infeasible();
        if (!infeasible_) bound_ = std::max(bound_, search.bound());
    }
    /// The search of a longer chain, that has not divided yet.
    auto begun(std::vector<first_run_cut> chain, std::int64_t enough, work& left, stop_test stop)
        -> std::optional<multi_cut_search> {
        constexpr std::size_t climbs = 30;
        std::optional<multi_cut_search> search;
        search.emplace(std::move(chain), budget_, unit_, enough, climbs, stop);
        left.done += search->flows() * search->cuts().size();
        note(*search);
        return search;
    }
    /// The search with one moment more, of those at which the best choice so far holds most beyond the budget: the one
    /// that says most after a while. Nothing where there is none, or where it says no more than what goes on.
    auto overfull_longer(std::int64_t enough, work& left, stop_test stop) -> std::optional<multi_cut_search> {
        constexpr int most_tried = 3;
        auto const played = computations(step_limit(m_));
        if (!played) return std::nullopt;
        auto const part = left.rest() / (4 * most_tried);
        std::optional<multi_cut_search> best;
        int tried = 0;
        for (auto const v : violated_cuts(m_, *played, budget_)) {
            if (!search_->is_settled() && std::ranges::find(refused_, v) != refused_.end()) continue;
            auto longer = with_moment(v);
            if (!longer) continue;
            auto search = begun(std::move(*longer), enough, left, stop);
            if (infeasible_ || bound_ >= enough) return search;
            divide(*search, left, part, stop);
            refused_.push_back(v);
            if (!best || search->bound() > best->bound()) best = std::move(search);
            if (++tried == most_tried || left.is_spent() || stop()) break;
        }
        // The least time at the longer chain is no less than that at the chain, if that is known.
        if (best && (search_->is_settled() || best->bound() > search_->bound())) return best;
        return std::nullopt;
    }
    /// The search with one moment more that says most; nothing where none says more than what is known.
    auto best_longer(std::int64_t enough, work& left, std::size_t most, stop_test stop)
        -> std::optional<multi_cut_search> {
        constexpr std::size_t climbs = 10;
        constexpr std::ptrdiff_t most_bounding = 4, most_promising = 12;
        auto const known = search_ ? search_->bound() : bound_;
        auto const end = left.done + most;
        std::vector<multi_cut_search> tried;
        auto const over = [&] { return bound_ >= enough || infeasible_ || left.done >= end || stop(); };
        // A third of the work to begin them, and the rest in equal parts for each half of those that are left.
        for (auto const v : moments_) {
            if (over() || left.done + 2 * most / 3 > end) break;
            auto longer = with_moment(v);
            if (!longer) continue;
            auto const& search = tried.emplace_back(std::move(*longer), budget_, unit_, enough, climbs, stop);
            left.done += search.flows() * search.cuts().size();
            note(search);
        }
        // Those that say most now, and those that promise most; of those that say the same, one.
        auto const say = [](multi_cut_search const& s) { return std::pair(s.bound(), s.promise()); };
        std::ranges::stable_sort(tried, std::greater<>{}, say);
        auto const same = std::ranges::unique(tried, {}, say);
        tried.erase(same.begin(), same.end());
        auto const rest = tried.begin() + std::min(most_bounding, std::ssize(tried));
        std::ranges::stable_sort(rest, tried.end(), std::greater<>{}, &multi_cut_search::promise);
        tried.erase(rest + std::min(most_promising, tried.end() - rest), tried.end());
        std::size_t halves = 1;
        while ((tried.size() >> halves) > 0) ++halves;
        auto const part = (end - std::min(end, left.done)) / halves;
        while (!tried.empty() && !over()) {
            for (auto& search : tried)
                if (!over()) divide(search, left, tried.size() > 1 ? part / tried.size() : end - left.done, stop);
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
    /// Nothing where schedules differ in which of the moments comes first.
    auto with_moment(operation_index v) const -> std::optional<std::vector<first_run_cut>> {
        return insert_cut(chain_, first_run_cut(m_, v, orders_));
    }

    planning_model const& m_;
    bytes budget_, unit_;
    std::vector<operation_index> moments_;
    std::vector<first_run_order> orders_;
    std::vector<first_run_cut> chain_;
    std::optional<multi_cut_search> search_;  // of the chain, but for that of one moment
    std::vector<operation_index> refused_;    // of overfull moments
    std::int64_t bound_;
    bool infeasible_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
