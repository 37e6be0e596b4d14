#ifndef REPEBBLE_IMPL_ORDERS_PLACEMENT_SEARCH_IPP
#define REPEBBLE_IMPL_ORDERS_PLACEMENT_SEARCH_IPP

#include <repebble/orders/detail/placement_search.hpp>

#include <bit>
#include <cstring>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE placement_search::placement_search(dataflow const& flow, bytes budget, policy_marks const* marks)
    : flow_(flow), budget_(budget) {
    for (value_index x = 0; x < flow.value_count(); ++x) {
        if (!flow.is_view(x)) sizes_.push_back(flow.size(x));
        if (flow.is_result(x)) results_ |= bit(x);
        if (flow.producers(x).size() == 1) single_ |= bit(x);
    }
    sort_unique(sizes_);
    stride_ = 2 * flow.owner_slots() + 2 * sizeof(bit_set) + 1;
    stride_ += (sizeof(std::uint64_t) - stride_ % sizeof(std::uint64_t)) % sizeof(std::uint64_t);  // whole words
    units_ = (stride_ + 2 * sizeof(node) + 99) / 100;
    made_key_.resize(stride_);
    note_operations();
    if (marks != nullptr && marks->any_recomputed) note_policies(*marks);
}

REPEBBLE_INLINE auto placement_search::fits(dataflow const& flow) -> bool {
    if (std::max(flow.operation_count(), flow.value_count()) > small_game::most) return false;
    for (value_index x = 0; x < flow.value_count(); ++x)
        if (flow.owners(x).empty()) return false;
    return flow.owner_slots() <= most_slots;
}

REPEBBLE_INLINE void placement_search::note_operations() {
    auto const set_of = [](auto const& indices) {
        bit_set all = 0;
        for (auto const i : indices) all |= bit(i);
        return all;
    };
    for (operation_index v = 0; v < flow_.operation_count(); ++v) {
        reads_.push_back(set_of(flow_.reads(v)));
        writes_.push_back(set_of(flow_.writes(v)));
        after_.push_back(set_of(flow_.control_predecessors(v)));
        bool const is_sink = flow_.is_sink(v);
        if (is_sink) sinks_ |= bit(v);
        alternatives_.push_back(is_sink && (writes_[v] & single_) == 0 ? writes_[v] : 0);
        counted_values_ |= alternatives_.back();
        if (is_sink || !flow_.recomputable(v)) counted_ |= bit(v);
        counted_ |= after_[v];
    }
    bit_set read = 0;
    for (auto const v : flow_.order()) {
        has_circles_ = has_circles_ || (writes_[v] & read) != 0;
        read |= reads_[v];
    }
}

REPEBBLE_INLINE void placement_search::note_policies(policy_marks const& marks) {
    for (operation_index v = 0; v < flow_.operation_count(); ++v) {
        if (!flow_.is_input(v)) (marks.backward[v] ? backward_ : forward_) |= bit(v);
        counted_ |= bit(v);
        counted_values_ |= writes_[v] & ~single_;
    }
    for (value_index x = 0; x < flow_.value_count(); ++x)
        if (marks.recomputed[x]) recomputed_ |= bit(x);
}

REPEBBLE_INLINE void placement_search::begin() {
    begun_ = true;
    slots_.assign(1024, none);
    position p{.crossed = recomputed_ == 0};
    p.lies_in.assign(flow_.owner_slots(), nowhere);
    for (auto const v : flow_.order()) {
        if (!flow_.is_input(v)) continue;
        auto next = after(p, {v});
        if (!next) return;
        p = std::move(*next);
    }
    drop_useless(p);
    reach(p, {});
}

REPEBBLE_INLINE auto placement_search::run(std::size_t state_limit, stop_test stop) -> pebbling_end {
    if (!begun_) begin();
    paced_stop is_late(stop);
    while (!queue_.empty()) {
        auto const [total, i] = queue_.front();
        lower_bound_ = std::max(lower_bound_, cutoff_ ? std::min(total, *cutoff_) : total);
        if (cutoff_ && total >= *cutoff_) break;
        if (states() > state_limit || is_late.after(flow_.operation_count() * 16)) return pebbling_end::limit;
        bool const is_superseded = nodes_[i].expanded || total > nodes_[i].elapsed + nodes_[i].ahead;
        if (!is_superseded && is_over(position_of(i))) {
            last_ = i;  // stays in the queue: asked again, it is found again
            return pebbling_end::found;
        }
        std::ranges::pop_heap(queue_, behind{});
        queue_.pop_back();
        if (!is_superseded) expand(i);
    }
    if (cutoff_) lower_bound_ = std::max(lower_bound_, *cutoff_);
    return pebbling_end::impossible;
}

REPEBBLE_INLINE void placement_search::expand(node_index from) {
    nodes_[from].expanded = true;
    auto const p = position_of(from);
    bool is_blocked = !p.crossed && (p.resident & recomputed_) != 0;
    if (!p.crossed && !is_blocked) {
        auto next = p;
        next.crossed = true;
        reach(next, {.elapsed = nodes_[from].elapsed, .parent = from});
    }
    for_each_bit(useful(p).operations, [&](std::size_t v) {
        if ((reads_[v] & ~p.resident) == 0 && (after_[v] & ~p.ran) == 0 &&
            is_allowed(p, static_cast<operation_index>(v)))
            is_blocked = !run_from(p, from, static_cast<operation_index>(v)) || is_blocked;
    });
    if (!is_blocked) return;
    for_each_bit(p.resident, [&](std::size_t x) {
        auto next = p;
        let_go(next, static_cast<value_index>(x));
        reach(next, {.elapsed = nodes_[from].elapsed, .parent = from});
    });
}

REPEBBLE_INLINE auto placement_search::run_from(position const& p, node_index from, operation_index v) -> bool {
    auto const try_move = [&](move const& m) {
        auto next = after(p, m);
        if (!next) return false;
        drop_useless(*next);
        auto const elapsed = checked_add(nodes_[from].elapsed, flow_.time(v), "times of a schedule");
        reach(*next, {.elapsed = elapsed, .parent = from, .by = m, .computes = true});
        return true;
    };
    if (try_move({v})) return true;  // in place it is no better
    for (std::uint32_t k = 1; k <= flow_.allowed_overwrites(v).size(); ++k) static_cast<void>(try_move({v, k}));
    return false;
}

REPEBBLE_INLINE auto placement_search::useful(position const& p) const -> outlook {
    outlook ahead{.values = results_};
    bit_set goals = 0;
    bit_set wanted = 0;  // computed once, by whatever operation
    bit_set first = 0;   // operations that have to run before useful ones
    for_each_bit(sinks_, [&](std::size_t s) {
        if (!waits(p, static_cast<operation_index>(s))) return;
        goals |= bit(s);
        wanted |= alternatives_[s] & ~p.computed;
    });
    bit_set before = 0;
    do {
        before = ahead.operations;
        for (std::size_t k = flow_.operation_count(); k-- > 0;) {
            auto const v = flow_.order()[k];
            bool const is_useful = has_bit(goals | first, v) || (writes_[v] & (ahead.values | wanted)) != 0;
            if (!is_useful || is_spent(p, v)) continue;
            ahead.operations |= bit(v);
            ahead.values |= reads_[v];
            first |= after_[v] & ~p.ran;
        }
    } while (has_circles_ && ahead.operations != before);
    return ahead;
}

REPEBBLE_INLINE auto placement_search::time_ahead(position const& p) const -> std::optional<std::int64_t> {
    std::int64_t sum = 0;
    bit_set must_run = 0, found = 0;
    auto const need = [&](bit_set values) {
        for_each_bit(values & ~p.resident & single_, [&](std::size_t x) { found |= bit(flow_.producers(x).front()); });
    };
    for_each_bit(sinks_, [&](std::size_t s) {
        if (alternatives_[s] == 0 && waits(p, static_cast<operation_index>(s))) found |= bit(s);
    });
    need(results_);
    for (bit_set rest = found; rest != 0; rest = found & ~must_run) {
        auto const v = static_cast<operation_index>(std::countr_zero(rest));
        if (is_spent(p, v)) return {};
        must_run |= bit(v);
        sum = checked_add(sum, flow_.time(v), "times of a schedule");
        found |= after_[v] & ~p.ran;
        need(reads_[v]);
    }
    return sum;
}

REPEBBLE_INLINE auto placement_search::is_over(position const& p) const -> bool {
    bool waiting = false;
    for_each_bit(sinks_, [&](std::size_t s) { waiting = waiting || waits(p, static_cast<operation_index>(s)); });
    return p.crossed && !waiting && (results_ & ~p.resident) == 0;
}

REPEBBLE_INLINE auto placement_search::after(position const& p, move const& m) const -> std::optional<position> {
    auto const v = m.v;
    auto const outputs = flow_.writes(v);
    auto next = p;
    std::vector<slot> fresh(outputs.size(), nowhere);
    if (m.overwrite > 0 && !overwrite(next, m, fresh)) return {};
    for (std::size_t k = 0; k < flow_.mutations(v).size(); ++k)
        if (!mutate(next, v, k, fresh)) return {};
    // New storages are allocated beside all others, older ones of the outputs among them.
    for (std::size_t j = 0; j < outputs.size(); ++j) {
        if (flow_.is_view(outputs[j]) || fresh[j] != nowhere) continue;
        fresh[j] = static_cast<slot>(next.storages.size());
        next.storages.push_back({.size = flow_.size(outputs[j])});
        next.in_use = checked_add(next.in_use, flow_.size(outputs[j]));
    }
    if (checked_add(next.in_use, flow_.workspace(v)) > budget_) return {};
    for (std::size_t j = 0; j < outputs.size(); ++j) {
        auto const x = outputs[j];
        if (flow_.is_view(x)) {
            if (!look_at_owners(next, v, x)) return {};
            continue;
        }
        let_go(next, x);
        put(next, x, flow_.owner_start(x), fresh[j]);
    }
    next.ran |= bit(v) & counted_;
    next.computed |= writes_[v] & counted_values_;
    return next;
}

REPEBBLE_INLINE auto placement_search::overwrite(position& p, move const& m, std::vector<slot>& fresh) const -> bool {
    auto const [j, over] = flow_.allowed_overwrites(m.v)[m.overwrite - 1];
    auto const output = flow_.writes(m.v)[j];
    if (flow_.is_view(output) || over == output || !has_bit(p.resident, over) || flow_.owners(over).size() != 1)
        return false;
    auto const id = p.lies_in[flow_.owner_start(over)];
    if (flow_.size(output) == 0 || p.storages[id].size != flow_.size(output) || p.storages[id].values != bit(over))
        return false;
    for (auto const view : flow_.writes(m.v)) {
        if (!flow_.is_view(view)) continue;
        for (auto const owner : flow_.owners(view))
            if (auto const seen = flow_.slot_seen(m.v, owner); !seen || p.lies_in[*seen] == id) return false;
    }
    fresh[j] = id;
    p.lies_in[flow_.owner_start(over)] = nowhere;
    p.storages[id].values = 0;
    p.resident &= ~bit(over);
    return true;
}

REPEBBLE_INLINE auto placement_search::mutate(position& p, operation_index v, std::size_t k,
                                              std::vector<slot>& fresh) const -> bool {
    auto const& m = flow_.mutations(v)[k];
    auto const id = p.lies_in[flow_.owner_start(m.over)];
    if (fresh[m.output] != nowhere || id == nowhere) return false;
    if (p.storages[id].size < flow_.size(flow_.writes(v)[m.output])) return false;
    bit_set ended = 0;  // another may refer to the storage of an older computation
    for (auto const x : flow_.ended(v, k))
        if (flow_.owners(x).size() == 1 && p.lies_in[flow_.owner_start(x)] == id) ended |= bit(x);
    if (p.storages[id].values != ended) return false;
    for_each_bit(ended, [&](std::size_t x) { p.lies_in[flow_.owner_start(x)] = nowhere; });
    p.storages[id].values = 0;
    p.resident &= ~ended;
    fresh[m.output] = id;
    return true;
}

REPEBBLE_INLINE auto placement_search::look_at_owners(position& p, operation_index v, value_index view) const -> bool {
    std::vector<slot> seen;
    for (auto const owner : flow_.owners(view)) {
        auto const at = flow_.slot_seen(v, owner);
        if (!at || p.lies_in[*at] == nowhere) return false;
        seen.push_back(p.lies_in[*at]);
    }
    let_go(p, view);
    for (std::size_t k = 0; k < seen.size(); ++k) put(p, view, flow_.owner_start(view) + k, seen[k]);
    p.resident |= bit(view);
    return true;
}

REPEBBLE_INLINE void placement_search::put(position& p, value_index x, std::size_t at, slot id) const {
    p.lies_in[at] = id;
    p.storages[id].values |= bit(x);
    p.resident |= bit(x);
}

REPEBBLE_INLINE void placement_search::let_go(position& p, value_index x) const {
    if (!has_bit(p.resident, x)) return;
    p.resident &= ~bit(x);
    auto const start = flow_.owner_start(x);
    for (std::size_t k = start; k < start + flow_.owners(x).size(); ++k) {
        auto const id = p.lies_in[k];
        p.lies_in[k] = nowhere;
        auto& s = p.storages[id];
        if (!has_bit(s.values, x)) continue;  // another of its owners lies there, too
        s.values &= ~bit(x);
        if (s.values == 0) p.in_use -= s.size;
    }
}

REPEBBLE_INLINE void placement_search::drop_useless(position& p) const {
    for_each_bit(p.resident & ~useful(p).values, [&](std::size_t x) { let_go(p, static_cast<value_index>(x)); });
}

REPEBBLE_INLINE void placement_search::reach(position const& p, node made) {
    write_key(p);
    auto const at = slot_of(made_key_.data());
    if (auto const i = slots_[at]; i != none) {
        auto& known = nodes_[i];
        if (known.elapsed <= made.elapsed) return;
        made.ahead = known.ahead;
        known = made;
        queue_.push_back({known.elapsed + known.ahead, i});
        std::ranges::push_heap(queue_, behind{});
        return;
    }
    auto const rest = time_ahead(p);
    if (!rest) return;
    made.ahead = *rest;
    auto const total = checked_add(made.elapsed, made.ahead, "times of a schedule");
    if (cutoff_ && total >= *cutoff_) return;
    auto const i = static_cast<node_index>(nodes_.size());
    slots_[at] = i;
    nodes_.push_back(made);
    keys_.insert(keys_.end(), made_key_.begin(), made_key_.end());
    queue_.push_back({total, i});
    std::ranges::push_heap(queue_, behind{});
    if (nodes_.size() * 2 > slots_.size()) grow();
}

REPEBBLE_INLINE void placement_search::write_key(position const& p) {
    auto const slots = p.lies_in.size();
    std::fill(made_key_.begin(), made_key_.end(), nowhere);
    std::vector<slot> number(p.storages.size(), nowhere);
    slot met = 0;
    for (std::size_t k = 0; k < slots; ++k) {
        auto const id = p.lies_in[k];
        if (id == nowhere) continue;
        if (number[id] == nowhere) {
            auto const size = std::ranges::lower_bound(sizes_, p.storages[id].size) - sizes_.begin();
            made_key_[slots + met] = static_cast<slot>(size);
            number[id] = met++;
        }
        made_key_[k] = number[id];
    }
    std::memcpy(made_key_.data() + 2 * slots, &p.ran, sizeof p.ran);
    std::memcpy(made_key_.data() + 2 * slots + sizeof p.ran, &p.computed, sizeof p.computed);
    made_key_.back() = p.crossed ? 1 : 0;
}

REPEBBLE_INLINE auto placement_search::position_of(node_index i) const -> position {
    position p;
    auto const slots = flow_.owner_slots();
    auto const* const from = key(i);
    p.lies_in.assign(from, from + slots);
    for (std::size_t k = 0; k < slots && from[slots + k] != nowhere; ++k) {
        p.storages.push_back({.size = sizes_[from[slots + k]]});
        p.in_use += p.storages.back().size;
    }
    for (value_index x = 0; x < flow_.value_count(); ++x) {
        auto const start = flow_.owner_start(x);
        for (std::size_t k = start; k < start + flow_.owners(x).size(); ++k)
            if (p.lies_in[k] != nowhere) put(p, x, k, p.lies_in[k]);
    }
    std::memcpy(&p.ran, from + 2 * slots, sizeof p.ran);
    std::memcpy(&p.computed, from + 2 * slots + sizeof p.ran, sizeof p.computed);
    p.crossed = from[stride_ - 1] != 0;
    return p;
}

REPEBBLE_INLINE auto placement_search::slot_of(std::uint8_t const* wanted) const -> std::size_t {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < stride_; k += sizeof hash) {
        std::uint64_t word = 0;
        std::memcpy(&word, wanted + k, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32U;
    }
    auto const mask = slots_.size() - 1;
    auto at = (hash ^ (hash >> 32U)) & mask;
    while (slots_[at] != none && std::memcmp(key(slots_[at]), wanted, stride_) != 0) at = (at + 1) & mask;
    return at;
}

REPEBBLE_INLINE void placement_search::grow() {
    slots_.assign(slots_.size() * 2, none);
    for (node_index i = 0; i < nodes_.size(); ++i) slots_[slot_of(key(i))] = i;
}

REPEBBLE_INLINE auto placement_search::found() const -> schedule<> {
    std::vector<node_index> path;
    for (auto i = last_; i != none; i = nodes_[i].parent) path.push_back(i);
    std::ranges::reverse(path);
    schedule_builder made(flow_);
    bit_set resident = 0;
    for (auto const v : flow_.order()) {
        if (!flow_.is_input(v)) continue;
        made.compute(v);
        resident |= writes_[v];
    }
    for (std::size_t k = 0; k < path.size(); ++k) {
        auto const& n = nodes_[path[k]];
        if (n.computes) {
            // What it writes over ends with it.
            auto const before = position_of(path[k - 1]);
            resident = after(before, n.by)->resident;
            if (n.by.overwrite > 0) {
                auto const [j, over] = flow_.allowed_overwrites(n.by.v)[n.by.overwrite - 1];
                made.compute_in_place(n.by.v, j, over);
            } else {
                made.compute(n.by.v);
            }
        }
        auto const left = position_of(path[k]).resident;
        for_each_bit(resident & ~left, [&](std::size_t x) { made.discard(static_cast<value_index>(x)); });
        resident = left;
    }
    return std::move(made).finish();
}

}  // namespace repebble::inline v0::detail

#endif
