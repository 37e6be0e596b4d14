#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP

// The Lagrangian relaxation of a chain of cuts (`first_run_cut`), each after the one before: for multipliers of their
// capacities the best choice at all cuts together is one minimum cut, and its value is a lower bound. A recomputation
// after a cut is one after all earlier cuts and is counted once; a value kept or computed after a cut is kept at, or
// computed after, all earlier cuts behind its first computation. The bound is no lower than that of any of its cuts
// alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Fixed-point arithmetic of multipliers for one chain and budget: the scale by which floating multipliers become
/// integers so that no sum over the cuts overflows. So Lagrangian bounds are exact.
struct multiplier_scale {
    double time = 1;  ///< time of everything once, positive
    double all = 1;   ///< sum of the sizes of all values, in units
    std::int64_t scale = 1;
    std::int64_t highest = 1;  ///< largest multiplier of a unit, scaled
    bool is_exact = true;      ///< false: integer multipliers would overflow

    multiplier_scale(std::span<first_run_cut const> cuts, bytes budget, bytes unit) {
        constexpr double limit = 0x1p58;
        auto const& m = cuts.front().model();
        auto const k = static_cast<double>(cuts.size());
        for (auto const s : m.sizes) all += static_cast<double>(s / unit);
        double capacity = static_cast<double>(budget);
        for (auto const& c : cuts) capacity = std::min(capacity, static_cast<double>(c.capacity(budget) / unit));
        time = static_cast<double>(std::max<std::int64_t>(1, m.time_once));
        scale = static_cast<std::int64_t>(
            std::clamp(limit / (4 * time * k * std::max(1.0, all / std::max(1.0, capacity))), 1.0, 0x1p30));
        highest = static_cast<std::int64_t>(limit / (all * k));
        is_exact = time * k * static_cast<double>(scale) <= limit;
    }

    /// Returns the integer multiplier of one unit, scaled and at most `highest`, where the whole capacity has this
    /// multiplier.
    [[nodiscard]] auto unit_multiplier(double multiplier, double capacity) const -> std::int64_t {
        return static_cast<std::int64_t>(
            std::min(multiplier * static_cast<double>(scale) / capacity, static_cast<double>(highest)));
    }
    [[nodiscard]] auto unscaled(std::int64_t value) const -> double {
        return static_cast<double>(value) / static_cast<double>(scale);
    }
    /// Returns a scaled lower bound in whole time units, rounded up.
    [[nodiscard]] auto rounded_up(std::int64_t value) const -> std::int64_t { return (value + scale - 1) / scale; }
};

/// The capacity at each cut beside the values that are kept by decision, in units.
class capacity_rows {
  public:
    /// Refers to the decisions.  O(cuts · values).
    explicit capacity_rows(propagation const& decided) : decided_(decided) {
        for (std::size_t i = 0; i < count(); ++i) capacities_.push_back(decided.capacity(i));
    }

    [[nodiscard]] auto decided() const noexcept -> propagation const& { return decided_; }
    [[nodiscard]] auto count() const -> std::size_t { return decided_.cuts().size(); }
    /// Whether the decisions fit at all cuts.
    [[nodiscard]] auto fit() const -> bool { return std::ranges::min(capacities_) >= 0; }
    /// Whether a choice that uses so many units at each cut fits.
    [[nodiscard]] auto fit(std::span<bytes const> used) const -> bool {
        return std::ranges::equal(used, capacities_, std::ranges::less_equal{});
    }
    [[nodiscard]] auto capacity(std::size_t r) const -> bytes { return capacities_[r]; }
    /// The capacity, at least one unit.
    [[nodiscard]] auto positive(std::size_t r) const -> double {
        return static_cast<double>(std::max<bytes>(1, capacities_[r]));
    }
    /// Returns the integer multiplier of one unit at each cut, scaled, from multipliers of whole capacities.
    [[nodiscard]] auto unit_multipliers(std::span<double const> multipliers, multiplier_scale const& scale) const
        -> std::vector<std::int64_t> {
        std::vector<std::int64_t> whole;
        for (std::size_t r = 0; r < count(); ++r) whole.push_back(scale.unit_multiplier(multipliers[r], positive(r)));
        return whole;
    }

  private:
    propagation const& decided_;
    std::vector<bytes> capacities_;
};

/// The network of one chain under decisions. Recomputations that must run between two cuts (`propagation`) are counted
/// apart from those after them.
///
/// Let the cuts 1 … k be at the first runs of v_1, …, v_k, in this order in every schedule. In a schedule within the
/// budget let R_i be the operations that run after cut i, and K_i the values that are resident at it and read later.
///
///   (a)  what an operation of R_i reads is in K_i, an input of v_i, or its producer is in R_i
///   (b)  R_{i+1} ⊆ R_i
///   (c)  a value of K_{i+1} that some operation computed before cut i is in K_i, or its producer is in R_i
///   (d)  Σ_{x ∈ K_i} s(x) ≤ c_i, the capacity beside v_i, its inputs, outputs and workspace
///
/// Operations that v_i depends on have run before cut i: those in R_i run again. Let q(p) be the first cut that p is
/// before in every schedule. By (b) the overhead is at least T = Σ_p t(p) [p ∈ R_q(p)], in which each counts once. For
/// multipliers λ ≥ 0
///
///   L(λ) = min over (R, K) with (a), (b), (c) of  T + Σ_i λ_i (Σ_{x ∈ K_i} s(x) - c_i)
///
/// is no more than the overhead of any schedule within the budget: its own (R, K) is among these, and by (d) its second
/// sum is at most 0 (Lagrangian relaxation; Held, Karp 1971). With all λ_i = 0 but one, L is at least the bound at that
/// cut alone. Conditions (a), (b) and (c) say "if this, then that", so that a best choice is a closure, and a minimum
/// cut finds it (Picard 1976). There is a node for each operation and each needed value at each cut; those on the
/// source's side run, or are needed. Arcs without limit lead from a reader to what it reads, from an operation or a
/// needed value at cut i + 1 to the same at cut i, and from the source to what surely runs or is read. The arc from a
/// value to its producer has the capacity λ_i s(x), to be kept, and that from an operation to the sink t(p), to run
/// again. So L(λ) is the capacity of the minimum cut less Σ_i λ_i c_i; times and multipliers are integers, and it is
/// exact. `dual_ascent` looks for the best λ, `multi_cut_search` closes the gap that is left.
class multi_cut_relaxation {
  public:
    /// An optimal solution of the relaxation.
    struct answer {
        bool feasible = true;
        std::int64_t value = 0;       ///< of the minimum cut: scale · time + multipliers · bytes
        std::vector<bytes> used{};    ///< by cut: units that are used, without inputs and decided values
        std::vector<bool> is_kept{};  ///< by checkpoint
        std::vector<bool> side{};     ///< by node: on the source's side
    };
    /// Refers to the capacities.
    multi_cut_relaxation(capacity_rows const& capacities, std::int64_t scale);

    /// The undecided checkpoints of the network.
    [[nodiscard]] auto checkpoints() const noexcept -> std::vector<checkpoint_decision> const& { return checkpoints_; }

    /// Returns the best choice for a multiplier of one unit at each cut.  O(a maximum flow).
    [[nodiscard]] auto solve(std::span<std::int64_t const> multipliers) const -> answer;

    /// Whether the operation runs after the cut in that solution.
    [[nodiscard]] auto runs_after(answer const& chosen, std::size_t cut, operation_index p) const -> bool {
        auto const at = layers_[cut].operations[p];
        return at != none && chosen.side[at];
    }
    /// Returns the solution as one choice for each cut.
    [[nodiscard]] auto choices(answer const& chosen) const -> std::vector<checkpoint_choice>;

  private:
    using node = maximum_flow::node;
    static constexpr node source = 0, sink = 1;
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    struct layer {
        std::vector<node> operations{}, values{};
    };
    struct network_arc {
        node from, to;
        std::int64_t capacity;  // unless it is that of a checkpoint
        std::uint32_t checkpoint = none;
        std::uint32_t cut = 0;
    };
    struct operation_at {
        std::size_t cut;
        operation_index operation;
    };

    /// Adds the arcs by which a reader after cut i needs x there, and across all earlier cuts behind its first
    /// computation.
    void require(node reader, std::size_t i, value_index x);
    auto run(std::size_t i, operation_index p) -> node;
    void expand(std::size_t i, operation_index p);

    capacity_rows const& capacities_;
    propagation const& decided_;
    planning_model const& m_;
    std::int64_t scale_;
    std::vector<layer> layers_;
    std::vector<network_arc> arcs_;
    std::vector<checkpoint_decision> checkpoints_;
    std::vector<operation_at> open_;
    node nodes_ = 2;
};

/// A relaxed solution at given multipliers, with its Lagrangian bound.
struct relaxed_choice {
    multi_cut_relaxation::answer choice{};
    std::int64_t lower_bound = 0;  ///< Lagrangian lower bound, scaled
    std::int64_t time = 0;         ///< time of the solution, scaled
};

/// Solves the relaxation where the whole capacity at each cut has these multipliers.  O(a maximum flow).
[[nodiscard]] inline auto choice_at(capacity_rows const& capacities, multi_cut_relaxation const& chain,
                                    std::span<double const> multipliers, multiplier_scale const& scale)
    -> relaxed_choice {
    auto const whole = capacities.unit_multipliers(multipliers, scale);
    relaxed_choice out{.choice = chain.solve(whole)};
    if (!out.choice.feasible) return out;
    out.lower_bound = out.time = out.choice.value;
    for (std::size_t r = 0; r < capacities.count(); ++r) {
        out.lower_bound -= whole[r] * capacities.capacity(r);
        out.time -= whole[r] * out.choice.used[r];
    }
    return out;
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/multi_cut_relaxation.ipp>
#endif

#endif
