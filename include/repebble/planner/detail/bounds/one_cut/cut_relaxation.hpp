#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// A value that is held at the moment, or is not, by decision.
struct cut_decision {
    value_index value = 0;
    bool held = true;
};

/// The relaxation of a first_run_cut: for a price on bytes the best choice is a minimum cut between operations that run
/// later (on the source's side) and those that do not, and the best price gives a bound. Prices are whole numbers over
/// a `scale`, capacities whole numbers, so the bound is exact. Bytes may be counted in units: rounded down, they relax
/// the knapsack, but so is its capacity, and where most sizes are multiples of the unit, that makes the bound stronger
/// (the rounding of Gomory and Chvátal).
class cut_relaxation {
  public:
    struct result {
        std::int64_t bound = 0;                     ///< on the time of what must run again
        bool feasible = true;                       ///< false: nothing is within the capacity
        std::optional<checkpoint_choice> fits{};    ///< the best within the capacity, in units, that was met
        std::optional<checkpoint_choice> beyond{};  ///< its neighbour on the other side of the capacity
    };

    cut_relaxation(first_run_cut const& cut, bytes budget, bytes unit, std::vector<cut_decision> const& decisions)
        : cut_(cut), m_(cut.model()), unit_(unit), room_(cut.room(budget)), decided_(m_.value_count(), decision::none) {
        bytes left = room_;
        if (left >= 0) room_ /= unit;
        for (auto const& d : decisions) {
            decided_[d.value] = d.held ? decision::held : decision::not_held;
            some_not_held_ = some_not_held_ || !d.held;
            if (!d.held) continue;
            left -= m_.sizes[d.value];
            room_ -= size(d.value);
        }
        if (left < 0) room_ = -1;
        if (room_ >= 0) choose_scale();
    }

    /// Stops at once where the bound reaches `enough`, where it cannot get above `too_little`, or where `stop()` says
    /// so. O(a few maximum flows).
    [[nodiscard]] auto solve(std::int64_t enough, std::int64_t too_little = -1, stop_test stop = never_stop{}) -> result {
        if (room_ < 0 || least_held() > room_) return {.feasible = false};
        result out;
        auto low = priced(0);                         // holds too much
        for (bool const less_held : {true, false}) {  // of equal time: what runs less need not hold more
            out.beyond = chosen(low.flow, less_held);
            if (size(*out.beyond) > room_) continue;
            out.bound = out.beyond->time;
            std::swap(out.fits, out.beyond);
            return out;
        }
        std::int64_t high = highest_;  // holds little enough
        for (int round = 0; round < most_rounds && high - low.price > 1 && out.bound < enough; ++round) {
            if (stop() || most(out) <= static_cast<double>(too_little)) break;
            auto next = low;
            raise(next, price_between(low.price, high, out));
            out.bound = std::max(out.bound, bound(next));
            auto c = chosen(next.flow, true);
            if (size(c) <= room_) {
                bool const known = out.fits && *out.fits == c;
                high = next.price;
                out.fits = std::move(c);
                if (known || size(chosen(next.flow, false)) >= room_) break;  // this is the best price
            } else {
                bool const known = *out.beyond == c;
                out.beyond = std::move(c);
                low = std::move(next);
                if (known && out.fits) break;
            }
        }
        return out;
    }

    /// In units, beside what was decided to be held.
    [[nodiscard]] auto size(checkpoint_choice const& c) const -> bytes {
        bytes all = 0;
        for (auto const& [arc, x] : arcs_)
            if (c.held[x] != 0) all += size(x);
        return all;
    }

  private:
    static constexpr int most_rounds = 64;
    static constexpr auto none = std::numeric_limits<maximum_flow::node>::max();
    enum class decision : std::uint8_t { none, held, not_held };
    struct wanted_value {
        maximum_flow::node from;
        value_index value;
        bool to_producer;  // else to the value, which several read
    };

    struct priced_flow {
        maximum_flow flow;
        std::int64_t price = 0, value = 0;
    };

    /// scale · time + price · bytes of everything stays below 2⁶⁰.
    void choose_scale() {
        double all = 1;
        for (value_index x = 0; x < m_.value_count(); ++x) all += static_cast<double>(size(x));
        double const time = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
        double const room = static_cast<double>(std::max<bytes>(1, room_));
        scale_ = static_cast<std::int64_t>(std::clamp(0x1p58 / (time * std::max(1.0, all / room)), 1.0, 0x1p40));
        // At a higher price, to hold nothing beats whatever fills the room.
        highest_ = static_cast<std::int64_t>(std::min(0x1p59 / all, 2 * static_cast<double>(scale_) * time / room + 2));
    }
    [[nodiscard]] auto price_between(std::int64_t low, std::int64_t high, result const& known) const -> std::int64_t {
        auto const middle = low + (high - low) / 2;
        if (!known.fits) return low < high / 64 ? high / 64 : middle;
        double const saved = static_cast<double>(size(*known.beyond) - size(*known.fits));
        double const lost = static_cast<double>(known.fits->time - known.beyond->time);
        return std::clamp(static_cast<std::int64_t>(static_cast<double>(scale_) * lost / saved), low + 1, high - 1);
    }

    /// By any price: on the line between both sides of the capacity.
    [[nodiscard]] auto most(result const& known) const -> double {
        if (!known.fits) return std::numeric_limits<double>::infinity();
        double const slope = static_cast<double>(known.fits->time - known.beyond->time) /
                             static_cast<double>(size(*known.beyond) - size(*known.fits));
        return static_cast<double>(known.fits->time) - slope * static_cast<double>(room_ - size(*known.fits));
    }

    [[nodiscard]] auto least_held() -> bytes {
        if (!some_not_held_ && std::ranges::all_of(m_.operations, &planning_model::operation::recomputable)) return 0;
        auto flow = make(0);
        for (auto const& [arc, x] : arcs_) flow.grow(arc, size(x));
        return flow.maximise();
    }
    [[nodiscard]] auto priced(std::int64_t price) -> priced_flow {
        priced_flow f{make(scale_), 0, 0};
        raise(f, price);
        return f;
    }
    void raise(priced_flow& f, std::int64_t price) const {
        for (auto const& [arc, x] : arcs_) f.flow.grow(arc, (price - f.price) * size(x));
        f.price = price;
        f.value = f.flow.maximise();
    }
    /// (value - price · room) / scale, rounded up.
    [[nodiscard]] auto bound(priced_flow const& f) const -> std::int64_t {
        auto const above = f.value - f.price * room_;
        return above <= 0 ? 0 : (above + scale_ - 1) / scale_;
    }

    /// Nodes are the operations that might run later because of what those after the moment read, and the values that
    /// several of them read. With `scale` capacity for a unit of time and, so far, none for bytes.
    [[nodiscard]] auto make(std::int64_t scale) -> maximum_flow {
        constexpr maximum_flow::node source = 0, sink = 1;
        node_.assign(m_.operation_count(), none);
        arcs_.clear();
        std::vector<operation_index> operations;
        std::vector<wanted_value> wanted;
        std::vector<maximum_flow::node> shared(m_.value_count(), none);
        maximum_flow::node nodes = 2;
        auto const want = [&](maximum_flow::node reader, value_index x) {
            if (!is_priced(x)) return;
            auto const p = m_.producers[x].front();
            if (node_[p] == none) {
                node_[p] = nodes++;
                operations.push_back(p);
            }
            bool const first = shared[x] == none;
            if (reader == source || (first && m_.readers[x].size() == 1)) {
                if (first) wanted.push_back({reader, x, true});
                shared[x] = reader;
                return;
            }
            if (first) wanted.push_back({shared[x] = nodes++, x, true});
            if (shared[x] != source) wanted.push_back({reader, x, false});
        };
        for (auto const x : cut_.wanted()) want(source, x);
        for (std::size_t k = 0; k < operations.size(); ++k)
            for (auto const x : m_.reads[operations[k]]) want(node_[operations[k]], x);

        maximum_flow flow(nodes, source, sink);
        for (auto const p : operations)
            if (cut_.is_before(p))
                flow.add_arc(node_[p], sink,
                             m_.operations[p].recomputable ? scale * m_.operations[p].again : maximum_flow::unlimited);
        for (auto const& [from, x, to_producer] : wanted) {
            bool const never = decided_[x] == decision::not_held;
            if (!to_producer) {
                flow.add_arc(from, shared[x], maximum_flow::unlimited);
            } else {
                auto const arc =
                    flow.add_arc(from, node_[m_.producers[x].front()], never ? maximum_flow::unlimited : 0);
                if (!never) arcs_.emplace_back(arc, x);
            }
        }
        flow.build();
        return flow;
    }
    [[nodiscard]] auto chosen(maximum_flow const& flow, bool less_held) const -> checkpoint_choice {
        auto const side = less_held ? flow.largest_source_side() : flow.source_side();
        return choice_of(cut_, [&](operation_index p) {
            return node_[p] != none && side[node_[p]] && (m_.operations[p].recomputable || !cut_.is_before(p));
        });
    }

    [[nodiscard]] auto is_priced(value_index x) const -> bool {
        return m_.producers[x].size() == 1 && (size(x) > 0 || decided_[x] == decision::not_held) &&
               decided_[x] != decision::held && !cut_.is_read_here(x) && !cut_.comes_after(x);
    }
    [[nodiscard]] auto size(value_index x) const -> bytes { return m_.sizes[x] / unit_; }

    first_run_cut const& cut_;
    planning_model const& m_;
    bytes unit_, room_;  // room in units
    std::vector<decision> decided_;
    bool some_not_held_ = false;
    std::int64_t scale_ = 1, highest_ = 1;
    std::vector<maximum_flow::node> node_;  // of every operation
    std::vector<std::pair<maximum_flow::arc, value_index>> arcs_;
};

}  // namespace repebble::inline v0::detail

#endif
