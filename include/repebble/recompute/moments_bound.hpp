#ifndef REPEBBLE_RECOMPUTE_MOMENTS_BOUND_HPP
#define REPEBBLE_RECOMPUTE_MOMENTS_BOUND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/recompute/cut_sequence.hpp>
#include <repebble/recompute/hold_cut.hpp>
#include <repebble/recompute/moments_search.hpp>
#include <repebble/recompute/search_model.hpp>

namespace repebble::detail {

/// What several moments together say of the time of schedules within a budget: to the first moment those are added that
/// raise the bound most, one after the other. Which those are shows when their searches have run for a while: all
/// begin, and the better half goes on, again and again.
class moments_bound {
  public:
    /// `moments`: operations that run in every schedule, the best alone first; `bound`: what that says; `unit`: in
    /// which bytes are counted (`byte_units`).  Requires: some moment.
    moments_bound(search_model const& m, bytes budget, bytes unit, std::span<operation_index const> moments,
                  std::int64_t bound)
        : m_(m), budget_(budget), unit_(unit), moments_(moments.begin(), moments.end()), bound_(bound) {
        chain_.emplace_back(m, moments.front());
    }

    /// Goes on until the bound is `enough`, the overhead of a known plan, or more than any is allowed; computes about
    /// as many `flows` over the model for one moment, or until `stop()` says so.
    template <class Stop>
    void improve(std::int64_t enough, std::size_t flows, Stop&& stop) {
        constexpr std::size_t most_moments = 7;
        work left{flows, 0};
        auto const over = [&] { return left.is_spent() || stop(); };
        if (search_) search_->lower(enough);
        while (!over() && bound_ < enough && !infeasible_) {
            if (search_) divide(*search_, left, chain_.size() == most_moments ? left.rest() : left.rest() / 4, stop);
            if (chain_.size() == most_moments || over() || bound_ >= enough || infeasible_) break;
            if (auto longer = best_longer(enough, left, left.rest() / 2, stop)) {
                chain_ = longer->cuts();
                search_ = std::move(longer);
            } else {
                if (search_) divide(*search_, left, left.rest(), stop);
                break;
            }
        }
    }

    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }
    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }
    /// By the best choice so far at these moments; nothing where none was met, or where it takes more than `limit`
    /// computations.
    [[nodiscard]] auto computations(std::size_t limit) const -> std::optional<std::vector<operation_index>> {
        if (!search_ || search_->best().empty()) return std::nullopt;
        return cut_sequence(search_->cuts(), search_->best(), recomputed::stays, limit);
    }
    /// The moments that were found to say most together.
    [[nodiscard]] auto chain() const noexcept -> std::vector<hold_cut> const& { return chain_; }

  private:
    struct work {
        std::size_t most, done;
        [[nodiscard]] auto rest() const -> std::size_t { return most - std::min(done, most); }
        [[nodiscard]] auto is_spent() const -> bool { return done >= most; }
    };

    /// Goes on with a search, by so much of the work.
    template <class Stop>
    void divide(moments_search& search, work& left, std::size_t most, Stop&& stop) {
        auto const moments = search.cuts().size();
        auto const before = search.flows();
        search.divide([&] { return (search.flows() - before) * moments >= most || stop(); });
        note(search);
        left.done += (search.flows() - before) * moments;
    }
    void note(moments_search const& search) {
        infeasible_ = infeasible_ || search.infeasible();
        if (!infeasible_) bound_ = std::max(bound_, search.bound());
    }
    /// The search with one moment more that says most; nothing where none says more than what is known.
    template <class Stop>
    auto best_longer(std::int64_t enough, work& left, std::size_t most, Stop&& stop) -> std::optional<moments_search> {
        constexpr std::size_t climbs = 10;
        constexpr std::ptrdiff_t most_bounding = 4, most_promising = 12;
        auto const known = search_ ? search_->bound() : bound_;
        auto const end = left.done + most;
        std::vector<moments_search> tried;
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
        auto const say = [](moments_search const& s) { return std::pair(s.bound(), s.promise()); };
        std::ranges::stable_sort(tried, std::greater<>{}, say);
        auto const same = std::ranges::unique(tried, {}, say);
        tried.erase(same.begin(), same.end());
        auto const rest = tried.begin() + std::min(most_bounding, std::ssize(tried));
        std::ranges::stable_sort(rest, tried.end(), std::greater<>{}, &moments_search::promise);
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
            std::ranges::stable_sort(tried, std::greater<>{}, &moments_search::bound);
            if (std::ssize(tried) > half) tried.erase(tried.begin() + half, tried.end());
        }
        std::ranges::stable_sort(tried, std::greater<>{}, &moments_search::bound);
        if (tried.empty() || tried.front().bound() <= known) return std::nullopt;
        return std::move(tried.front());
    }
    /// Nothing where schedules differ in which of the moments comes first.
    auto with_moment(operation_index v) const -> std::optional<std::vector<hold_cut>> {
        std::size_t at = 0;
        for (auto const& cut : chain_) {
            if (cut.at() == v || (!cut.is_before(v) && !cut.is_after(v))) return std::nullopt;
            if (cut.is_after(v)) ++at;
        }
        auto longer = chain_;
        longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), hold_cut(m_, v));
        return longer;
    }

    search_model const& m_;
    bytes budget_, unit_;
    std::vector<operation_index> moments_;
    std::vector<hold_cut> chain_;
    std::optional<moments_search> search_;  // of the chain, but for that of one moment
    std::int64_t bound_;
    bool infeasible_ = false;
};

}  // namespace repebble::detail

#endif
