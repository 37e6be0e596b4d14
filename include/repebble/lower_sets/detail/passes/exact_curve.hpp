#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_EXACT_CURVE_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_EXACT_CURVE_HPP

// Drives the search over all lower sets by irreducible blocks (lattice/): the pruned family (Kusumoto et al. 2019,
// section 4.3) gives known sequences, which bound the blocks; where there are still too many, serial vertices or
// windows of overhead limit them. Used by all_lower_sets.hpp and solve_lower_sets.hpp. Invariant: blocks are
// discarded only where a known sequence is as good, so that the curve is exact.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/next_representable.hpp>
#include <repebble/lower_sets/detail/lattice/block_arcs.hpp>
#include <repebble/lower_sets/detail/lattice/lattice_segments.hpp>
#include <repebble/lower_sets/detail/lattice/least_budget_proof.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>
#include <repebble/lower_sets/detail/lattice/overhead_cutoff.hpp>
#include <repebble/lower_sets/detail/lattice/serial_steps.hpp>
#include <repebble/lower_sets/detail/passes/bidirectional_search.hpp>
#include <repebble/lower_sets/detail/passes/solve_segments.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/overhead_bound.hpp>
#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0::detail {

/// Sequences that are stored, one for each breakpoint.
class known_sequences final : public sequence_source {
  public:
    explicit known_sequences(std::vector<lower_set_sequence> all) : all_(std::move(all)) {}
    [[nodiscard]] auto sequence(std::size_t breakpoint) const -> lower_set_sequence override {
        return all_[breakpoint];
    }

  private:
    std::vector<lower_set_sequence> all_;
};

/// The curve over all lower sets, by irreducible blocks.
///
/// The number of blocks grows with the overhead that one may have; a block is useful only where it needs less memory
/// than the known sequences of no more overhead. The pruned family yields known sequences; in a chain it is complete.
/// Where these leave about as many blocks as a chain has, one search suffices. Otherwise the curve is found in windows
/// of overhead, from its cheap end: with blocks of little overhead, then, doubling, of more, for budgets below those of
/// the windows before. It ends at the least budget, which `is_least_budget` may prove early.
class exact_curve_search {
  public:
    /// Refers to the problem. Where there are more than `lower_set_limit` lower sets, or stop() returned true,
    /// complete() is false and no other member may be used. One search suffices for so few convex sets, or for those of
    /// a chain.
    exact_curve_search(lower_set_problem const& problem, std::size_t lower_set_limit, stop_test stop = never_stop{},
                       std::size_t few_sets = 8'192)
        : problem_(&problem),
          few_sets_(few_sets),
          lattice_(
              std::make_shared<lower_set_lattice const>(positional_problem(problem, stop), lower_set_limit, stop)) {}

    [[nodiscard]] auto complete() const noexcept -> bool { return lattice_->complete(); }
    /// Throws limit_reached where complete() is false.
    void require_complete() const { lattice_->require_complete(); }
    [[nodiscard]] auto lower_set_count() const noexcept -> std::size_t { return lattice_->size(); }

    /// The curve; nothing where there are too many blocks to store; of no use where the observer ended it. Throws
    /// bad_weight where the resolution is negative.
    template <class Observer>
    [[nodiscard]] auto run(lower_set_options options, Observer&& observer) const -> std::optional<lower_set_curve> {
        if (!may_fit(options)) return lower_set_curve();
        if (options.goal == objective::memory) return greatest(options, observer);
        options.best_only = options.best_only && options.budget.has_value();
        std::int64_t const whole = time_of_all();
        options.overhead = std::min(options.overhead.value_or(whole), whole);
        std::size_t blocks = 0;
        // For one budget and few overheads, the limit on memory prunes enough.
        bool const few = has_few_overheads(options);
        bool const quick = options.best_only && few;
        // A graph with so few lower sets is a chain, and the pruned family has all of them.
        bool const is_chain = lattice_->size() == problem_->vertex_count() + 1;
        if (is_chain && (few || !options.best_only)) return pruned_curve(options, true, observer);
        auto const known = quick ? lower_set_curve() : pruned_curve(options, false, stops_only<Observer>{observer});
        if (is_over(observer)) return lower_set_curve();
        serial_steps const none;
        if (auto found = solve(options, known, none, chain_sets(), blocks, observer)) return found;
        if (auto const serial = useful_serial_steps(); serial.count() > 0)
            return solve(options, known, serial, most_sets, blocks, observer);
        return by_windows(options, known, time_of_all() / (quick ? 16 : 64), observer);
    }

  private:
    /// Ends what the observer ends, and tells it of no progress.
    template <class Observer>
    struct stops_only {
        Observer& observer;
        [[nodiscard]] auto is_over() -> bool { return detail::is_over(observer); }
    };

    /// The curve of the greatest overhead, as that of the least time that is not recomputed.
    template <class Observer>
    [[nodiscard]] auto greatest(lower_set_options options, Observer& observer) const -> std::optional<lower_set_curve> {
        std::int64_t const whole = time_of_all();
        overhead_cutoff const cutoff(whole, options.budget.value_or(std::numeric_limits<bytes>::max()));
        serial_steps serial;
        auto const stop = [&] { return is_over(observer); };
        block_arcs arcs(*lattice_, cutoff, chain_sets(), most_arcs, nullptr, stop);
        if (!arcs.complete()) {
            serial = useful_serial_steps();
            arcs = block_arcs(*lattice_, cutoff, most_sets, most_arcs, serial.vertices(), stop);
        }
        if (!arcs.complete()) return std::nullopt;
        lattice_segments segments(lattice_, std::move(arcs), serial, cutoff, objective::memory, options.keep_last);
        options.goal = objective::time;
        options.overhead.reset();
        auto const least = solve_segments(std::move(segments), options, observer);
        std::vector<typename lower_set_curve::breakpoint> breakpoints;
        for (auto const& b : least.breakpoints())
            breakpoints.push_back({whole - b.overhead, b.budget, whole - b.bound});
        return lower_set_curve(std::move(breakpoints), least);
    }

    /// The curve by windows of overhead that double, each for budgets below those of the sequences found before.
    template <class Observer>
    [[nodiscard]] auto by_windows(lower_set_options options, lower_set_curve const& known, std::int64_t first,
                                  Observer& observer) const -> std::optional<lower_set_curve> {
        using breakpoint = typename lower_set_curve::breakpoint;
        std::vector<breakpoint> breakpoints;
        std::vector<lower_set_sequence> sequences;
        std::int64_t const most = *options.overhead;
        first = std::max(first, std::int64_t{1});
        auto const wider = [&](std::int64_t window) { return window < most / 2 ? window + window : most; };
        std::int64_t window = std::min(first, most);
        if (options.best_only) {
            auto const stop = [&] { return is_over(observer); };
            overhead_bound const bounds(*problem_, objective::time, options.keep_last, stop);
            auto const bound = bounds(*options.budget, stop);
            if (!bound) return lower_set_curve();
            while (window < most && !(*bound < window)) window = wider(window);
        }
        for (std::size_t before = 0;;) {
            options.overhead = window;
            std::size_t blocks = 0;
            auto const part = solve(options, known, {}, most_sets, blocks, observer);
            if (!part) return std::nullopt;
            if (was_over(observer)) break;
            for (std::size_t k = 0; k < part->breakpoints().size(); ++k) {
                auto b = part->breakpoints()[k];
                // Where overheads are merged, the last sequence of a window may be dominated by the next window.
                while (!breakpoints.empty() && breakpoints.back().overhead >= b.overhead) {
                    b.bound = std::min(b.bound, breakpoints.back().bound);
                    breakpoints.pop_back();
                    sequences.pop_back();
                }
                breakpoints.push_back(b);
                sequences.push_back(part->sequence(k));
            }
            if (!(window < most)) break;
            // Where a wider window has no more blocks, memory limits them, not overhead.
            window = options.best_only && std::exchange(before, blocks) == blocks ? most : wider(window);
            if (sequences.empty()) continue;
            if (options.best_only || is_least(sequences.back(), blocks / 4)) break;
            options.budget = breakpoints.back().budget - 1;
        }
        return lower_set_curve(std::move(breakpoints), std::make_shared<known_sequences>(std::move(sequences)));
    }

    static constexpr std::size_t most_sets = 20'000'000;
    static constexpr std::size_t most_arcs = 20'000'000;

    [[nodiscard]] auto time_of_all() const -> std::int64_t { return lattice_->time(lattice_->full()); }
    /// About the number of blocks of a chain with as many vertices.
    [[nodiscard]] auto chain_sets() const -> std::size_t {
        auto const n = problem_->vertex_count();
        return std::max(n * n / 2, few_sets_);
    }
    /// The serial vertices where most pairs of lower sets have one between them; else none.
    [[nodiscard]] auto useful_serial_steps() const -> serial_steps {
        serial_steps all(*lattice_);
        auto const sets = static_cast<double>(lattice_->size());
        return 8 * all.close_pairs() < sets * sets ? all : serial_steps();
    }
    /// Whether tables by time unit would be small.
    [[nodiscard]] auto has_few_overheads(lower_set_options const& options) const -> bool {
        auto const whole = static_cast<double>(time_of_all());
        return options.resolution <= 0 && whole * static_cast<double>(lattice_->size()) < 3e7;
    }

    /// The curve of the pruned family; unless `exact`, with a coarse resolution.
    template <class Observer>
    [[nodiscard]] auto pruned_curve(lower_set_options options, bool exact, Observer&& observer) const
        -> lower_set_curve {
        auto const coarse = *options.overhead / (options.best_only ? 200 : 2000);
        if (!exact) options.resolution = std::max(options.resolution, coarse);
        auto family = std::make_shared<lower_set_family const>(
            lower_set_family::pruned(*problem_, [&] { return is_over(observer); }));
        return solve_family(std::move(family), options, observer);
    }

    /// The curve within the options, with the blocks found among `sets` convex sets; nothing where there are more.
    /// Assigns the number of blocks.
    template <class Observer>
    [[nodiscard]] auto solve(lower_set_options const& options, lower_set_curve const& known, serial_steps const& serial,
                             std::size_t sets, std::size_t& blocks, Observer& observer) const
        -> std::optional<lower_set_curve> {
        auto most = *options.overhead;
        if (auto const at = options.best_only ? known.best_within(*options.budget) : std::nullopt)
            most = std::min(most, known.breakpoints()[*at].overhead);
        overhead_cutoff cutoff(most, options.budget.value_or(std::numeric_limits<bytes>::max()));
        for (auto const& b : known.breakpoints()) cutoff.learn(b.budget, b.overhead);
        block_arcs arcs(*lattice_, cutoff, sets, most_arcs, serial.vertices(), [&] { return is_over(observer); });
        if (!arcs.complete()) return std::nullopt;
        blocks = arcs.block_count();
        auto windowed = options;
        windowed.overhead = most;
        lattice_segments segments(lattice_, std::move(arcs), serial, cutoff, objective::time, options.keep_last);
        if (options.best_only && !has_small_tables(segments, windowed)) return best_of(segments, windowed, observer);
        return solve_segments(std::move(segments), windowed, observer);
    }

    /// The best sequence within the budget, as a curve of one point.
    template <class Observer>
    [[nodiscard]] auto best_of(lattice_segments const& segments, lower_set_options const& options,
                               Observer& observer) const -> lower_set_curve {
        bidirectional_search<lattice_segments> search(segments, *options.overhead, *options.budget, options.resolution,
                                                      {}, 500, options.threads);
        auto const found = search.run(observer);
        if (!found) return {};
        auto const cost = evaluate_formula(*problem_, found->sequence, options.keep_last);
        return {{{found->overhead, cost.peak, found->bound}},
                std::make_shared<known_sequences>(std::vector{found->sequence})};
    }

    /// Whether a cheap proof shows that no sequence needs fewer bytes.
    [[nodiscard]] auto is_least(lower_set_sequence const& sequence, std::size_t effort) const -> bool {
        return is_least_budget(*problem_, lattice_->problem(), sequence, effort);
    }

    lower_set_problem const* problem_;
    std::size_t few_sets_;
    std::shared_ptr<lower_set_lattice const> lattice_;
};

}  // namespace repebble::inline v0::detail

#endif
