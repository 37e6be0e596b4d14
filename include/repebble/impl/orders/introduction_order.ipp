#ifndef REPEBBLE_IMPL_ORDERS_INTRODUCTION_ORDER_IPP
#define REPEBBLE_IMPL_ORDERS_INTRODUCTION_ORDER_IPP

#include <repebble/orders/detail/introduction_order.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// The beam search for an introduction order.
class introduction_search {
  public:
    introduction_search(jagged_array<operation_index> const& links, vertex_set const& present)
        : links_(links), present_(present), names_(links.size()) {
        split_mix random(links.size());
        for (auto& name : names_) name = random.next();
        for (operation_index v = 0; v < links.size(); ++v)
            if (!present.contains(v)) seldom_.push_back(v);
        std::ranges::stable_sort(seldom_, {}, [&](auto v) { return links_[v].size(); });
        trace_.emplace_back(0, 0);
    }

    [[nodiscard]] auto run(std::size_t width, double most_cost, std::size_t most_tried, stop_test stop)
        -> introduction {
        std::vector<state> beam{{present_, {}, 0, 0, 0, 0}}, next;
        for (std::size_t left = seldom_.size(); left > 0; --left) {
            auto const all = extensions(beam, stop);
            tried_ += all.size();
            if (tried_ > most_tried || stop()) return {.tried = tried_};
            next.clear();
            for (std::size_t k = 0; k < all.size() && next.size() < width; ++k)
                if (k == 0 || all[k].hash != all[k - 1].hash) next.push_back(extended(beam[all[k].from], all[k]));
            std::swap(beam, next);
            if (beam.front().cost >= most_cost) return {.tried = tried_};
        }
        std::vector<operation_index> order;
        for (auto k = beam.front().trace; k != 0; k = trace_[k].first) order.push_back(trace_[k].second);
        std::ranges::reverse(order);
        return {std::move(order), tried_, beam.front().cost};
    }

  private:
    struct member {
        operation_index vertex;
        std::size_t left;  // links that are not introduced
    };
    struct state {
        vertex_set introduced;
        std::vector<member> bag;
        double cost;
        std::uint64_t hash;  // of the introduced
        std::size_t trace;   // the last introduction
        std::size_t seldom;  // those before it of `seldom_` are introduced
    };
    struct extension {
        double cost, ahead;  // with the least that comes next
        std::uint64_t hash;
        std::size_t from;
        operation_index vertex;
    };

    [[nodiscard]] static auto cost_of(std::size_t bag) -> double {
        return std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(2 * bag, 1000)));
    }
    /// The vertices that may come next: links of the bag; where it is empty, the ends of a component.
    [[nodiscard]] auto candidates(state& at) const -> std::vector<operation_index> {
        std::vector<operation_index> found;
        for (auto const& u : at.bag)
            for (auto const w : links_[u.vertex])
                if (!at.introduced.contains(w)) found.push_back(w);
        sort_unique(found);
        if (!at.bag.empty()) return found;
        while (at.introduced.contains(seldom_[at.seldom])) ++at.seldom;
        auto const end = farthest(at.introduced, seldom_[at.seldom]), other = farthest(at.introduced, end);
        return end == other ? std::vector{end} : std::vector{end, other};
    }
    /// A vertex of the greatest distance, among those that are not introduced.
    [[nodiscard]] auto farthest(vertex_set reached, operation_index from) const -> operation_index {
        std::vector<operation_index> queue{from};
        reached.insert(from);
        for (std::size_t k = 0; k < queue.size(); ++k)
            for (auto const w : links_[queue[k]])
                if (!reached.contains(w)) {
                    reached.insert(w);
                    queue.push_back(w);
                }
        return queue.back();
    }
    /// All extensions of the beam, the best first, and of one set the cheapest first.
    [[nodiscard]] auto extensions(std::vector<state>& beam, stop_test stop) const -> std::vector<extension> {
        std::vector<extension> all;
        for (std::size_t k = 0; k < beam.size() && !stop(); ++k)
            for (auto const v : candidates(beam[k])) {
                auto const cost = beam[k].cost + cost_of(beam[k].bag.size() + 1);
                auto const stay = extended_bag(beam[k], v).size();
                all.push_back({cost, cost + 2 * cost_of(stay + 1), beam[k].hash ^ names_[v], k, v});
            }
        std::ranges::sort(all, {}, [](auto const& e) { return std::tuple(e.ahead, e.hash, e.cost, e.from); });
        return all;
    }
    [[nodiscard]] auto extended_bag(state const& at, operation_index v) const -> std::vector<member> {
        std::vector<member> bag;
        for (auto const& [u, left] : at.bag) {
            auto const still = left - (std::ranges::binary_search(links_[u], v) ? 1U : 0U);
            if (still > 0) bag.push_back({u, still});
        }
        auto const left = std::ranges::count_if(links_[v], [&](auto u) { return !at.introduced.contains(u); });
        if (left > 0) bag.push_back({v, static_cast<std::size_t>(left)});
        return bag;
    }
    [[nodiscard]] auto extended(state const& at, extension const& e) -> state {
        state made{at.introduced, extended_bag(at, e.vertex), e.cost, e.hash, trace_.size(), at.seldom};
        made.introduced.insert(e.vertex);
        trace_.emplace_back(at.trace, e.vertex);
        return made;
    }

    jagged_array<operation_index> const& links_;
    vertex_set const& present_;
    std::vector<std::uint64_t> names_;
    std::vector<operation_index> seldom_{};  // all, those with the fewest links first
    std::vector<std::pair<std::size_t, operation_index>> trace_{};
    std::size_t tried_ = 0;
};

REPEBBLE_INLINE auto introduction_order(jagged_array<operation_index> const& links, vertex_set const& present,
                                        std::size_t width, double most_cost, std::size_t most_tried, stop_test stop)
    -> introduction {
    return introduction_search(links, present).run(width, most_cost, most_tried, stop);
}

}  // namespace repebble::inline v0::detail

#endif
