#ifndef REPEBBLE_TESTS_RECOMPUTE_LOWER_SET_QUESTION_HPP
#define REPEBBLE_TESTS_RECOMPUTE_LOWER_SET_QUESTION_HPP

// A question for the algorithms of lower sets, which one test puts to several of them.

#include <cstddef>
#include <functional>
#include <optional>

#include <repebble/recompute/lower_set_plan.hpp>

/// The budget, and options of `lower_set_plan`.
struct lower_set_question {
    std::optional<repebble::bytes> budget{};
    repebble::objective goal = repebble::objective::time;
    repebble::judged_by judge = repebble::judged_by::replayed;
    bool keep_last = false;
    std::optional<double> epsilon{};
    bool nearest = false;
    repebble::limits limits{};
    std::size_t threads = 1;
    std::function<void(double)> progress{};
};

/// The answer of one algorithm.
inline auto ask(repebble::lower_set_choice sets, repebble::problem const& p, lower_set_question const& q) {
    return repebble::lower_set_plan(p, q.budget,
                                    {.sets = sets,
                                     .goal = q.goal,
                                     .judge = q.judge,
                                     .keep_last = q.keep_last,
                                     .epsilon = q.epsilon,
                                     .nearest = q.nearest,
                                     .limits = q.limits,
                                     .threads = q.threads,
                                     .progress = q.progress});
}
inline auto ask_exact(repebble::problem const& p, lower_set_question const& q) {
    return ask(repebble::lower_set_choice::all, p, q);
}
inline auto ask_approximate(repebble::problem const& p, lower_set_question const& q) {
    return ask(repebble::lower_set_choice::pruned, p, q);
}
inline auto ask_exhaustive(repebble::problem const& p, lower_set_question const& q) {
    return ask(repebble::lower_set_choice::every, p, q);
}

#endif
