#ifndef REPEBBLE_IMPL_GRAPH_DATAFLOW_NEEDED_OPERATIONS_IPP
#define REPEBBLE_IMPL_GRAPH_DATAFLOW_NEEDED_OPERATIONS_IPP

#include <repebble/graph/dataflow/detail/needed_operations.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <string>

#include <repebble/detail/places_in.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto producers_before_readers(dataflow const& flow, value_index x) -> std::vector<operation_index> {
    std::vector<std::size_t> waits(flow.operation_count());
    std::vector<operation_index> ready;
    std::vector<bool> made(flow.value_count(), false);
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        waits[v] = flow.reads(v).size() + flow.control_predecessors(v).size();
        if (waits[v] == 0) ready.push_back(v);
    }
    made[x] = true;  // so that nothing that reads it becomes ready
    std::vector<operation_index> out;
    while (!ready.empty()) {
        auto const v = ready.back();
        ready.pop_back();
        if (std::ranges::find(flow.writes(v), x) != flow.writes(v).end()) out.push_back(v);
        auto const meets = [&](operation_index w) {
            if (--waits[w] == 0) ready.push_back(w);
        };
        for (auto const y : flow.writes(v)) {
            if (made[y]) continue;
            made[y] = true;
            std::ranges::for_each(flow.readers(y), meets);
        }
        for (auto const w : flow.graph().successors(v))
            if (std::ranges::binary_search(flow.control_predecessors(w), v)) meets(w);
    }
    std::ranges::sort(out);
    return out;
}

/// The values that lie on circles of producers, ascending, with those that can be the first to run; only the first of
/// very many such values.
inline auto find_first_producers(dataflow const& flow)
    -> std::vector<std::pair<value_index, std::vector<operation_index>>> {
    constexpr std::size_t most_steps = 100'000'000;
    std::vector<value_index> several;
    for (value_index x = 0; x < flow.value_count(); ++x)
        if (flow.producers(x).size() > 1 && !flow.readers(x).empty()) several.push_back(x);
    if (several.empty()) return {};
    auto const place = places_in(flow.order(), flow.operation_count());
    auto const place_of = [&](operation_index v) { return place[v]; };
    std::size_t each = flow.operation_count(), steps = 0;
    for (operation_index v = 0; v < flow.operation_count(); ++v) each += flow.reads(v).size();
    std::vector<std::pair<value_index, std::vector<operation_index>>> all;
    for (auto const x : several) {
        if (steps >= most_steps) break;
        if (std::ranges::min(flow.readers(x) | std::views::transform(place_of)) >
            std::ranges::max(flow.producers(x) | std::views::transform(place_of)))
            continue;
        all.emplace_back(x, producers_before_readers(flow, x));
        steps += each;
    }
    return all;
}

/// Walks back from the sinks: what is needed, before what it needs.
class needed_search {
  public:
    explicit needed_search(dataflow const& flow) : flow_(flow), value_(flow.value_count(), false) {
        out_.required.assign(flow.operation_count(), false);
        out_.on_circles = find_first_producers(flow);
    }

    auto run() && -> needed_operations {
        for (auto const value : flow_.results()) need(value);
        for (auto const v : flow_.order() | std::views::reverse) {
            bool const sink = flow_.is_sink(v);
            if (flow_.writes(v).empty()) out_.required[v] = true;
            for (auto const value : flow_.writes(v)) {
                if (sink) need(value);
                if (value_[value]) need_producer(value);
            }
            if (!out_.required[v]) continue;
            for (auto const value : flow_.reads(v)) need(value);
            for (auto const u : flow_.control_predecessors(v)) out_.required[u] = true;
        }
        for (value_index value = 0; value < flow_.value_count(); ++value)
            if (value_[value] && flow_.producers(value).size() > 1 &&
                std::ranges::none_of(flow_.producers(value), [&](auto const u) { return out_.required[u]; }))
                out_.alternatives.push_back(value);
        return std::move(out_);
    }

  private:
    void need(value_index value) {
        value_[value] = true;
        for (auto const owner : flow_.owners(value)) value_[owner] = true;
    }
    /// The only first producer of a needed value is required; of several, what all of them read is needed.
    void need_producer(value_index value) {
        auto const producers = out_.first_producers(flow_, value);
        if (producers.size() == 1) {
            out_.required[producers.front()] = true;
            return;
        }
        for (auto const read : flow_.reads(producers.front()))
            if (!value_[read] && std::ranges::all_of(producers, [&](auto const u) {
                    return std::ranges::binary_search(flow_.reads(u), read);
                }))
                need(read);
    }

    dataflow const& flow_;
    std::vector<bool> value_;
    needed_operations out_;
};

REPEBBLE_INLINE auto find_needed(dataflow const& flow) -> needed_operations { return needed_search(flow).run(); }

REPEBBLE_INLINE auto least_time_once(dataflow const& flow, needed_operations const& needed,
                                     std::vector<std::int64_t> const& times) -> std::int64_t {
    std::int64_t total = 0;
    auto const add = [&](std::int64_t time, operation_index v) {
        total = checked_add(total, time,
                            [&] { return "times of all operations, up to operation " + std::to_string(v) + ","; });
    };
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (needed.required[v]) add(times[v], v);
    if (needed.alternatives.empty()) return total;
    // Operations that write one value are of one group: one run may be for several values.
    std::vector<operation_index> group(flow.operation_count());
    std::iota(group.begin(), group.end(), operation_index{0});
    auto const root = [&](operation_index v) {
        while (group[v] != v) v = group[v] = group[group[v]];
        return v;
    };
    for (value_index value = 0; value < flow.value_count(); ++value)
        for (auto const u : flow.producers(value)) group[root(u)] = root(flow.producers(value).front());
    std::vector<std::int64_t> least(flow.operation_count(), 0);
    std::vector<bool> has_required(flow.operation_count(), false);
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (needed.required[v]) has_required[root(v)] = true;
    for (auto const value : needed.alternatives) {
        auto fastest = std::numeric_limits<std::int64_t>::max();
        for (auto const u : needed.first_producers(flow, value)) fastest = std::min(fastest, times[u]);
        auto const g = root(flow.producers(value).front());
        if (!has_required[g]) least[g] = std::max(least[g], fastest);
    }
    for (operation_index v = 0; v < flow.operation_count(); ++v) add(least[v], v);
    return total;
}

/// Chooses producers, from the sinks back.
class cheapest_choice {
  public:
    cheapest_choice(dataflow const& flow, needed_operations const& needed)
        : flow_(flow),
          needed_(needed),
          made_at_(flow.value_count(), flow.operation_count()),
          place_(places_in(flow.order(), flow.operation_count())),
          seen_(flow.operation_count(), 0) {}

    auto run() && -> std::vector<operation_index> {
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            if (needed_.required[v]) choose(v);
        for (auto const value : needed_.alternatives) make(value, flow_.operation_count());
        while (!open_.empty()) {
            auto const v = open_.back();
            open_.pop_back();
            for (auto const value : flow_.reads(v)) {
                make(value, place_[v]);
                for (auto const owner : flow_.owners(value)) make(owner, place_[v]);
            }
            for (auto const u : flow_.control_predecessors(v))
                if (!chosen(u)) choose(u);
        }
        std::vector<operation_index> out;
        for (auto const v : flow_.order())
            if (chosen(v)) out.push_back(v);
        return out;
    }

  private:
    [[nodiscard]] auto chosen(operation_index v) const -> bool { return seen_[v] == all_; }
    void choose(operation_index v) {
        seen_[v] = all_;
        for (auto const value : flow_.writes(v)) made_at_[value] = std::min(made_at_[value], place_[v]);
        open_.push_back(v);
    }
    /// Chooses a producer that comes before that place in the order, where none has been chosen.
    void make(value_index value, std::size_t place) {
        if (made_at_[value] < place) return;
        auto best = flow_.producers(value).front();
        auto least = std::numeric_limits<double>::infinity();
        if (flow_.producers(value).size() > 1)
            for (auto const u : flow_.producers(value)) {
                if (place_[u] >= place) continue;
                if (auto const more = added_by(u); more < least) {
                    least = more;
                    best = u;
                }
            }
        choose(best);
    }
    /// Time that choosing it adds, where of alternatives further back the fastest are taken.
    [[nodiscard]] auto added_by(operation_index first) -> double {
        ++round_;
        double time = 0;
        std::vector<operation_index> todo{first};
        seen_[first] = round_;
        auto const add = [&](operation_index v) {
            if (seen_[v] == all_ || seen_[v] == round_) return;
            seen_[v] = round_;
            todo.push_back(v);
        };
        while (!todo.empty()) {
            auto const v = todo.back();
            todo.pop_back();
            time += static_cast<double>(flow_.time(v));
            for (auto const value : flow_.reads(v)) {
                if (made_at_[value] < place_[v]) continue;
                auto best = flow_.producers(value).front();
                for (auto const u : flow_.producers(value))
                    if (place_[u] < place_[v] && flow_.time(u) < flow_.time(best)) best = u;
                add(best);
            }
        }
        return time;
    }

    static constexpr std::size_t all_ = std::numeric_limits<std::size_t>::max();
    dataflow const& flow_;
    needed_operations const& needed_;
    std::vector<std::size_t> made_at_;  // by value: place in the order of the first producer that is chosen
    std::vector<std::size_t> place_;    // by operation, in the order
    std::vector<std::size_t> seen_;  // by operation: the round that saw it last, or `all_` where it is chosen
    std::vector<operation_index> open_;
    std::size_t round_ = 0;
};

REPEBBLE_INLINE auto cheapest_operations(dataflow const& flow, needed_operations const& needed)
    -> std::vector<operation_index> {
    return cheapest_choice(flow, needed).run();
}

}  // namespace repebble::inline v0::detail

#endif
