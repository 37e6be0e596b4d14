#ifndef REPEBBLE_IMPL_TRACES_PLAN_PERIOD_IPP
#define REPEBBLE_IMPL_TRACES_PLAN_PERIOD_IPP

#include <repebble/traces/plan_period.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/plan.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE period_dataflow::period_dataflow(dataflow const& from, std::vector<value_index> const& away,
                                                 bytes at_begin)
    : from_(from),
      away_(away),
      is_away_(from.value_count(), false),
      number_(from.operation_count(), no_value),
      value_(from.value_count(), no_value) {
    for (auto const x : away) is_away_[x] = true;
    for (operation_index v = 0; v < from.operation_count(); ++v)
        if (from.is_input(v) && !is_away(v)) add(v, builder_.add_input());
    for (operation_index v = 0; v < from.operation_count(); ++v)
        if (is_away(v)) add(v, builder_.add_operation(0, 0, false));
    add_begin(at_begin);
    for (auto const v : from.order())
        if (!from.is_input(v)) add_rest(v);
    for (auto const x : from.results())
        if (!is_away_[x]) builder_.add_result(value_[x]);
    flow_ = std::move(builder_).build();
}

REPEBBLE_INLINE void period_dataflow::add(operation_index v, operation_index as) {
    number_[v] = as;
    original_.push_back(v);
    for (auto const x : from_.writes(v)) {
        if (value_[x] != no_value) {
            builder_.add_producer(as, value_[x]);
            continue;
        }
        std::vector<value_index> owners;
        for (auto const owner : from_.owners(x)) owners.push_back(value_[owner]);
        value_[x] = from_.is_view(x) ? builder_.add_view(as, owners) : builder_.add_value(as, from_.size(x));
    }
}

REPEBBLE_INLINE void period_dataflow::add_begin(bytes workspace) {
    begin_ = builder_.add_operation(0, workspace, false);
    original_.push_back(no_value);
    for (operation_index v = 0; v < from_.operation_count(); ++v) {
        if (!from_.is_input(v)) continue;
        if (is_away(v)) builder_.add_control_edge(number_[v], begin_);
        if (!is_away(v))
            for (auto const x : from_.writes(v)) builder_.add_read(begin_, value_[x]);
    }
}

REPEBBLE_INLINE void period_dataflow::add_rest(operation_index v) {
    add(v, builder_.add_copy(from_, v));
    auto const n = number_[v];
    for (auto const x : from_.operands(v)) builder_.add_read(n, value_[x]);
    for (auto const& m : from_.mutations(v)) builder_.add_mutation(n, m.output, value_[m.over]);
    for (auto const& o : from_.allowed_overwrites(v)) builder_.allow_overwrite(n, o.output, value_[o.over]);
    for (auto const u : from_.control_predecessors(v)) builder_.add_control_edge(number_[u], n);
    bool const is_first = std::ranges::all_of(from_.graph().predecessors(v), [&](auto u) { return from_.is_input(u); });
    if (is_first) builder_.add_control_edge(begin_, n);
}

/// Where values are while a period runs.
struct period_state {
    dataflow const& flow;
    std::vector<bool> on_device, on_host;
    std::vector<std::uint32_t> computations;

    period_state(dataflow const& of, std::vector<bool> const& is_away)
        : flow(of),
          on_device(of.value_count(), false),
          on_host(of.value_count(), false),
          computations(of.value_count(), 0) {
        for (operation_index v = 0; v < of.operation_count(); ++v)
            if (of.is_input(v)) write(v);
        for (value_index x = 0; x < of.value_count(); ++x) on_device[x] = on_device[x] && !is_away[x];
        on_host = is_away;
    }
    void play(step<> const& s) {
        if (s.what == action::compute) return compute(s);
        auto const x = flow.writes(s.vertex)[s.output];
        if (s.what == action::offload) on_host[x] = true;
        if (s.what == action::prefetch) on_device[x] = true;
        if (s.what == action::discard) (s.from == pool::device ? on_device : on_host)[x] = false;
    }
    /// Discards the last computation of a value.
    [[nodiscard]] auto discard(value_index x, pool from) const -> step<> {
        auto const [v, j] = flow.as_output(x);
        return {.what = action::discard, .from = from, .output = j, .repetition = computations[x] - 1, .vertex = v};
    }

  private:
    void compute(step<> const& s) {
        if (s.in_place) on_device[flow.writes(s.over)[s.over_output]] = false;
        for (auto const x : flow.ended(s.vertex)) on_device[x] = false;
        write(s.vertex);
    }
    void write(operation_index v) {
        for (auto const x : flow.writes(v)) {
            on_device[x] = true;
            on_host[x] = false;
            ++computations[x];
        }
    }
};

REPEBBLE_INLINE auto period_dataflow::period_of(schedule<> const& plan) const -> schedule<> {
    schedule<> period;
    period_state state(from_, is_away_);
    bool has_begun = false;
    for (auto s : plan.steps) {
        has_begun = has_begun || s.vertex == begin_;
        if (original_[s.vertex] == no_value) continue;
        s.vertex = original_[s.vertex];
        if (s.in_place) s.over = original_[s.over];
        if (s.what == action::compute ? from_.is_input(s.vertex) : is_left_out(s, has_begun)) continue;
        state.play(s);
        period.steps.push_back(s);
    }
    for (value_index x = 0; x < from_.value_count(); ++x) {
        bool const stays = from_.is_result(x) && !is_away_[x];
        if (state.on_device[x] && !stays) period.steps.push_back(state.discard(x, pool::device));
        if (state.on_host[x] && !is_away_[x]) period.steps.push_back(state.discard(x, pool::host));
    }
    return period;
}

REPEBBLE_INLINE auto period_dataflow::is_left_out(step<> const& s, bool has_begun) const -> bool {
    bool const on_host = s.what == action::offload || (s.what == action::discard && s.from == pool::host);
    return is_away(s.vertex) && (!has_begun || on_host);
}

REPEBBLE_INLINE auto period_dataflow::with_begin(schedule<> const& period) const -> schedule<> {
    schedule_builder steps(flow_);
    for (operation_index v = 0; v < flow_.operation_count(); ++v)
        if (flow_.is_input(v)) steps.compute(v);
    for (auto const x : away_) {
        steps.compute(number_[from_.producers(x).front()]);
        steps.offload(value_[x]);
        steps.discard(value_[x]);
    }
    steps.compute(begin_);
    auto all = std::move(steps).finish();
    auto const renamed = map_vertices(period, [&](operation_index v) { return number_[v]; });
    all.steps.insert(all.steps.end(), renamed.steps.begin(), renamed.steps.end());
    return all;
}

/// The bytes of all inputs but those that may be away, with what lies in their storages.
REPEBBLE_INLINE auto fixed_bytes(dataflow const& flow, std::vector<value_index> const& movable) -> bytes {
    bytes sum = 0;
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (flow.is_input(v))
            for (auto const x : flow.writes(v))
                if (!flow.is_view(x)) sum += flow.size(x);
    for (auto const x : movable) sum -= flow.size(x);
    return sum;
}

/// Inputs that may be away and, in the order of their use, do not stay in a share of the room; ascending. Each of
/// them fits into what is left of the room.
REPEBBLE_INLINE auto beyond(dataflow const& flow, std::vector<value_index> const& movable, bytes share, bytes room)
    -> std::vector<value_index> {
    auto const size = [&](value_index x) { return flow.size(x); };
    std::size_t staying = 0;
    for (; staying < movable.size() && size(movable[staying]) <= share; ++staying) {
        share -= size(movable[staying]);
        room -= size(movable[staying]);
    }
    std::vector<value_index> away(movable.begin() + static_cast<std::ptrdiff_t>(staying), movable.end());
    while (staying > 0 && !away.empty() && size(*std::ranges::max_element(away, {}, size)) > room) {
        away.push_back(movable[--staying]);
        room += size(away.back());
    }
    std::ranges::sort(away);
    return away;
}

/// The peak of the steps from `first` on, or what is there before them: during the begin, the inputs that stay.
REPEBBLE_INLINE void set_peak_of_period(replay_result& cost, std::size_t first) {
    auto const profile = std::span(cost.profile).subspan(first - 1);
    auto const most = static_cast<std::size_t>(std::ranges::max_element(profile) - profile.begin());
    cost.peak = profile[most];
    cost.peak_step = most > 0 ? most - 1 : 0;
    cost.profile.clear();
}

/// A period between which these inputs are away; nothing where none was found.
REPEBBLE_INLINE auto plan_period_without(dataflow const& flow, std::vector<value_index> const& away, bytes at_begin,
                                         bytes limit, plan_options const& options) -> std::optional<periodic_plan> {
    auto const found = plan(period_dataflow(flow, away, at_begin).flow(), limit, options);
    if (!found.plan) return std::nullopt;
    periodic_plan out{.away = away};
    out.steps = period_dataflow(flow, away, at_begin).period_of(found.plan->schedule);
    period_dataflow const judged(flow, away, 0);
    auto const all = judged.with_begin(out.steps);
    auto const verdict = verify_schedule(judged.flow(), all, {.profile = true, .resident_at_end = {}},
                                         resumed_clock(*options.link, away.size()));
    REPEBBLE_ASSERT(!verdict.broken);
    out.cost = verdict.result;
    set_peak_of_period(out.cost, all.steps.size() - out.steps.steps.size());
    out.lower_bound = found.lower_bound;
    for (auto const x : away) {
        out.cost.bytes_out -= flow.size(x);
        out.lower_bound -= options.link->copy_time(flow.size(x));
    }
    out.lower_bound = std::max<std::int64_t>(0, out.lower_bound);
    return out;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_movable_inputs(dataflow const& flow) -> std::vector<value_index> {
    std::vector<bool> is_overwritten(flow.value_count(), false), is_seen(flow.value_count(), false);
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        for (auto const x : flow.ended(v)) is_overwritten[x] = true;
        for (auto const x : flow.writes(v))
            for (auto const owner : flow.owners(x)) is_overwritten[owner] = is_overwritten[owner] || flow.is_view(x);
    }
    std::vector<value_index> movable;
    for (auto const v : flow.order())
        for (auto const x : flow.reads(v)) {
            auto const& by = flow.producers(x);
            bool const is_alone = by.size() == 1 && flow.is_input(by.front()) && flow.writes(by.front()).size() == 1;
            if (is_seen[x] || !is_alone || !flow.is_result(x) || is_overwritten[x] || flow.size(x) == 0) continue;
            is_seen[x] = true;
            movable.push_back(x);
        }
    return movable;
}

REPEBBLE_INLINE auto plan_period(dataflow const& flow, bytes limit, plan_options const& options)
    -> std::optional<periodic_plan> {
    if (!options.link) detail::raise(bad_option("plan_period: the options have no link"));
    auto const movable = find_movable_inputs(flow);
    auto const room = limit - detail::fixed_bytes(flow, movable);
    constexpr bytes shares = 5;
    auto of_each = options;
    if (of_each.limits.seconds) *of_each.limits.seconds /= shares;
    std::optional<periodic_plan> best;
    std::optional<std::vector<value_index>> before;
    for (bytes k = shares; k-- > 0 && room >= 0;) {
        auto const away = detail::beyond(flow, movable, k == shares - 1 ? room : room / (shares - 1) * k, room);
        if (std::exchange(before, away) == away) continue;
        bytes at_begin = room;
        for (auto const x : movable)
            if (!std::ranges::binary_search(away, x)) at_begin -= flow.size(x);
        auto found = detail::plan_period_without(flow, away, at_begin, limit, of_each);
        if (found && (!best || found->cost.time < best->cost.time)) best = std::move(found);
    }
    return best;
}

}  // namespace repebble::inline v0

#endif
