#ifndef REPEBBLE_DETAIL_SATISFIABILITY_TOTALIZER_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_TOTALIZER_HPP

// The totalizer encoding of cardinality constraints (Bailleux, Boufkhad 2003), extended incrementally (Martins, Joshi,
// Manquinho, Lynce 2014). The core-guided search counts with it.

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/literal.hpp>

namespace repebble::inline v0::detail {

/// A balanced tree of unary sums over literals, whose clauses are added up to the counts that were asked for.
class totalizer {
  public:
    /// Requires: at least one literal.
    explicit totalizer(std::span<literal const> inputs) { root_ = build(inputs); }

    /// Number of its literals.
    [[nodiscard]] auto size() const -> std::size_t { return sums_[root_].size; }
    /// Returns a literal that is true where at least `count` of the literals are.  O(count · size) clauses, those of
    /// earlier calls included.  Requires: 1 ≤ count ≤ size().
    auto at_least(std::size_t count, conflict_search& search) -> literal {
        extend(root_, count, search);
        return sums_[root_].outputs[count - 1];
    }

  private:
    struct sum {
        std::size_t size = 1, left = 0, right = 0;
        std::vector<literal> outputs{};  // output k is true where k + 1 inputs are
    };
    auto build(std::span<literal const> inputs) -> std::size_t {
        sum s{.size = inputs.size()};
        if (inputs.size() == 1) {
            s.outputs.push_back(inputs.front());
        } else {
            s.left = build(inputs.first(inputs.size() / 2));
            s.right = build(inputs.subspan(inputs.size() / 2));
        }
        sums_.push_back(std::move(s));
        return sums_.size() - 1;
    }
    void extend(std::size_t at, std::size_t count, conflict_search& search) {
        auto& s = sums_[at];
        count = std::min(count, s.size);
        if (s.outputs.size() >= count) return;
        extend(s.left, count, search);
        extend(s.right, count, search);
        auto const& left = sums_[s.left].outputs;
        auto const& right = sums_[s.right].outputs;
        std::vector<literal> clause;
        for (auto k = s.outputs.size() + 1; k <= count; ++k) {
            auto const output = search.add_variable();
            if (k > 1) search.add_clause(std::vector{!output, s.outputs.back()});
            s.outputs.push_back(output);
            for (auto i = k - std::min(k, right.size()); i <= std::min(k, left.size()); ++i) {
                clause.assign(1, output);
                if (i > 0) clause.push_back(!left[i - 1]);
                if (i < k) clause.push_back(!right[k - i - 1]);
                search.add_clause(clause);
            }
        }
    }

    std::vector<sum> sums_;
    std::size_t root_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
