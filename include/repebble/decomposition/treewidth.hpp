#ifndef REPEBBLE_DECOMPOSITION_TREEWIDTH_HPP
#define REPEBBLE_DECOMPOSITION_TREEWIDTH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/decomposition/best_elimination.hpp>
#include <repebble/decomposition/connected_parts.hpp>
#include <repebble/decomposition/detail/orders/starting_orders.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/join_orders.hpp>
#include <repebble/decomposition/minor_bound.hpp>
#include <repebble/decomposition/safe_reductions.hpp>
#include <repebble/decomposition/safe_separators.hpp>
#include <repebble/decomposition/treewidth_at_most.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_bounds.hpp>
#include <repebble/decomposition/width_decision.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble::inline v0 {

/// How long a treewidth is looked for.
struct treewidth_options {
    /// CPU seconds of each thread after which the bounds so far are returned; a first order by minimum fill may take a
    /// second more. Without a limit, equal calls return equal bounds.
    std::optional<double> time_limit{};
    std::size_t most_states = 500'000;  ///< of each exact search, of up to 600 bytes each
    std::uint64_t seed = 1;             ///< of ties and separators
    std::size_t threads = 1;            ///< that work side by side, the caller's with them
};

/// Between what a treewidth lies, both proven, and an order of the upper width.
struct treewidth_bounds {
    std::size_t lower = 0, upper = 0;
    elimination_order order{};
    std::string heuristic{};  ///< that found it: of several parts, those of the widest

    [[nodiscard]] auto is_exact() const noexcept -> bool { return lower == upper; }
    friend auto operator==(treewidth_bounds const&, treewidth_bounds const&) -> bool = default;
};

namespace detail {

class treewidth_search {
  public:
    explicit treewidth_search(treewidth_options const& options) : options_(options), end_(options.time_limit) {}

    [[nodiscard]] auto run(undirected_graph const& g) -> treewidth_bounds {
        low_ = contraction_bound(g);
        auto best = any(g);
        best.width = eliminate(g, best.order).width;
        // Of several parts some may have left of their time.
        while (end_ && best.width > low_ && *left() > again * *end_) {
            reached_ = 0;
            options_.seed += other_seed;
            auto found = any(g);
            found.width = eliminate(g, found.order).width;
            if (found.width < best.width) best = std::move(found);
        }
        return {std::min(low_, best.width), best.width, std::move(best.order), std::move(best.heuristic)};
    }

  private:
    /// Takes the graph apart where that is sure to cost nothing.
    [[nodiscard]] auto any(undirected_graph const& g) -> best_order {
        if (auto const n = g.vertex_count(); n <= low_ + 1) {
            best_order made{.order = elimination_order(n), .width = n > 0 ? n - 1 : 0, .heuristic = "reductions"};
            std::iota(made.order.begin(), made.order.end(), undirected_graph::vertex{0});
            return made;
        }
        auto reduced = reduce_safely(g, low_);
        low_ = reduced.low;
        best_order made{.order = std::move(reduced.eliminated), .width = low_, .heuristic = "reductions"};
        if (reduced.kernel.vertex_count() == 0) return made;
        auto rest = kernel(reduced.kernel);
        for (auto const v : rest.order) made.order.push_back(reduced.names[v]);
        if (rest.width >= made.width) made.heuristic = std::move(rest.heuristic);
        made.width = std::max(made.width, rest.width);
        return made;
    }
    [[nodiscard]] auto kernel(undirected_graph const& g) -> best_order {
        auto first = quick(g);
        if (first.width <= enough() || is_over()) return first;
        auto const atoms = split(g);
        auto const end = end_ ? now() + *part(0.03) : std::numeric_limits<double>::infinity();
        for (auto const& atom : atoms) raise_by_contraction(atom.graph, end);
        if (first.width <= enough()) return first;
        if (atoms.size() <= 1) return atom(g, std::move(first));
        keep_better(first, together(g, atoms));
        return first;
    }
    /// The parts with the widest first order first: it is of no use to make others less wide than these end.
    [[nodiscard]] auto together(undirected_graph const& g, std::vector<graph_atom> const& atoms) -> best_order {
        std::vector<std::size_t> widths(atoms.size()), order(atoms.size());
        for (std::size_t k = 0; k < atoms.size(); ++k) {
            widths[k] = quick(atoms[k].graph).width;
            order[k] = k;
        }
        std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return widths[k]; });
        auto left = static_cast<std::size_t>(
            std::ranges::count_if(widths, [&](std::size_t width) { return width > enough(); }));
        std::vector<elimination_order> orders(atoms.size());
        best_order widest;
        auto const end = end_;
        for (auto const k : order) {
            if (end) end_ = now() + (*end - now()) / static_cast<double>(std::max<std::size_t>(1, left));
            auto found = any(atoms[k].graph);
            if (left > 0) --left;
            reached_ = std::max(reached_, found.width);
            orders[k] = found.order;
            if (found.width > widest.width || widest.heuristic.empty()) widest = std::move(found);
        }
        end_ = end;
        widest.order = join_orders(g.vertex_count(), atoms, orders);
        return widest;
    }
    /// Of a graph that is not taken apart: proofs, heuristics, and proofs again where little is missing.
    [[nodiscard]] auto atom(undirected_graph const& g, best_order best) -> best_order {
        low_ = minor_bound(g, low_, {.seconds = part(0.1), .most_states = options_.most_states / 4});
        // A time limit ends it in time, however many states there may be.
        if (best.width > enough() && may_be_proven(best) && !is_over())
            raise_around(g, best, 0.2, end_ ? options_.most_states : options_.most_states / 4);
        auto const search = [&](std::optional<double> seconds, std::uint64_t seed) {
            elimination_searcher searcher(
                g, {.time_limit = seconds, .low = enough(), .seed = seed, .threads = options_.threads});
            best = searcher.run(std::move(best));
        };
        if (best.width > enough() && !is_over()) {
            keep_better(best, decide(g, best.width, 0.1));
            if (best.width > enough()) search(part(may_be_proven(best) ? 0.6 : 1), options_.seed);
        }
        if (best.width > enough() && may_be_proven(best) && !is_over())
            raise_around(g, best, 0.5, options_.most_states);
        if (best.width > enough() && best.width <= low_ + near && !is_over())
            keep_better(best, decide(g, best.width, 0.6));
        if (best.width > enough() && end_ && !is_over()) search(left(), options_.seed + other_seed / 2);
        return best;
    }
    [[nodiscard]] auto may_be_proven(best_order const& best) const -> bool { return best.width <= low_ + 3 * near; }
    /// The bound: once, and with other ties until the end.
    void raise_by_contraction(undirected_graph const& g, double end) {
        for (std::size_t seed = 0; seed < tries && (seed == 0 || now() < end); ++seed)
            low_ = contraction(g, seed).run(low_);
    }
    /// The bound, by what lies around the widest bags.
    void raise_around(undirected_graph const& g, best_order const& best, double share, std::size_t states) {
        low_ = minor_bound(g, best.order, low_, {.seconds = part(share), .most_states = states}, options_.seed);
    }
    static void keep_better(best_order& best, std::optional<best_order> other) {
        if (other && other->width < best.width) best = std::move(*other);
    }
    /// Whether the bound so far is the treewidth, or one more, and so on up to less than `width`: an order, if one is
    /// found. Each takes a share of the time.
    [[nodiscard]] auto decide(undirected_graph const& g, std::size_t width, double share) -> std::optional<best_order> {
        while (low_ < width && !is_over()) {
            if (reduce_safely(g, low_).kernel.vertex_count() < g.vertex_count()) return any(g);
            auto decided = treewidth_at_most(g, low_, {.seconds = part(share), .most_states = options_.most_states});
            if (!decided.answer) return std::nullopt;
            if (*decided.answer) return best_order{std::move(decided.order), low_, "exact search"};
            ++low_;
        }
        return std::nullopt;
    }
    [[nodiscard]] auto quick(undirected_graph const& g) const -> best_order {
        return first_order(g, [&] { return options_.time_limit && now() > *options_.time_limit + 1; });
    }
    /// As far as a small part of the time goes, but in components always.
    [[nodiscard]] auto split(undirected_graph const& g) const -> std::vector<graph_atom> {
        auto const steps = static_cast<std::uint64_t>(std::min(1.0, left().value_or(1) / 20) * steps_a_second);
        if (g.vertex_count() > steps / (g.edge_count() + 1)) return connected_parts(g);
        return split_safely(g, steps);
    }

    /// An order of this width is not the worst of all parts, or proven to be best.
    [[nodiscard]] auto enough() const -> std::size_t { return std::max(low_, reached_); }
    [[nodiscard]] auto now() const -> double { return (thread_clock::now() - begin_).count(); }
    [[nodiscard]] auto left() const -> std::optional<double> {
        return end_ ? std::optional(std::max(0.0, *end_ - now())) : std::nullopt;
    }
    [[nodiscard]] auto is_over() const -> bool { return end_ && now() >= *end_; }
    /// Of the time that is left.
    [[nodiscard]] auto part(double share) const -> std::optional<double> {
        return end_ ? std::optional(share * *left()) : std::nullopt;
    }

    static constexpr std::size_t near = 3;  // widths of which each is decided
    static constexpr std::size_t tries = 5;
    static constexpr std::uint64_t other_seed = 1'000'006;  // further off than there are starts
    static constexpr double again = 0.1;                    // of the time limit
    static constexpr double steps_a_second = 1e9;

    treewidth_options options_;
    std::optional<double> end_;  // of what is worked at
    thread_clock::time_point begin_ = thread_clock::now();
    std::size_t low_ = 0;      // the treewidth of the whole graph is not below
    std::size_t reached_ = 0;  // as wide is the order of a part that is finished
};

struct treewidth_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, treewidth_options const& options = {}) const
        -> treewidth_bounds {
        check_search(options.threads, options.time_limit);
        return treewidth_search(options).run(g);
    }
    template <has_undirected_view Graph>
    [[nodiscard]] auto operator()(Graph const& g, treewidth_options const& options = {}) const -> treewidth_bounds {
        return (*this)(undirected_graph::of(g), options);
    }
};

}  // namespace detail

/// An elimination order of small width, and a bound below which no width is: reductions and separators that lose
/// nothing take the graph apart (`reduce_safely`, `split_safely`); of what is left, whether the width of
/// `contraction_bound` and `minor_bound` is enough, or one more, is decided exactly as far as time and states allow
/// (`treewidth_at_most`); then heuristics and local improvement go on from above (`best_elimination`).
///
/// `decompose(g, order)` makes the tree decomposition. Takes an undirected graph, or any that has an undirected view.
/// Throws bad_option where there is no thread, or the time limit is negative or not a number.
inline constexpr detail::treewidth_fn treewidth{};

}  // namespace repebble::inline v0

#endif
