#ifndef REPEBBLE_TESTS_SATISFIABILITY_RANDOM_CLAUSES_HPP
#define REPEBBLE_TESTS_SATISFIABILITY_RANDOM_CLAUSES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/knapsack_rows.hpp>
#include <repebble/detail/satisfiability/literal.hpp>

#include "support/generators.hpp"

namespace support {

/// Few enough variables to try all assignments, in each of which bit v is variable v.
struct clause_problem {
    struct row {
        std::vector<repebble::detail::weighted_literal> items;
        std::int64_t capacity;
    };
    std::size_t variables;
    std::vector<std::vector<repebble::detail::literal>> clauses{};
    std::vector<row> rows{};
};

[[nodiscard]] inline auto is_true_in(std::uint32_t assignment, repebble::detail::literal l) -> bool {
    return ((assignment >> l.variable()) & 1U) == (l.is_positive() ? 1U : 0U);
}
[[nodiscard]] inline auto is_satisfied(clause_problem const& problem, std::uint32_t assignment) -> bool {
    auto const is_true = [&](repebble::detail::literal l) { return is_true_in(assignment, l); };
    return std::ranges::all_of(problem.clauses, [&](auto const& c) { return std::ranges::any_of(c, is_true); }) &&
           std::ranges::all_of(problem.rows, [&](auto const& r) {
               std::int64_t weight = 0;
               for (auto const& i : r.items) weight += is_true(i.lit) ? i.weight : 0;
               return weight <= r.capacity;
           });
}
/// By some assignment in which these are true, too.
[[nodiscard]] inline auto is_satisfiable(clause_problem const& problem,
                                   std::span<repebble::detail::literal const> assumptions) -> bool {
    for (std::uint32_t a = 0; a < 1U << problem.variables; ++a)
        if (std::ranges::all_of(assumptions, [&](auto l) { return is_true_in(a, l); }) && is_satisfied(problem, a))
            return true;
    return false;
}

[[nodiscard]] inline auto random_literal(split_mix& random, std::size_t variables) -> repebble::detail::literal {
    return repebble::detail::literal(static_cast<std::uint32_t>(below(random, variables)), chance(random, 50));
}
[[nodiscard]] inline auto random_clauses(split_mix& random, std::size_t variables) -> clause_problem {
    clause_problem problem{variables};
    for (auto k = variables + below(random, 2 * variables); k > 0; --k) {
        auto& clause = problem.clauses.emplace_back();
        for (auto size = 2 + below(random, 3); size > 0; --size) clause.push_back(random_literal(random, variables));
    }
    for (auto k = below(random, 4); k > 0; --k) {
        auto& row = problem.rows.emplace_back();
        std::int64_t sum = 0;
        for (std::uint32_t v = 0; v < variables; ++v)
            if (chance(random, 60)) {
                row.items.push_back({between(random, 0, 9), repebble::detail::literal(v, chance(random, 60))});
                sum += row.items.back().weight;
            }
        row.capacity = sum / 4 + between(random, 0, 9);
    }
    return problem;
}
/// Returns the variables, in order.
inline auto add_to(repebble::detail::conflict_search& search, clause_problem const& problem)
    -> std::vector<repebble::detail::literal> {
    std::vector<repebble::detail::literal> variables;
    for (std::size_t v = 0; v < problem.variables; ++v) variables.push_back(search.add_variable());
    for (auto const& c : problem.clauses) search.add_clause(c);
    for (auto const& r : problem.rows) search.add_row(r.items, r.capacity);
    return variables;
}

}  // namespace support

#endif
