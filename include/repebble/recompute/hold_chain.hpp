#ifndef REPEBBLE_RECOMPUTE_HOLD_CHAIN_HPP
#define REPEBBLE_RECOMPUTE_HOLD_CHAIN_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/recompute/augmented_flow.hpp>
#include <repebble/recompute/hold_cut.hpp>

namespace repebble::detail {

/// At one moment of a chain a value is held, or is not, by decision.
struct chain_decision {
    std::size_t moment = 0;
    value_index value = 0;
    bool held = true;
};

/// The relaxation of several moments (`hold_cut`), each after the one before, at once. What runs after a moment again
/// runs after all earlier ones again, and is paid for once; what is held or runs after a moment is held at, or runs
/// after, all earlier ones that come after its first computation. So for a price on the bytes of every moment the best
/// choice is a minimum cut once more, and the sum is a bound that is no lower than that of one of the moments.
class hold_chain {
  public:
    /// A price for each moment, and what it leads to.
    struct answer {
        bool feasible = true;
        std::int64_t value = 0;       ///< of the cut: scale · time + prices · bytes
        std::vector<bytes> used{};    ///< held at each moment, beside what its operation reads and what was decided
        std::vector<bool> is_held{};  ///< of every hold
    };
    struct hold {
        std::size_t moment;
        value_index value;
    };

    hold_chain(std::span<hold_cut const> cuts, bytes budget, bytes unit, std::span<chain_decision const> decisions,
               std::int64_t scale)
        : cuts_(cuts), m_(cuts.front().model()), unit_(unit), scale_(scale), layers_(cuts.size()) {
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            layers_[i].room = cuts[i].room(budget);
            layers_[i].operations.assign(m_.operation_count(), none);
            layers_[i].values.assign(m_.value_count(), none);
            layers_[i].decided.assign(m_.value_count(), decision::none);
        }
        for (auto& l : layers_) {
            l.left = l.room;
            if (l.room >= 0) l.room /= unit;
        }
        for (auto const& d : decisions) {
            auto& l = layers_[d.moment];
            l.decided[d.value] = d.held ? decision::held : decision::not_held;
            if (!d.held) continue;
            l.left -= m_.sizes[d.value];
            l.room -= m_.sizes[d.value] / unit;
        }
        for (auto& l : layers_)
            if (l.left < 0) l.room = -1;
        for (std::size_t i = cuts.size(); i-- > 0;)
            for (auto const x : cuts[i].wanted()) want(source, i, x);
        for (auto const& d : decisions)
            if (d.held && d.moment > 0) want(source, d.moment - 1, d.value);
        while (!open_.empty()) {
            auto const [i, p] = open_.back();
            open_.pop_back();
            look_at(i, p);
        }
    }

    /// Units that are left at the moment; below 0 where the decisions do not fit.
    [[nodiscard]] auto room(std::size_t moment) const -> bytes { return layers_[moment].room; }
    /// What can be held at some moment, and is not decided.
    [[nodiscard]] auto holds() const noexcept -> std::vector<hold> const& { return holds_; }

    /// O(a maximum flow).
    [[nodiscard]] auto solve(std::span<std::int64_t const> prices) const -> answer {
        augmented_flow flow(nodes_, source, sink);
        for (auto const& a : arcs_)
            flow.add_arc(a.from, a.to, a.hold == none ? a.capacity : prices[a.moment] * a.capacity);
        flow.build();
        answer out{.value = flow.maximise(), .used = std::vector<bytes>(layers_.size(), 0)};
        out.feasible = out.value < augmented_flow::unlimited;
        if (!out.feasible) return out;
        auto const side = flow.source_side();
        out.is_held.assign(holds_.size(), false);
        for (auto const& a : arcs_)
            if (a.hold != none && side[a.from] && !side[a.to]) {
                out.used[a.moment] += a.capacity;
                out.is_held[a.hold] = true;
            }
        return out;
    }

  private:
    using node = augmented_flow::node;
    static constexpr node source = 0, sink = 1;
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    enum class decision : std::uint8_t { none, held, not_held };

    struct layer {
        bytes room = 0, left = 0;  // in units; in bytes
        std::vector<node> operations{}, values{};
        std::vector<decision> decided{};
    };
    struct network_arc {
        node from, to;
        std::int64_t capacity;  // of a hold: for each unit of price
        std::uint32_t hold = none;
        std::uint32_t moment = 0;
    };
    struct operation_at {
        std::size_t moment;
        operation_index operation;
    };

    /// Whoever reads value x after a moment wants it there, and after the moments before.
    void want(node reader, std::size_t i, value_index x) {
        for (auto at = i + 1; at-- > 0;) {
            auto const& cut = cuts_[at];
            auto& l = layers_[at];
            if (cut.comes_after(x) || m_.producers[x].size() != 1) return;
            if (!is_priced(at, x)) continue;
            bool const first = l.values[x] == none;
            if (first) l.values[x] = nodes_++;
            arcs_.push_back({reader, l.values[x], augmented_flow::unlimited});
            if (!first) return;
            auto const p = m_.producers[x].front();
            auto const again = run(at, p);
            if (l.decided[x] == decision::not_held) {
                arcs_.push_back({l.values[x], again, augmented_flow::unlimited});
            } else {
                arcs_.push_back({l.values[x], again, m_.sizes[x] / unit_, static_cast<std::uint32_t>(holds_.size()),
                                 static_cast<std::uint32_t>(at)});
                holds_.push_back({at, x});
            }
            reader = l.values[x];
        }
    }
    auto run(std::size_t i, operation_index p) -> node {
        auto& mine = layers_[i].operations[p];
        if (mine == none) {
            mine = nodes_++;
            open_.push_back({i, p});
        }
        return mine;
    }
    void look_at(std::size_t i, operation_index p) {
        auto const mine = layers_[i].operations[p];
        auto const& o = m_.operations[p];
        if (cuts_[i].is_before(p)) {
            if (!o.recomputable)
                arcs_.push_back({mine, sink, augmented_flow::unlimited});
            else if (i == 0 || !cuts_[i - 1].is_before(p))
                arcs_.push_back({mine, sink, scale_ * o.again});
        }
        if (i > 0 && !cuts_[i - 1].is_after(p)) arcs_.push_back({mine, run(i - 1, p), augmented_flow::unlimited});
        for (auto const x : m_.reads[p]) want(mine, i, x);
    }
    [[nodiscard]] auto is_priced(std::size_t i, value_index x) const -> bool {
        auto const d = layers_[i].decided[x];
        return (m_.sizes[x] / unit_ > 0 || d == decision::not_held) && d != decision::held && !cuts_[i].is_read_here(x);
    }

    std::span<hold_cut const> cuts_;
    search_model const& m_;
    bytes unit_;
    std::int64_t scale_;
    std::vector<layer> layers_;
    std::vector<network_arc> arcs_;
    std::vector<hold> holds_;
    std::vector<operation_at> open_;
    node nodes_ = 2;
};

}  // namespace repebble::detail

#endif
