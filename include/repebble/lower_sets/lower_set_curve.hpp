#ifndef REPEBBLE_LOWER_SETS_LOWER_SET_CURVE_HPP
#define REPEBBLE_LOWER_SETS_LOWER_SET_CURVE_HPP

// The result of the searches in this room: the Pareto curve of overhead by budget over sequences of lower sets, and the
// options of these searches. Sequences are traced back on demand by the search that made the curve.
// Invariant: budgets descend strictly, overheads ascend (objective memory: descend).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0 {

/// The lower sets of a problem that are searched.
enum class family_choice : std::uint8_t {
    best,    ///< all where the graph has at most `limits.work` of them, else a family by modular decomposition
    all,     ///< all: limit_reached is thrown where there are more than `limits.work`
    pruned,  ///< the family of Kusumoto et al. 2019, section 4.3: the ancestors of each vertex
};

/// Options of the searches over lower sets.
struct lower_set_options {
    /// Which lower sets of a problem are searched; has no meaning where a family is given.
    family_choice choice = family_choice::best;
    objective goal = objective::time;  ///< least or greatest overhead
    bool keep_last = false;            ///< the last segment is kept, not recomputed: formula (1) without its term
    std::int64_t resolution{};         ///< overheads closer than this may be merged; 0: exact
    std::optional<bytes> budget{};     ///< an upper limit on formula (2); none: the whole curve
    std::optional<std::int64_t>
        overhead{};                    ///< an upper limit on formula (1), for objective time; may be exceeded slightly
    bool best_only = false;            ///< only the best point within the budget, to within the resolution; the rest of
                                       ///< the curve may be missing. No effect without a budget
    std::size_t threads = 1;           ///< in all, the caller's included; does not change the result
    /// Work: lower sets of a problem, by default `default_lower_set_limit`, and fewer of graphs of more
    /// than 10,000 vertices.
    repebble::limits limits{};
};

/// How many lower sets were searched for a curve.
struct searched_lower_sets {
    std::size_t count = 0;  ///< the size of the family
    bool all = false;       ///< whether it has all lower sets of the graph

    friend auto operator==(searched_lower_sets const&, searched_lower_sets const&) -> bool = default;
};

namespace detail {

/// Returns the sequence of each breakpoint of a curve.
class sequence_source {
  public:
    sequence_source() = default;
    sequence_source(sequence_source const&) = delete;
    auto operator=(sequence_source const&) -> sequence_source& = delete;
    virtual ~sequence_source() = default;
    [[nodiscard]] virtual auto sequence(std::size_t breakpoint) const -> lower_set_sequence = 0;
};

}  // namespace detail

/// The trade-off between overhead, formula (1), and budget, formula (2): the breakpoints, each with a sequence.
class lower_set_curve {
  public:
    /// A point of the curve: a budget at which the overhead changes.
    struct breakpoint {
        std::int64_t overhead{};  ///< from that budget on
        bytes budget = 0;  ///< formula (2) of the sequence
        std::int64_t bound{};  ///< a lower bound on the overhead (objective memory: an upper one) of all sequences
                               ///< within any budget for which `best_within` returns this breakpoint
        friend auto operator==(breakpoint const&, breakpoint const&) -> bool = default;
    };

    lower_set_curve() = default;
    /// From breakpoints, and from what finds the sequence of each.
    lower_set_curve(std::vector<breakpoint> breakpoints, std::shared_ptr<detail::sequence_source const> source)
        : breakpoints_(std::move(breakpoints)), source_(std::move(source)) {}
    /// The sequences of another curve with other breakpoints.
    lower_set_curve(std::vector<breakpoint> breakpoints, lower_set_curve const& sequences)
        : lower_set_curve(std::move(breakpoints), sequences.source_) {}

    /// The same curve, with what was searched for it.
    lower_set_curve(lower_set_curve curve, searched_lower_sets searched) : lower_set_curve(std::move(curve)) {
        searched_ = searched;
    }

    /// Budgets descend; overheads ascend (objective memory: descend). Empty where no sequence fits.
    [[nodiscard]] auto breakpoints() const noexcept -> std::span<breakpoint const> { return breakpoints_; }
    /// What was searched; of curves by `solve_lower_sets`.
    [[nodiscard]] auto searched() const noexcept -> searched_lower_sets const& { return searched_; }
    /// The budget of the last breakpoint; nothing where there is none.
    [[nodiscard]] auto least_budget() const -> std::optional<bytes> {
        if (breakpoints_.empty()) return std::nullopt;
        return breakpoints_.back().budget;
    }
    /// Index of the best breakpoint within a budget; nothing where none fits.  O(breakpoints).
    [[nodiscard]] auto best_within(bytes budget) const -> std::optional<std::size_t> {
        for (std::size_t k = 0; k < breakpoints_.size(); ++k)
            if (breakpoints_[k].budget <= budget) return k;
        return std::nullopt;
    }
    /// The sequence of a breakpoint, traced back at each call.  O(k (n / 64 + segments from a set)).
    [[nodiscard]] auto sequence(std::size_t index) const -> lower_set_sequence {
        REPEBBLE_ASSERT(index < breakpoints_.size());
        return source_->sequence(index);
    }

  private:
    std::vector<breakpoint> breakpoints_;
    std::shared_ptr<detail::sequence_source const> source_;
    searched_lower_sets searched_{};
};

}  // namespace repebble::inline v0

#endif
