#ifndef REPEBBLE_DETAIL_SATISFIABILITY_ASSIGNMENT_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_ASSIGNMENT_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/satisfiability/literal.hpp>

namespace repebble::inline v0::detail {

/// Why a literal is true: nothing but a decision, a clause of which all others are false, or a knapsack that has no
/// room for its negation.
struct literal_reason {
    enum class kind : std::uint8_t { decision, clause, knapsack };
    kind what = kind::decision;
    std::uint32_t index = 0;
};

/// What is true so far, in the order in which it became so, level after level; level 0 holds without any decision.
class assignment {
  public:
    /// Returns its index.
    auto add_variable() -> std::uint32_t {
        values_.resize(values_.size() + 2, 0);
        about_.emplace_back();
        return static_cast<std::uint32_t>(about_.size() - 1);
    }

    [[nodiscard]] auto is_true(literal l) const -> bool { return values_[l.code()] > 0; }
    [[nodiscard]] auto is_false(literal l) const -> bool { return values_[l.code()] < 0; }
    [[nodiscard]] auto is_open(literal l) const -> bool { return values_[l.code()] == 0; }

    [[nodiscard]] auto level() const noexcept -> std::size_t { return begins_.size(); }
    void open_level() { begins_.push_back(trail_.size()); }
    void make_true(literal l, literal_reason reason) {
        values_[l.code()] = 1;
        values_[(!l).code()] = -1;
        about_[l.variable()] = {reason, static_cast<std::uint32_t>(level()), static_cast<std::uint32_t>(trail_.size())};
        trail_.push_back(l);
    }
    /// Makes everything open again that is above the level, the last first: f(literal, its place in the order).
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

    /// What is true, in order.
    [[nodiscard]] auto trail() const noexcept -> std::vector<literal> const& { return trail_; }
    /// Where the first decision would stand in it: how many are true by no decision.
    [[nodiscard]] auto first_decision() const -> std::size_t {
        return begins_.empty() ? trail_.size() : begins_.front();
    }

    // Of variables that are not open:
    [[nodiscard]] auto level_of(literal l) const -> std::size_t { return about_[l.variable()].level; }
    [[nodiscard]] auto place_of(literal l) const -> std::size_t { return about_[l.variable()].place; }
    [[nodiscard]] auto reason_of(literal l) const -> literal_reason { return about_[l.variable()].reason; }
    [[nodiscard]] auto is_decision(literal l) const -> bool {
        return reason_of(l).what == literal_reason::kind::decision;
    }

  private:
    struct note {
        literal_reason reason{};
        std::uint32_t level = 0, place = 0;
    };
    std::vector<std::int8_t> values_;  // of every literal: 1 true, -1 false
    std::vector<note> about_;          // of every variable
    std::vector<literal> trail_;
    std::vector<std::size_t> begins_;  // of the levels, in the trail
};

}  // namespace repebble::inline v0::detail

#endif
