#ifndef REPEBBLE_DETAIL_SATISFIABILITY_ASSIGNMENT_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_ASSIGNMENT_HPP

// The partial assignment of a conflict-driven search: values, the trail, decision levels and reasons (Eén, Sörensson
// 2003).  Invariant: the trail lists the true literals in the order of assignment, level after level; level 0 is true
// without any decision.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/satisfiability/literal.hpp>

namespace repebble::inline v0::detail {

/// The reason for which a literal is true: a decision, a clause whose other literals are false, or a knapsack whose
/// remaining capacity is less than the weight of its negation.
struct literal_reason {
    enum class kind : std::uint8_t { decision, clause, knapsack };
    kind type = kind::decision;
    std::uint32_t index = 0;
};

/// The partial assignment, with its trail.
class assignment {
  public:
    /// Adds a variable and returns its index.
    auto add_variable() -> std::uint32_t {
        values_.resize(values_.size() + 2, 0);
        records_.emplace_back();
        return static_cast<std::uint32_t>(records_.size() - 1);
    }

    [[nodiscard]] auto is_true(literal l) const -> bool { return values_[l.code()] > 0; }
    [[nodiscard]] auto is_false(literal l) const -> bool { return values_[l.code()] < 0; }
    [[nodiscard]] auto is_open(literal l) const -> bool { return values_[l.code()] == 0; }

    [[nodiscard]] auto level() const noexcept -> std::size_t { return begins_.size(); }
    void open_level() { begins_.push_back(trail_.size()); }
    void make_true(literal l, literal_reason reason) {
        values_[l.code()] = 1;
        values_[(!l).code()] = -1;
        records_[l.variable()] = {reason, static_cast<std::uint32_t>(level()),
                                  static_cast<std::uint32_t>(trail_.size())};
        trail_.push_back(l);
    }
    /// Backtracks to the level, the last literal first: calls f(literal, its position in the trail) for each.
    template <class Function>
    void return_to(std::size_t level, Function&& f) {
        if (begins_.size() <= level) return;
        auto const end = begins_[level];
        while (trail_.size() > end) {
            auto const l = trail_.back();
            trail_.pop_back();
            values_[l.code()] = values_[(!l).code()] = 0;
            f(l, trail_.size());
        }
        begins_.resize(level);
    }

    /// The true literals in the order of assignment.
    [[nodiscard]] auto trail() const noexcept -> std::vector<literal> const& { return trail_; }
    /// Position of the first decision in the trail, which is the number of literals that are true without decisions.
    [[nodiscard]] auto first_decision() const -> std::size_t {
        return begins_.empty() ? trail_.size() : begins_.front();
    }

    // Of assigned variables:
    [[nodiscard]] auto level_of(literal l) const -> std::size_t { return records_[l.variable()].level; }
    [[nodiscard]] auto position_of(literal l) const -> std::size_t { return records_[l.variable()].position; }
    [[nodiscard]] auto reason_of(literal l) const -> literal_reason { return records_[l.variable()].reason; }
    [[nodiscard]] auto is_decision(literal l) const -> bool {
        return reason_of(l).type == literal_reason::kind::decision;
    }

  private:
    struct record {
        literal_reason reason{};
        std::uint32_t level = 0, position = 0;
    };
    std::vector<std::int8_t> values_;  // of every literal: 1 true, -1 false
    std::vector<record> records_;      // of every variable
    std::vector<literal> trail_;
    std::vector<std::size_t> begins_;  // of the levels, in the trail
};

}  // namespace repebble::inline v0::detail

#endif
