#ifndef REPEBBLE_IMPL_RECOMPUTE_SEARCH_SEGMENTS_IPP
#define REPEBBLE_IMPL_RECOMPUTE_SEARCH_SEGMENTS_IPP

#include <repebble/recompute/search_segments.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include <repebble/allocate/buffer.hpp>
#include <repebble/detail/parallel_tasks.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/recompute/detail/segments/keep_by_density.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

namespace detail {

/// The search for one kind of cuts.
class segment_searcher {
  public:
    static constexpr int most_beyond = 16;

    /// Refers to all of them.
    segment_searcher(planning_graph const& graph, segment_request const& options, shared_limit& limit)
        : options_(options), limit_(limit), judge_(graph, options, limit), total_(judge_.total()) {}

    /// Without a trial where it was ended before the first.
    [[nodiscard]] auto search() && -> segment_search_result {
        if (judge_.graph().problem().vertex_count() > 0) {
            auto root = judge_.trial_of_root();
            if (!root) return {};
            tried_.push_back(*std::move(root));
        }
        add(trials_of_grid());
        if (tried_.empty()) return {};
        measure_from(0);
        if (options_.grid > 0) extend_grid();
        if (options_.grid > 0 && judge_.cuts_everywhere()) limit_all();
        std::ranges::stable_sort(tried_, {}, &segment_trial::limit);
        if (options_.keep_expensive && !is_over()) keep_expensive();
        auto const best = best_of_tried();
        bool const fits = fits_in(tried_[best]);
        return {std::move(tried_), best, fits};
    }

  private:
    [[nodiscard]] auto is_over() -> bool { return !tried_.empty() && limit_(); }

    /// Trials for B = 0, for B = √(x y), and for the grid around that.
    [[nodiscard]] auto trials_of_grid() -> std::vector<segment_trial> {
        std::vector<segment_trial> trials;
        if (is_over()) return trials;
        auto const none = judge_.mirrors_within(0);
        auto const middle = std::sqrt(static_cast<double>(none.between) * static_cast<double>(none.within));
        std::vector<bytes> limits{0, std::llround(middle)};
        for (std::size_t i = 0; i < options_.grid; ++i) {
            auto const share =
                options_.grid == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(options_.grid - 1);
            limits.push_back(std::llround(middle * std::exp2(share - 0.5)));
        }
        sort_unique(limits);
        for (auto const limit : limits) {
            if (is_over()) break;
            trials.push_back({.limit = limit, .mirrors = judge_.mirrors_within(limit)});
        }
        return trials;
    }
    /// Adds trials with their plans and sizes. Equal plans are evaluated once.
    void judge(std::vector<segment_trial> asked) {
        auto const first = tried_.size();
        add(std::move(asked));
        measure_from(first);
    }
    /// Adds trials with their plans, less those for which there is no time left.
    void add(std::vector<segment_trial> asked) {
        auto const first = tried_.size();
        auto const trial = [&](std::size_t i) -> segment_trial const& {
            return i < first ? tried_[i] : asked[i - first];
        };
        auto const same = twins(first, first + asked.size(), trial, &segment_trial::mirrors);
        std::vector<std::optional<recompute_plan<>>> made(asked.size());
        each(asked.size(), [&](std::size_t i) {
            if (same[i] == first + i && !is_over()) made[i] = judge_.plan_of(asked[i].mirrors);
        });
        for (std::size_t i = 0; i < asked.size(); ++i) {
            auto plan = same[i] < first ? tried_[same[i]].plan : made[same[i] - first];
            if (!plan) continue;
            asked[i].size = plan->cost.peak;
            asked[i].plan = *std::move(plan);
            tried_.push_back(std::move(asked[i]));
        }
    }
    /// Replaces peaks of trials from number `first` on by sizes, where they may be of use.
    void measure_from(std::size_t first) {
        auto const count = tried_.size() - first;
        if (count == 0) return;
        auto const same = twins(
            first, tried_.size(), [&](std::size_t i) -> auto const& { return tried_[i]; }, &segment_trial::plan);
        auto least_peak = first;
        for (std::size_t i = first; i < tried_.size(); ++i)
            if (same[i - first] == i && tried_[i].size < tried_[least_peak].size) least_peak = i;
        if (same[least_peak - first] == least_peak) {
            tried_[least_peak].size = judge_.size_of(tried_[least_peak].plan);
            smallest_ = std::min(smallest_, tried_[least_peak].size);
        }
        bytes const limit = std::max(options_.budget.value_or(0), smallest_);
        each(count, [&](std::size_t i) {
            auto& t = tried_[first + i];
            if (same[i] == first + i && same[i] != least_peak && t.size <= limit) t.size = judge_.size_of(t.plan);
        });
        for (std::size_t i = 0; i < count; ++i) {
            tried_[first + i].size = tried_[same[i]].size;
            smallest_ = std::min(smallest_, tried_[first + i].size);
        }
    }
    /// Returns, for the trials from number `first` to `end`, the first trial of all with an equal member. The plan of
    /// √n segments is compared with itself only: its counts make another plan.
    template <class Trial, class Member>
    [[nodiscard]] static auto twins(std::size_t first, std::size_t end, Trial const& trial, Member member)
        -> std::vector<std::size_t> {
        std::vector<std::size_t> found;
        for (std::size_t i = first; i < end; ++i) {
            std::size_t other = 0;
            while (trial(other).limit.has_value() != trial(i).limit.has_value() ||
                   !(trial(other).*member == trial(i).*member))
                ++other;
            found.push_back(other);
        }
        return found;
    }
    /// Calls work(i) for i from 0 to count - 1, in parallel.
    template <class Work>
    void each(std::size_t count, Work const& work) {
        std::atomic<bool> stop{false};
        parallel_tasks(
            count, options_.threads, stop, [&](std::size_t i, std::size_t) { work(i); }, [] {});
    }

    /// Extends the grid while its smallest plan lies at an end.
    void extend_grid() {
        for (bool const up : {false, true}) {
            auto at = limit_of_smallest(up);
            auto last = at ? at->second : 0;
            for (int i = 0, worse = 0; at && i < most_beyond && worse < 3 && !limit_(); ++i) {
                at->first = beyond(at->first, up);
                if (at->first < 1 || at->first >= total_) break;
                auto mirrors = judge_.mirrors_within(at->first);
                if (mirrors == tried_[last].mirrors) continue;
                last = tried_.size();
                judge({{.limit = at->first, .mirrors = std::move(mirrors)}});
                if (last == tried_.size()) return;
                bool const better = tried_[last].size < tried_[at->second].size;
                worse = better ? 0 : worse + 1;
                if (better) at->second = last;
            }
        }
    }
    /// Adds trials whose limit is for each segment with all that is kept before it: from the least such limit on, and a
    /// little below the budget, as gradients come on top.
    void limit_all() {
        constexpr double steps = 8;  // to twice the limit
        if (limit_()) return;
        auto const least = judge_.least_limit();
        std::vector<bytes> limits;
        for (std::size_t i = 0; i < options_.grid; ++i) {
            auto const factor = std::exp2(static_cast<double>(i) / steps);
            limits.push_back(std::llround(static_cast<double>(least) * factor));
            if (options_.budget) limits.push_back(std::llround(static_cast<double>(*options_.budget) / factor));
        }
        std::erase_if(limits, [&](bytes limit) { return limit < least || limit >= total_; });
        sort_unique(limits);
        if (limits.empty()) return;
        std::vector<segment_trial> asked;
        for (auto const limit : limits) {
            if (limit_()) break;
            asked.push_back({.limit = limit, .limits_all = true, .mirrors = judge_.mirrors_within_all(limit)});
        }
        judge(std::move(asked));
    }
    /// Returns the next limit: a factor of 2^(1/4) away, and at least one byte.
    [[nodiscard]] static auto beyond(bytes limit, bool up) -> bytes {
        bytes const next = std::llround(static_cast<double>(limit) * std::exp2(up ? 0.25 : -0.25));
        return up ? std::max(next, limit + 1) : std::min(next, limit - 1);
    }
    /// Returns the limit and the trial of the smallest plan, if no limit was tried beyond it.
    [[nodiscard]] auto limit_of_smallest(bool up) const -> std::optional<std::pair<bytes, std::size_t>> {
        std::optional<std::size_t> smallest;
        for (std::size_t i = 0; i < tried_.size(); ++i)
            if (tried_[i].limit.value_or(0) > 0 && (!smallest || tried_[i].size < tried_[*smallest].size)) smallest = i;
        if (!smallest) return std::nullopt;
        auto const limit = *tried_[*smallest].limit;
        for (auto const& t : tried_) {
            auto const other = t.limit.value_or(0);
            bool const farther = other > 0 && (up ? other > limit : other < limit);
            if (farther && t.mirrors != tried_[*smallest].mirrors) return std::nullopt;
        }
        return std::pair(limit, *smallest);
    }

    /// Adds variants of the smallest and of the best plan that keep more values and still fit.
    void keep_expensive() {
        auto const smallest = static_cast<std::size_t>(
            std::ranges::min_element(tried_, {}, [](auto const& t) { return std::pair(t.size, t.plan.cost.time); }) -
            tried_.begin());
        auto const best = best_of_tried();
        bytes const limit = std::max(options_.budget.value_or(0), smallest_);
        std::vector<std::size_t> bases;
        for (auto const base : {smallest, best})
            if (bases.empty() || bases.front() != base) bases.push_back(base);
        auto const first = tried_.size();
        for (auto const base : bases) tried_.push_back(tried_[base]);
        each(bases.size(), [&](std::size_t i) {
            auto& t = tried_[first + i];
            t.keeps_more = keep_by_density<segment_judge>(judge_).keep_in(t, limit);
        });
        auto const unchanged = std::remove_if(tried_.begin() + static_cast<std::ptrdiff_t>(first), tried_.end(),
                                              [](auto const& t) { return !t.keeps_more; });
        tried_.erase(unchanged, tried_.end());
    }

    [[nodiscard]] auto fits_in(segment_trial const& t) const -> bool {
        return !options_.budget || t.size <= *options_.budget;
    }
    [[nodiscard]] auto best_of_tried() const -> std::size_t {
        auto const key = [&](segment_trial const& t) { return trial_rank(t, options_.budget); };
        return static_cast<std::size_t>(std::ranges::min_element(tried_, {}, key) - tried_.begin());
    }

    segment_request const& options_;
    shared_limit& limit_;
    segment_judge judge_;
    std::vector<segment_trial> tried_;
    bytes total_ = 0;
    bytes smallest_ = std::numeric_limits<bytes>::max();  // least size so far
};

REPEBBLE_INLINE auto search_segments(planning_graph const& graph, segment_request const& options, shared_limit& limit)
    -> segment_search_result {
    check_threads(options.threads);
    if (options.alignment < 1)
        detail::raise(bad_buffer("an alignment must be at least 1, not " + std::to_string(options.alignment)));
    auto const search = [&](segment_request const& searched) {
        return segment_searcher(graph, searched, limit).search();
    };
    auto result = search(options);
    if (options.candidates.where == cut_points::automatic && !limit() &&
        are_everywhere(graph, ordered_numbers(graph, options.order), options.candidates)) {
        auto at_points = options;
        at_points.candidates.where = cut_points::articulation;
        auto other = search(at_points);
        if (!other.tried.empty() &&
            !(trial_rank(result.winner(), options.budget) < trial_rank(other.winner(), options.budget)))
            result = std::move(other);
    }
    for (auto& t : result.tried) {
        t.mirrors.counts = counts_by_operation(graph, t.mirrors.counts);
    }
    return result;
}

}  // namespace detail

REPEBBLE_INLINE auto search_segments(problem const& p, optional_budget given, segment_options const& options)
    -> segment_search_result {
    std::optional<bytes> const budget = given;
    detail::shared_limit limit(options.limits);
    planning_graph const graph(detail::training_of(p));
    auto found = detail::search_segments(graph, detail::segment_request{options, budget}, limit);
    if (found.tried.empty())
        detail::raise(limit_reached("search_segments was ended before its first plan of a graph of " +
                                    std::to_string(graph.flow().operation_count()) + " operations"));
    return found;
}

}  // namespace repebble::inline v0

#endif
