#ifndef REPEBBLE_TESTS_SUPPORT_BRUTE_SWAPPING_HPP
#define REPEBBLE_TESTS_SUPPORT_BRUTE_SWAPPING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/brute_pebbling.hpp"

namespace support {

/// What an exhaustive search of lists with copies looks for.
struct swap_limits {
    repebble::bytes budget = 0;
    std::optional<repebble::bytes> host_budget{};
    std::optional<std::int64_t> below{};  ///< a makespan less than this
    bool in_base_order = false;           ///< first runs are in the order of the dataflow
    std::size_t most_states = brute_pebbling::any_number;
};

/// The list of least makespan among all legal ones with copies to the host, on a tiny dataflow: label setting over the
/// states of the pools and the times of the lanes, of which those are dropped that another dominates in all times. A
/// discard is listed only just before a step for whose bytes it is needed, for it never gains by being earlier; old
/// outputs of an operation may also end just before it runs again. In place are the steps that the dataflow allows,
/// over values of the output's size.  Requires: `knows`.
class brute_swapping {
  public:
    /// Nothing where there is none.  Throws too_many_states.
    [[nodiscard]] static auto best(repebble::dataflow const& flow, repebble::host_link const& via,
                                   swap_limits const& limits) -> std::optional<repebble::schedule<>> {
        return brute_swapping(flow, via, limits).search();
    }

    /// Whether each value lies in a storage of its own size: there are neither views nor alternatives, and mutations
    /// write as many bytes as they overwrite. And whether there are at most 20 operations and 20 values.
    [[nodiscard]] static auto knows(repebble::dataflow const& flow) -> bool {
        if (flow.operation_count() > 20 || flow.value_count() > 20) return false;
        for (value x = 0; x < flow.value_count(); ++x)
            if (flow.is_view(x) || flow.producers(x).size() != 1) return false;
        for (operation v = 0; v < flow.operation_count(); ++v)
            for (auto const& m : flow.mutations(v))
                if (flow.size(m.over) != flow.size(flow.writes(v)[m.output])) return false;
        return true;
    }

  private:
    using operation = repebble::operation_index;
    using value = repebble::value_index;
    using set = std::uint32_t;
    using time = std::int64_t;

    struct times_of_value {
        time ready = 0, used = 0, host_ready = 0, host_used = 0;
    };
    struct state {
        set device = 0, host = 0, ran = 0;
        time computed = 0, out = 0, in = 0, free = 0, host_free = 0;  // ends of lanes; memory of the pools is free
        std::vector<times_of_value> values{};
        std::size_t before = 0;              // the state before
        std::vector<repebble::step<>> by{};  // the steps from there; repetitions are counted in the end
    };

    brute_swapping(repebble::dataflow const& flow, repebble::host_link const& via, swap_limits const& limits)
        : flow_(flow), via_(via), limits_(limits) {
        for (operation v = 0; v < flow.operation_count(); ++v) all_ |= bit(v);
        for (auto const v : flow.order()) (flow.is_input(v) ? inputs_ : others_).push_back(v);
    }

    [[nodiscard]] static auto bit(std::size_t k) -> set { return set{1} << k; }
    [[nodiscard]] static auto has(set s, std::size_t k) -> bool { return (s >> k & 1U) != 0; }
    [[nodiscard]] auto bytes_of(set s) const -> repebble::bytes {
        repebble::bytes sum = 0;
        for (value x = 0; x < flow_.value_count(); ++x)
            if (has(s, x)) sum += flow_.size(x);
        return sum;
    }

    auto search() -> std::optional<repebble::schedule<>> {
        state start;
        start.values.resize(flow_.value_count());
        for (auto const v : inputs_) {
            if (bytes_of(start.device) + flow_.workspace(v) + bytes_of(outputs(v)) > limits_.budget) return {};
            compute(start, v);
        }
        enter(std::move(start));
        while (!waiting_.empty()) {
            auto const at = std::get<2>(waiting_.top());
            waiting_.pop();
            if (is_dominated_[at]) continue;
            if (is_goal(states_[at])) return list_of(at);
            for (std::size_t k = 0; k < others_.size(); ++k) try_compute(at, k);
            for (value x = 0; x < flow_.value_count(); ++x) {
                if (has(states_[at].device, x) && !has(states_[at].host, x)) try_offload(at, x);
                if (has(states_[at].host, x) && !has(states_[at].device, x)) try_prefetch(at, x);
            }
        }
        return {};
    }
    [[nodiscard]] auto is_goal(state const& s) const -> bool {
        return s.ran == all_ && std::ranges::all_of(flow_.results(), [&](value const x) { return has(s.device, x); });
    }

    // --- Steps -----------------------------------------------------------------------------------------------------

    void try_compute(std::size_t at, std::size_t position) {
        auto const v = others_[position];
        auto const s = states_[at];  // a copy: more states are entered
        bool const again = has(s.ran, v);
        if (again && !flow_.recomputable(v)) return;
        if (!again && limits_.in_base_order && position > 0 && !has(s.ran, others_[position - 1])) return;
        for (auto const u : flow_.control_predecessors(v))
            if (!has(s.ran, u)) return;
        set reads = 0;
        for (auto const x : flow_.reads(v)) reads |= bit(x);
        if ((reads & ~s.device) != 0) return;
        run_over(at, v, {});
        for (auto const& o : flow_.allowed_overwrites(v)) {
            auto const output = flow_.writes(v)[o.output];
            bool const fits = flow_.size(output) > 0 && flow_.size(output) == flow_.size(o.over);
            if (fits && has(s.device, o.over) && !has(outputs(v) | ended(v), o.over) && !has(mutated(v), output))
                run_over(at, v, o);
        }
    }
    /// In place over a value, which ends, or with bytes for each output that is no mutation.
    void run_over(std::size_t at, operation v, std::optional<repebble::overwrite> const& o) {
        auto const device = states_[at].device;
        set reads = 0;
        for (auto const x : flow_.reads(v)) reads |= bit(x);
        auto const writes = outputs(v);
        auto const old = device & writes & ~reads;
        auto const over = ended(v) | (o ? bit(o->over) : 0);
        for (set gone = old;; gone = (gone - 1) & old) {
            auto const need =
                bytes_of(device & ~gone) + bytes_of(writes) - bytes_of(over) + flow_.workspace(v) - limits_.budget;
            for_each_least(device & ~reads & ~old & ~over, need, [&](set some) {
                auto next = after(at);
                for_each(gone | some, [&](value x) { discard(next, x); });
                for_each(next.host & writes, [&](value x) { discard_host(next, x); });
                compute(next, v, o);
                enter(std::move(next));
            });
            if (gone == 0) break;
        }
    }
    void try_offload(std::size_t at, value x) {
        if (!limits_.host_budget) return copy_out(after(at), x);
        auto const host = states_[at].host;
        for_each_least(host, bytes_of(host) + flow_.size(x) - *limits_.host_budget, [&](set some) {
            auto next = after(at);
            for_each(some, [&](value y) { discard_host(next, y); });
            copy_out(std::move(next), x);
        });
    }
    void try_prefetch(std::size_t at, value x) {
        auto const device = states_[at].device;
        for_each_least(device, bytes_of(device) + flow_.size(x) - limits_.budget, [&](set some) {
            auto next = after(at);
            for_each(some, [&](value y) { discard(next, y); });
            auto& t = next.values[x];
            auto const free = flow_.size(x) > 0 ? next.free : 0;
            auto& lane = via_.half_duplex ? next.out : next.in;
            lane = std::max({lane, t.host_ready, free}) + via_.copy_time(flow_.size(x));
            t.host_used = std::max(t.host_used, lane);
            t.ready = t.used = lane;
            next.device |= bit(x);
            next.by.push_back(on_value(repebble::action::prefetch, x, repebble::pool::host));
            enter(std::move(next));
        });
    }

    [[nodiscard]] auto after(std::size_t at) const -> state {
        auto next = states_[at];
        next.before = at;
        next.by.clear();
        return next;
    }
    [[nodiscard]] auto outputs(operation v) const -> set {
        set all = 0;
        for (auto const x : flow_.writes(v)) all |= bit(x);
        return all;
    }
    /// The values that v overwrites, and what it writes over them.
    [[nodiscard]] auto ended(operation v) const -> set {
        set all = 0;
        for (auto const& m : flow_.mutations(v)) all |= bit(m.over);
        return all;
    }
    [[nodiscard]] auto mutated(operation v) const -> set {
        set all = 0;
        for (auto const& m : flow_.mutations(v)) all |= bit(flow_.writes(v)[m.output]);
        return all;
    }
    template <class F>
    static void for_each(set s, F&& f) {
        for (value x = 0; x < 32; ++x)
            if (has(s, x)) f(x);
    }
    /// Calls f for each set of these values that has so many bytes, and none of its own subsets has.
    template <class F>
    void for_each_least(set from, repebble::bytes bytes, F&& f) const {
        if (bytes <= 0) return f(set{0});
        for_each(from, [&](value x) {
            if (flow_.size(x) == 0) from &= ~bit(x);
        });
        for (set some = from; some != 0; some = (some - 1) & from) {
            auto const sum = bytes_of(some);
            if (sum < bytes) continue;
            bool least = true;
            for_each(some, [&](value x) { least = least && sum - flow_.size(x) < bytes; });
            if (least) f(some);
        }
    }
    void discard(state& s, value x) const {
        s.device &= ~bit(x);
        s.free = std::max(s.free, s.values[x].used);
        s.by.push_back(on_value(repebble::action::discard, x, repebble::pool::device));
    }
    void discard_host(state& s, value x) const {
        s.host &= ~bit(x);
        s.host_free = std::max(s.host_free, s.values[x].host_used);
        s.by.push_back(on_value(repebble::action::discard, x, repebble::pool::host));
    }
    void copy_out(state s, value x) {
        auto& t = s.values[x];
        s.out = std::max({s.out, t.ready, flow_.size(x) > 0 ? s.host_free : 0}) + via_.copy_time(flow_.size(x));
        t.used = std::max(t.used, s.out);
        t.host_ready = t.host_used = s.out;
        s.host |= bit(x);
        s.by.push_back(on_value(repebble::action::offload, x, repebble::pool::device));
        enter(std::move(s));
    }
    void compute(state& s, operation v, std::optional<repebble::overwrite> const& o = {}) const {
        time start = s.computed;
        auto const over = ended(v) | (o ? bit(o->over) : 0);
        for (auto const x : flow_.reads(v)) start = std::max(start, s.values[x].ready);
        for_each(over, [&](value x) { start = std::max(start, s.values[x].used); });
        if (flow_.workspace(v) > 0 || bytes_of(outputs(v)) > 0) start = std::max(start, s.free);
        auto const end = s.computed = start + flow_.time(v);
        s.device &= ~over;
        for (auto const x : flow_.reads(v)) s.values[x].used = std::max(s.values[x].used, end);
        if (flow_.workspace(v) > 0) s.free = std::max(s.free, end);
        for (auto const x : flow_.writes(v)) {
            if (has(s.device, x)) s.free = std::max({s.free, s.values[x].used, end});
            s.device |= bit(x);
            s.values[x] = {.ready = end, .used = end};
        }
        s.ran |= bit(v);
        repebble::step<> by{.vertex = v};
        if (o) {
            auto const named = flow_.as_output(o->over);
            by = {
                .in_place = true, .output = o->output, .vertex = v, .over_output = named.output, .over = named.vertex};
        }
        s.by.push_back(by);
    }
    [[nodiscard]] auto on_value(repebble::action what, value x, repebble::pool from) const -> repebble::step<> {
        auto const named = flow_.as_output(x);
        return {.what = what, .from = from, .output = named.output, .vertex = named.vertex};
    }

    // --- States ----------------------------------------------------------------------------------------------------

    /// The least makespan from here on is no less than this.
    [[nodiscard]] auto least_end(state const& s) const -> time {
        auto end = s.computed;
        for (auto const v : others_)
            if (!has(s.ran, v)) end += flow_.time(v);
        return std::max({end, s.out, s.in});
    }
    /// Times that make no difference become equal.
    void normalise(state& s) const {
        auto const in = via_.half_duplex ? s.out : s.in;
        s.free = std::max(s.free, std::min(s.computed, in));
        s.host_free = std::max(s.host_free, s.out);
        for (value x = 0; x < flow_.value_count(); ++x) {
            auto& t = s.values[x];
            if (!has(s.device, x)) t.ready = t.used = 0;
            if (!has(s.host, x)) t.host_ready = t.host_used = 0;
            if (has(s.device, x)) {
                t.ready = std::max(t.ready, has(s.host, x) ? s.computed : std::min(s.computed, s.out));
                t.used = std::max(t.used, std::min(s.computed, in));
            }
            if (has(s.host, x)) {
                t.host_ready = std::max(t.host_ready, in);
                t.host_used = std::max(t.host_used, s.out);
            }
        }
    }
    [[nodiscard]] static auto dominates(state const& a, state const& b) -> bool {
        if (a.computed > b.computed || a.out > b.out || a.in > b.in || a.free > b.free || a.host_free > b.host_free)
            return false;
        for (std::size_t x = 0; x < a.values.size(); ++x) {
            auto const &s = a.values[x], &t = b.values[x];
            if (s.ready > t.ready || s.used > t.used || s.host_ready > t.host_ready || s.host_used > t.host_used)
                return false;
        }
        return true;
    }
    void enter(state s) {
        auto const end = least_end(s);
        if (limits_.below && end >= *limits_.below) return;
        normalise(s);
        auto& same = labels_[{s.device, s.host, s.ran}];
        for (auto const k : same)
            if (dominates(states_[k], s)) return;
        std::erase_if(same, [&](std::size_t k) {
            if (!dominates(s, states_[k])) return false;
            is_dominated_[k] = true;
            return true;
        });
        if (states_.size() >= limits_.most_states) throw too_many_states();
        same.push_back(states_.size());
        waiting_.emplace(-end, s.computed, states_.size());
        states_.push_back(std::move(s));
        is_dominated_.push_back(false);
    }
    /// The list that leads to a state.
    [[nodiscard]] auto list_of(std::size_t at) const -> repebble::schedule<> {
        std::vector<std::size_t> path;
        for (auto k = at; k != 0; k = states_[k].before) path.push_back(k);
        path.push_back(0);
        repebble::schedule<> list;
        std::vector<std::uint32_t> runs(flow_.operation_count(), 0);
        for (auto k = path.rbegin(); k != path.rend(); ++k)
            for (auto s : states_[*k].by) {
                s.repetition = s.what == repebble::action::compute ? runs[s.vertex]++ : runs[s.vertex] - 1;
                list.steps.push_back(s);
            }
        return list;
    }

    repebble::dataflow const& flow_;
    repebble::host_link via_;
    swap_limits limits_;
    set all_ = 0;
    std::vector<operation> inputs_, others_;  // in the order of the dataflow
    std::vector<state> states_;
    std::vector<bool> is_dominated_;
    std::map<std::tuple<set, set, set>, std::vector<std::size_t>> labels_;
    // The least end first; of equal ones the one that computed longest.
    std::priority_queue<std::tuple<time, time, std::size_t>> waiting_;
};

}  // namespace support

#endif
