#ifndef REPEBBLE_IMPL_OFFLOAD_SWAP_ENVIRONMENT_IPP
#define REPEBBLE_IMPL_OFFLOAD_SWAP_ENVIRONMENT_IPP

#include <repebble/offload/swap_environment.hpp>

#include <functional>
#include <numeric>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE swap_environment::swap_environment(swap_problem const& problem, swap_options const& options, swap_agent_options const& agent) : problem_(&problem), options_(options), agent_(agent) {
    REPEBBLE_ASSERT(problem.row_count() > 0);
    options_.timeline = false;
    keep_ = simulate_swaps(problem, problem.keep_all(), options_);
    find_nodes();
    reset();
}

REPEBBLE_INLINE auto swap_environment::features(std::size_t v) const -> node_features {
    auto x = features_[v];
    x[node_feature::valid] = is_valid_[v] ? 1 : 0;
    return x;
}

REPEBBLE_INLINE auto swap_environment::act(std::size_t node) -> std::int64_t {
    REPEBBLE_ASSERT(std::ranges::binary_search(valid_, node));
    auto const before = result_.overhead;
    auto target = current_ + 1;
    if (node != 0) {
        auto const [interval, choice] = meaning_[node];
        plan_[interval] = choice;
        result_ = simulate_swaps(*problem_, plan_, options_);
        if (choice == swap_choice::offload) target = end_of_copy(interval);
    }
    current_ = std::max(current_, std::min(target, last_row()));
    look();
    return before - result_.overhead - (terminal() && !feasible() ? 2 * time_once() : 0);
}

REPEBBLE_INLINE void swap_environment::reset() {
    plan_ = problem_->keep_all();
    result_ = keep_;
    current_ = 0;
    look();
}

REPEBBLE_INLINE auto swap_environment::plan_of(std::vector<std::size_t> const& nodes) const -> swap_plan {
    auto plan = problem_->keep_all();
    for (auto const v : nodes) {
        REPEBBLE_ASSERT(v < meaning_.size() && meaning_[v].choice != swap_choice::keep);
        plan[meaning_[v].interval] = meaning_[v].choice;
    }
    return plan;
}

REPEBBLE_INLINE void swap_environment::find_nodes() {
    auto const n = problem_->row_count();
    auto const& intervals = problem_->intervals();
    meaning_.resize(n);
    std::vector<std::size_t> before(n, 0);  // the row of the same variable before each row; 0 where there is none
    std::vector<std::size_t> last(problem_->iteration().sizes.size(), 0);
    for (std::size_t r = 0; r < n; ++r) before[r] = std::exchange(last[row(r).variable], r);
    for (std::size_t i = 0; i < intervals.size(); ++i)
        if (intervals[i].last_use > 0) meaning_[intervals[i].last_use] = {i, swap_choice::offload};
    std::vector<std::int64_t> again(last.size(), 0);
    // Rows are scarce, and the longest interval of a variable is that worth removing: it chooses first.
    std::vector<std::size_t> order(intervals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>{},
                             [&](std::size_t i) { return intervals[i].next_use - intervals[i].last_use; });
    for (auto const i : order) {
        if (!intervals[i].is_removable) continue;
        again[intervals[i].variable] = problem_->at(intervals[i].producer).time;
        auto r = before[intervals[i].last_use];
        while (r > 0 && meaning_[r].choice != swap_choice::keep) r = before[r];
        if (r > 0) meaning_[r] = {i, swap_choice::remove};
    }
    features_.resize(n);
    std::vector<std::int64_t> next(last.size(), -1);  // when the variable's next row begins
    for (auto r = n; r-- > 0;) {
        auto const v = row(r).variable;
        auto const size = problem_->iteration().sizes[v];
        auto const soon = next[v] < 0 ? problem_->iteration().duration : next[v] - row(r).begin;
        auto& x = features_[r];
        x[node_feature::size] = static_cast<double>(size);
        x[node_feature::copy_time] = static_cast<double>(options_.link.copy_time(size));
        x[node_feature::compute_time] = static_cast<double>(again[v]);
        x[node_feature::revisited_in] = static_cast<double>(soon);
        x[node_feature::action] = static_cast<double>(meaning_[r].choice);
        next[v] = row(r).begin;
    }
}

REPEBBLE_INLINE auto swap_environment::end_of_copy(std::size_t interval) const -> std::size_t {
    auto const& i = problem_->intervals()[interval];
    if (i.last_use > current_) return current_ + 1;  // it wraps, and is copied at the end of the iteration
    auto const end = checked_add(result_.row_begin[current_], options_.link.copy_time(problem_->size(i)));
    auto const from = result_.row_begin.begin() + static_cast<std::ptrdiff_t>(current_ + 1);
    return static_cast<std::size_t>(std::lower_bound(from, result_.row_begin.end(), end) -
                                    result_.row_begin.begin());
}

REPEBBLE_INLINE void swap_environment::look() {
    for (;; ++current_) {
        for (auto const v : valid_) is_valid_[v] = false;
        valid_.clear();
        is_valid_.resize(problem_->row_count(), false);
        if (result_.feasible) return;
        bool const stuck = current_ >= last_row();  // a plan may overfill rows that the agent has passed
        if (!stuck) valid_.push_back(0);
        for (std::size_t v = 1; v < meaning_.size(); ++v)
            if (is_offered(meaning_[v])) valid_.push_back(v);
        for (auto const v : valid_) is_valid_[v] = true;
        bool const has_choice = valid_.size() > (stuck ? 0U : 1U);
        if (stuck || has_choice || !agent_.skip_rows) return;
    }
}

REPEBBLE_INLINE auto swap_environment::is_offered(action_of_node const& a) const -> bool {
    if (a.choice == swap_choice::keep || plan_[a.interval] != swap_choice::keep) return false;
    auto const& i = problem_->intervals()[a.interval];
    return i.holds(current_) && (!agent_.only_helpful || i.may_be_absent(result_.first_overfull));
}

}  // namespace repebble::inline v0

#endif
