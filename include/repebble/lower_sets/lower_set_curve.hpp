#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_CURVE_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_CURVE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// How to search lower sets.
template <quantity Time = std::int64_t>
struct lower_set_options {
    objective goal = objective::time;
    bool keep_last = false;          ///< the last segment is kept, not recomputed: formula (1) without its term
    Time resolution{};               ///< overheads closer than this may be taken for equal; 0: exact
    std::optional<bytes> budget{};   ///< what needs more by formula (2) is left out; none: the whole curve
    std::optional<Time> overhead{};  ///< what certainly has more by formula (1) is left out; objective time only
    bool best_only = false;   ///< of the curve only the best within the budget is wanted, to within the resolution; the
                              ///< rest need not be there. Without a budget it says nothing
    std::size_t threads = 1;  ///< that work side by side, the caller's with them; what is found is the same for any
};

namespace detail {

/// Remembers the sequences behind the breakpoints of a curve.
class sequence_source {
  public:
    sequence_source() = default;
    sequence_source(sequence_source const&) = delete;
    auto operator=(sequence_source const&) -> sequence_source& = delete;
    virtual ~sequence_source() = default;
    [[nodiscard]] virtual auto sequence(std::size_t breakpoint) const -> lower_set_sequence = 0;
};

}  // namespace detail

/// The trade-off between overhead, formula (1), and budget, formula (2): every breakpoint, and the sequence behind it.
template <quantity Time = std::int64_t>
class lower_set_curve {
  public:
    struct breakpoint {
        Time overhead{};
        bytes budget = 0;  ///< formula (2) of the sequence
        Time bound{};      ///< no sequence has less overhead (objective memory: more) within any budget for which
                           ///< `best_within` picks this breakpoint
        friend auto operator==(breakpoint const&, breakpoint const&) -> bool = default;
    };

    lower_set_curve() = default;
    lower_set_curve(std::vector<breakpoint> breakpoints, std::shared_ptr<detail::sequence_source const> source)
        : breakpoints_(std::move(breakpoints)), source_(std::move(source)) {}
    /// Other breakpoints with the sequences of a curve.
    lower_set_curve(std::vector<breakpoint> breakpoints, lower_set_curve const& sequences)
        : lower_set_curve(std::move(breakpoints), sequences.source_) {}

    /// Budgets descending; overheads ascending (objective memory: descending). Empty where nothing fits.
    [[nodiscard]] auto breakpoints() const noexcept -> std::span<breakpoint const> { return breakpoints_; }
    /// The least budget that any sequence needs.
    [[nodiscard]] auto least_budget() const -> std::optional<bytes> {
        if (breakpoints_.empty()) return std::nullopt;
        return breakpoints_.back().budget;
    }
    /// Position of the best breakpoint within the budget; nothing where none fits.
    [[nodiscard]] auto best_within(bytes budget) const -> std::optional<std::size_t> {
        for (std::size_t k = 0; k < breakpoints_.size(); ++k)
            if (breakpoints_[k].budget <= budget) return k;
        return std::nullopt;
    }
    /// The lower sets behind a breakpoint, found anew at each call.  O(k (n / 64 + segments from a set)).
    [[nodiscard]] auto sequence(std::size_t breakpoint) const -> lower_set_sequence {
        REPEBBLE_ASSERT(breakpoint < breakpoints_.size());
        return source_->sequence(breakpoint);
    }

  private:
    std::vector<breakpoint> breakpoints_;
    std::shared_ptr<detail::sequence_source const> source_;
};

}  // namespace repebble::inline v0

#endif
