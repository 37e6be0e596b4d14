#ifndef REPEBBLE_IMPL_CHAINS_SOLVE_OFFLOADED_IPP
#define REPEBBLE_IMPL_CHAINS_SOLVE_OFFLOADED_IPP

#include <repebble/chains/detail/solve_offloaded.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/detail/offload_table.hpp>
#include <repebble/chains/detail/overlap_copies.hpp>
#include <repebble/chains/detail/traceback.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>

namespace repebble::inline v0::detail {

/// Writes the steps of a plan from the choices of an offload_table.
class offload_steps {
  public:
    offload_steps(chain_sums const& sums, chain_dataflow const& flow, offload_table const& table, bool early)
        : sums_(sums), flow_(flow), table_(table), early_(early), steps_(flow.flow()) {}

    [[nodiscard]] auto of_chain(std::size_t slots) && -> schedule<> {
        steps_.compute(0);
        append({0, static_cast<std::uint32_t>(sums_.size() - 1), false}, slots);
        return std::move(steps_).finish();
    }

  private:
    /// Recursion is as deep as the chain is long.
    void append(offload_problem const& p, std::size_t slots) {
        auto const c = table_.choice(p, slots, early_);
        auto const input = flow_.value(p.i);
        bool const copies = c.input_out && !p.copied;
        if (copies) steps_.offload(input);
        c.at == p.i ? record(p, c) : run(p, c, slots);
        if (copies) steps_.discard(input, pool::host);
    }
    void record(offload_problem const& p, offload_choice const& c) {
        auto const [i, l, copied] = p;
        auto const rest = flow_.rest(i, c.tape);
        steps_.compute(flow_.operation_of({chain_action::kind::save, i, c.tape}));
        if (c.tape_out) steps_.offload(rest), steps_.discard(rest);
        if (c.input_out) steps_.discard(flow_.value(i));
        if (i < l) append({i + 1, l, false}, c.slots_left);
        if (c.input_out) steps_.prefetch(flow_.value(i));
        if (c.tape_out) steps_.prefetch(rest), steps_.discard(rest, pool::host);
        steps_.compute(flow_.operation_of({chain_action::kind::backward, i, c.tape}));
        steps_.discard(rest);
        steps_.discard(flow_.value(i + 1));
        if (i + 1 < sums_.size()) steps_.discard(flow_.gradient(i + 1));
    }
    void run(offload_problem const& p, offload_choice const& c, std::size_t slots) {
        for (auto k = p.i; k < c.at; ++k) {
            auto const how = leanest_run(sums_, k);
            steps_.compute(flow_.operation_of(how));
            if (how.what == chain_action::kind::save) steps_.discard(flow_.rest(k, how.tape));
            if (k > p.i || c.input_out) steps_.discard(flow_.value(k));
        }
        append({c.at, p.l, false}, c.slots_left);
        steps_.discard(flow_.value(c.at));
        if (c.input_out) steps_.prefetch(flow_.value(p.i));
        append({p.i, c.at - 1, p.copied || c.input_out}, slots);
    }

    chain_sums const& sums_;
    chain_dataflow const& flow_;
    offload_table const& table_;
    bool early_;
    schedule_builder steps_;
};

/// The schedule with copies beside as many computations as the budget allows.
[[nodiscard]] inline auto overlapped(dataflow const& flow, schedule<> const& serial, bytes budget) -> schedule<> {
    auto const profile = replay(flow, serial, {.profile = true}).profile;
    std::vector<step_and_bytes> all;
    for (std::size_t k = 0; k < serial.steps.size(); ++k) {
        auto const& s = serial.steps[k];
        all.push_back({s, profile[k], s.what == action::compute ? 0 : flow.size(flow.writes(s.vertex)[s.output])});
    }
    leave_out_copies(all, budget);
    overlap_copies(all, budget);
    schedule<> moved;
    for (auto const& s : all) moved.steps.push_back(s.of);
    return moved;
}

/// Throws bad_weight where the times of a plan could overflow: each of the L² subchains copies four times at most.
inline void check_times(chain_sums const& sums, host_link const& via) {
    std::int64_t longest{};
    for (std::size_t i = 0; i <= sums.size(); ++i) longest = std::max(longest, via.copy_time(sums.value(i)));
    for (std::size_t i = 0; i < sums.size(); ++i)
        for (auto const& tape : sums.stage(i).tapes) longest = std::max(longest, via.copy_time(tape.saved));
    auto const copies =
        checked_multiply(static_cast<std::int64_t>(4 * sums.size() * sums.size()), longest, "times of copies");
    auto const most = checked_add(checked_add(copies, sums.time_once(), "times"), sums.worst_overhead(), "times");
    if (most >= std::numeric_limits<std::int64_t>::max() / 16)
        detail::raise(bad_weight("the times of the chain and its copies are too long: " + std::to_string(most)));
}

REPEBBLE_INLINE auto solve_offloaded(chain const& of, bytes budget, chain_options const& options)
    -> std::optional<chain_solution> {
    limit_test ask(options.limits);
    auto const& via = *options.link;
    check_link(via);
    chain_sums const sums(of);
    chain_dataflow const flow(of);
    check_times(sums, via);
    auto const share =
        static_cast<bytes>(std::min<std::size_t>(options.slots.value_or(100), std::numeric_limits<bytes>::max()));
    auto const unit = std::max<bytes>(1, budget / share + (budget % share > 0 ? 1 : 0));
    auto const all = std::min(static_cast<std::size_t>(budget / unit), slots_of_use(sums, unit));
    auto const input = slots_of(of.input, unit);
    if (input > all) return std::nullopt;
    std::optional<chain_solution> best;
    std::int64_t serial_time{};
    for (std::int64_t const quarters : {std::int64_t{4}, std::int64_t{2}, std::int64_t{1}, std::int64_t{}}) {
        if (best && ask()) break;
        offload_table const table(sums, unit, all, [&](bytes size) { return via.copy_time(size) * quarters / 4; });
        auto const root = all - input;
        auto const least = table.time({0, static_cast<std::uint32_t>(sums.size() - 1), false}, root);
        if (!least) return std::nullopt;
        if (quarters == std::int64_t{4}) serial_time = *least;
        for (bool const early : {false, true}) {
            auto const serial = offload_steps(sums, flow, table, early).of_chain(root);
            for (auto const& plan : {overlapped(flow.flow(), serial, budget), serial}) {
                auto const found = replay(flow.flow(), plan, {.resident_at_end = {flow.gradient(0)}}, lanes_clock(via));
                if (found.peak <= budget && (!best || found.time < best->time))
                    best = {.time = found.time,
                            .peak = found.peak,
                            .slot = unit,
                            .copies = chain_copies{plan, serial_time}};
            }
        }
    }
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
