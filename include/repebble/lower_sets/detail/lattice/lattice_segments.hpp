#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_LATTICE_SEGMENTS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_LATTICE_SEGMENTS_HPP

// The segments of the search over all lower sets, in the form that the passes read (passes/backward_pass.hpp): arcs of
// irreducible blocks, steps through serial vertices, and last segments that are kept.
// Invariant: nodes are in topological order; least_before is a lower bound over all paths within the cutoff.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/next_representable.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/detail/lattice/block_arcs.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>
#include <repebble/lower_sets/detail/lattice/overhead_cutoff.hpp>
#include <repebble/lower_sets/detail/lattice/serial_steps.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// A graph whose nodes are lower sets and serial vertices with an open segment. Segments that recompute a serial vertex
/// are paths of steps; where the last segment is kept, one leads from every set to V. For the greatest overhead, the
/// overhead of a segment is the time of its members that are not recomputed, which is then minimised.
class lattice_segments {
  public:
    using node = std::uint32_t;

    /// `serial`: the serial vertices that no block of `arcs` recomputes.
    lattice_segments(std::shared_ptr<lower_set_lattice const> lattice, block_arcs arcs, serial_steps const& serial,
                     overhead_cutoff const& cutoff, objective goal, bool keep_last)
        : lattice_(std::move(lattice)), arcs_(std::move(arcs)), least_(goal == objective::time), keep_last_(keep_last) {
        list_nodes(serial);
        compute_least_before(cutoff);
    }

    [[nodiscard]] auto size() const { return lattice_->size(); }
    [[nodiscard]] auto vertex_count() const { return lattice_->problem().size(); }
    [[nodiscard]] auto time() const { return lattice_->time(lattice_->full()); }
    /// T(V ∖ L).
    [[nodiscard]] auto time_left(std::size_t i) const { return time() - lattice_->time(i); }
    [[nodiscard]] auto make(std::size_t i) const -> vertex_set {
        vertex_set set(vertex_count());
        auto const vertices = lattice_->problem().vertices();
        position_bits::for_each((*lattice_)[i], lattice_->problem().words(),
                                [&](std::size_t v) { set.insert(vertices[v]); });
        return set;
    }

    /// All nodes in topological order: sets by index, serial vertex k as size() + k.
    [[nodiscard]] auto nodes() const -> std::span<node const> { return nodes_; }
    [[nodiscard]] auto is_serial(std::size_t i) const -> bool { return i >= size(); }
    [[nodiscard]] auto has_serial() const -> bool { return nodes_.size() > size(); }
    /// The least overhead and, separately, the least cached bytes of all paths to a node.
    [[nodiscard]] auto least_before(std::size_t i) const { return before_[i]; }
    template <class F>
    void for_each_from(std::size_t i, F&& f) const {
        auto const full = lattice_->full();
        if (is_serial(i)) {
            for (auto const& [to, cost] : from_serial_[i - size()])
                if (!keep_last_ || to != full) f(to, [&c = cost] { return c; });
            return;
        }
        for (auto const& a : arcs_.from(i))
            if (!keep_last_ || a.to != full) f(a.to, [&] { return objective_cost(arcs_.cost(a), i, a.to); });
        if (has_serial() && to_serial_[i].first != none) f(to_serial_[i].first, [&] { return to_serial_[i].second; });
        if (keep_last_ && i != full)
            f(full, [&] {
                return objective_cost({std::int64_t{}, 2 * (lattice_->memory(full) - lattice_->memory(i)), 0}, i, full);
            });
    }

  private:
    static constexpr auto none = std::numeric_limits<node>::max();
    using step = std::pair<node, segment_cost>;

    /// The cost with the overhead that is minimised: for the greatest overhead the time that is not recomputed.
    [[nodiscard]] auto objective_cost(segment_cost cost, std::size_t from, std::size_t to) const -> segment_cost {
        if (!least_) cost.overhead = lattice_->time(to) - lattice_->time(from) - cost.overhead;
        return cost;
    }

    void list_nodes(serial_steps const& serial) {
        auto const sets = static_cast<node>(size());
        auto const node_of = [&](std::size_t k) { return static_cast<node>(sets + k); };
        for (node i = 0; i < sets; ++i) {
            if (serial.count() > 0) {
                auto const k = serial.after(i);
                if (k > 0 && serial.set(k - 1) == i) nodes_.push_back(node_of(k - 1));
                to_serial_.emplace_back(none, segment_cost{});
                if (k < serial.count())
                    to_serial_.back() = {node_of(k), objective_cost(serial.to_serial(i, k), i, serial.set(k))};
            }
            nodes_.push_back(i);
        }
        for (std::size_t k = 0; k < serial.count(); ++k) {
            auto& steps = from_serial_.emplace_back();
            bool const is_last = k + 1 == serial.count();
            if (!is_last)
                steps.emplace_back(node_of(k + 1), objective_cost(serial.to_next(k), serial.set(k), serial.set(k + 1)));
            auto const last = is_last ? lattice_->full() : serial.set(k + 1);
            for (node i = serial.set(k) + 1; i <= last; ++i)
                if (serial.may_end(k, i)) steps.emplace_back(i, objective_cost(serial.to_set(k, i), serial.set(k), i));
        }
    }

    /// Forward pass of least overhead and least cached bytes, each by itself, over segments within the budget.
    void compute_least_before(overhead_cutoff const& cutoff) {
        std::int64_t const beyond = next_above(cutoff.most());
        before_.assign(nodes_.size(), {beyond, cutoff.budget()});
        before_[0] = {};
        for (auto const i : nodes_) {
            auto const before = before_[i];
            if (before.overhead > cutoff.most()) continue;
            for_each_from(i, [&](std::size_t to, auto const& cost) {
                segment_cost const segment = cost();
                if (segment.working > cutoff.budget() - before.cached) return;
                before_[to].overhead = std::min(before_[to].overhead, before.overhead + segment.overhead);
                before_[to].cached = std::min(before_[to].cached, before.cached + segment.cached);
            });
        }
    }

    std::shared_ptr<lower_set_lattice const> lattice_;
    block_arcs arcs_;
    bool least_;
    bool keep_last_;
    std::vector<node> nodes_;
    std::vector<step> to_serial_;                 // by set
    std::vector<std::vector<step>> from_serial_;  // by serial vertex
    std::vector<spent> before_;                   // by node
};

}  // namespace repebble::inline v0::detail

#endif
