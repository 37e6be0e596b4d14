#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_SWAP_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_SWAP_BOUND_HPP

// A lower bound on the overhead of schedules that keep, recompute and copy: a Lagrangian relaxation at one cut. Each
// value that is live across the first run of an operation is held on the device, lies on the host, or is recomputed
// later. What lies on the host was copied out between its first run and the cut, and is copied in between the cut and
// its next reader: for each threshold, all copies whose windows are that short take no longer than the longest of these
// windows and what the schedule spends there above everything once. One multiplier for the memory and one for each
// window: for fixed multipliers a value that is not recomputed takes the cheaper of holding and copying, and the best
// choice is a minimum cut in the closure network of `cut_relaxation`. Multipliers are integers over a scale, so every
// bound is exact; they are improved by subgradients (Held, Karp 1971).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Of which schedules a bound holds.
enum class order_of_runs : std::uint8_t {
    any,  ///< of all schedules
    base  ///< of those whose first runs are in the model's order
};

/// For each operation, the time of those that run no later than it, and no earlier, itself among them; without views,
/// which may run apart from their owners.
struct run_times {
    std::vector<std::int64_t> earlier, later;
};
/// Returns those of an order.  O(n + m) for the base order; O(n · (n + m)) for any, where `n` is at most
/// `most_operations`, else of each operation alone.
[[nodiscard]] inline auto run_times_of(planning_model const& m, order_of_runs order, std::size_t most_operations)
    -> run_times {
    run_times t{std::vector<std::int64_t>(m.operation_count(), 0), std::vector<std::int64_t>(m.operation_count(), 0)};
    if (order == order_of_runs::base) {
        std::int64_t now = 0, all = 0;
        for (auto const v : m.order)
            if (m.required[v]) all += m.operations[v].again;
        for (auto const v : m.order) {
            if (!m.required[v]) continue;
            t.later[v] = all - now;
            t.earlier[v] = now += m.operations[v].again;
        }
        return t;
    }
    bool const is_large = m.operation_count() > most_operations;
    std::vector<std::uint32_t> seen(m.operation_count(), 0);
    std::vector<operation_index> stack;
    std::uint32_t round = 0;
    auto const sum = [&](operation_index from, auto const& each_neighbour) {
        std::int64_t all = 0;
        seen[from] = ++round;
        stack.assign(1, from);
        while (!stack.empty()) {
            auto const v = stack.back();
            stack.pop_back();
            all += m.operations[v].again;
            if (is_large) continue;
            each_neighbour(v, [&](operation_index w) {
                if (!m.required[w] || seen[w] == round) return;
                seen[w] = round;
                stack.push_back(w);
            });
        }
        return all;
    };
    for (operation_index v = 0; v < m.operation_count(); ++v) {
        if (!m.required[v]) continue;
        t.earlier[v] = sum(v, [&](operation_index w, auto const& visit) {
            for (auto const x : m.reads[w]) visit(m.producers[x].front());
        });
        t.later[v] = sum(v, [&](operation_index w, auto const& visit) {
            for (auto const x : m.writes[w])
                for (auto const reader : m.readers[x]) visit(reader);
        });
    }
    return t;
}

/// Returns up to `most` required operations with bytes of their own, by descending load beside them in the model's
/// order above the bytes that can have been copied out before, and can be copied in after.  O(n log n + sum of reads
/// and writes).
[[nodiscard]] inline auto tight_for_copies(planning_model const& m, host_link<std::int64_t> const& via,
                                           std::size_t most) -> std::vector<operation_index> {
    auto const loads = sequence_loads(m, m.order);
    std::vector<std::pair<double, std::size_t>> by_load;
    double before = 0;
    for (std::size_t at = 0; at < loads.size(); ++at) {
        auto const& o = m.operations[m.order[at]];
        if (!m.required[m.order[at]]) continue;
        auto const window = std::min(before, static_cast<double>(m.time_once) - before);
        double const copied =
            via.time > 0 ? window * static_cast<double>(via.size) / static_cast<double>(via.time) : 0x1p62;
        before += static_cast<double>(o.time);
        if (o.own > 0) by_load.emplace_back(copied - static_cast<double>(loads[at]), at);
    }
    std::ranges::sort(by_load);
    if (by_load.size() > most) by_load.resize(most);
    std::vector<operation_index> all;
    for (auto const& [load, at] : by_load) all.push_back(m.order[at]);
    return all;
}

/// The relaxation at one cut.
class swap_bound {
  public:
    /// `times`: of that order.  O(n + m).  Requires: `at` is required and has bytes of its own; each value has one
    /// producer.
    swap_bound(planning_model const& m, operation_index at, bytes budget, host_link<std::int64_t> const& via,
               order_of_runs order, run_times const& times)
        : m_(m),
          via_(via),
          cut_(order == order_of_runs::any ? first_run_cut(m, at) : first_run_cut(m, at, before(m, at))) {
        capacity_ = cut_.capacity(budget);
        if (capacity_ < 0) return;
        find_windows(times);
        build_network();
        choose_scale();
    }

    /// Whether `at` itself is beyond the budget.
    [[nodiscard]] auto feasible() const noexcept -> bool { return capacity_ >= 0; }
    /// The best bound so far on the overhead.
    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }

    /// A choice: what lies across the cut on the device, what on the host, and which operations run again.
    struct choice {
        std::vector<std::uint8_t> held, copied;  ///< by value
        std::vector<std::uint8_t> again;         ///< by operation
    };
    /// That of the best multipliers.  O(maximum flow).
    [[nodiscard]] auto best_choice() -> choice const& {
        if (!best_.at.empty()) static_cast<void>(evaluate(best_.at));
        return choice_;
    }
    /// That where holding what the budget has room for costs so much time, and a copy the time that it takes.
    /// O(maximum flow).
    [[nodiscard]] auto choice_at(double memory) -> choice const& {
        std::vector<double> at(1 + out_.limits.size() + in_.limits.size(), 0);
        at[0] = memory;
        if (!out_.limits.empty()) at[out_.limits.size()] = static_cast<double>(m_.time_once);
        static_cast<void>(evaluate(at));
        return choice_;
    }
    /// The operation of the cut.
    [[nodiscard]] auto at() const noexcept -> operation_index { return cut_.at(); }
    /// The Lagrangian value of the best multipliers, which may be negative.
    [[nodiscard]] auto value() const noexcept -> double { return best_.value; }

    /// So many steps of subgradients towards `target`, an overhead that is possible; fewer where the bound reaches it
    /// or `stop()` returns true.  O(steps · maximum flow).
    void improve(std::size_t steps, std::int64_t target, function_ref<bool()> stop) {
        if (capacity_ < 0) return;
        auto const r = solve(best_, steps, target, stop);
        bound_ = std::max(bound_, r.bound);
        if (r.best.value > best_.value) best_ = r.best;
    }

  private:
    /// Multipliers in time units: of the memory for its capacity, of windows for the time of everything once.
    struct multipliers {
        std::vector<double> at{};
        double value = -std::numeric_limits<double>::infinity();  ///< the Lagrangian value, which may be negative
    };
    struct result {
        std::int64_t bound = 0;
        multipliers best{};
    };

    /// Ascends from `from`, or from scratch.
    [[nodiscard]] auto solve(multipliers const& from, std::size_t steps, std::int64_t target, function_ref<bool()> stop)
        -> result {
        result r;
        double const once = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
        auto const note = [&](std::vector<double> const& at) {
            auto const value = evaluate(at);
            r.bound = std::max(r.bound, last_bound_);
            if (value > r.best.value) r.best = {at, value};
            return value;
        };
        if (from.at.empty())
            scan(target, note, stop);
        else
            r.best = from;
        if (r.best.at.empty()) return r;
        auto at = r.best.at;
        std::vector<double> direction(at.size(), 0);
        double relax = 0.5;
        std::size_t since = 0;
        for (std::size_t k = 0; k < steps && r.bound < target && !stop(); ++k) {
            auto const before = r.best.value;
            auto const value = note(at);
            if (r.best.value > before + 1e-4 * static_cast<double>(target)) since = 0;
            if (++since > 20) {
                relax /= 2;
                since = 0;
                at = r.best.at;
                static_cast<void>(evaluate(at));
                std::ranges::fill(direction, 0);
            }
            // Deflected: a step does not go back on the last (Camerini, Fratta, Maffioli 1975).
            double along = 0, last = 0, norm = 0;
            for (std::size_t j = 0; j < at.size(); ++j) {
                along += gradient_[j] * direction[j];
                last += direction[j] * direction[j];
            }
            double const share = along < 0 && last > 0 ? -1.5 * along / last : 0;
            for (std::size_t j = 0; j < at.size(); ++j) {
                direction[j] = gradient_[j] + share * direction[j];
                norm += direction[j] * direction[j];
            }
            if (norm <= 0) break;
            double const step = relax * std::max(static_cast<double>(target) - value, 1.0) / norm;
            for (std::size_t j = 0; j < at.size(); ++j) at[j] = std::max(0.0, at[j] + step * direction[j]);
            project(std::span(at).subspan(1, out_.limits.size()), once);
            project(std::span(at).subspan(1 + out_.limits.size()), once);
        }
        return r;
    }

    /// Multipliers of the memory, and of the longest windows such that copying costs about as much as holding.
    template <class Note>
    void scan(std::int64_t target, Note const& note, function_ref<bool()> stop) {
        double const once = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
        double const capacity = static_cast<double>(std::max<bytes>(1, capacity_));
        std::vector<double> at(1 + out_.limits.size() + in_.limits.size(), 0);
        auto const price_of_copy = via_.time > 0 ? static_cast<double>(via_.size) / static_cast<double>(via_.time) : 0;
        for (double memory = static_cast<double>(target) + once / 1000; memory > 1e-4 * once; memory /= 1.6)
            for (double const tie : {0.0, 0.9, 1.0})
                for (double const out : {1.0, 0.5, 0.0}) {
                    double const all = std::min(once, tie * memory * once * price_of_copy / capacity);
                    if (stop()) return;
                    at[0] = 4 * memory;
                    if (!out_.limits.empty()) at[out_.limits.size()] = 4 * all * out > once ? once : 4 * all * out;
                    if (!in_.limits.empty()) at.back() = 4 * all * (1 - out) > once ? once : 4 * all * (1 - out);
                    static_cast<void>(note(at));
                    if (tie <= 0) break;
                }
    }

    static constexpr auto none = std::numeric_limits<maximum_flow::node>::max();

    /// Copies in one direction: the k-th window has the values with rank <= k, and lasts limits[k] and more.
    struct windows {
        std::vector<std::int64_t> limits{};
        std::vector<std::uint32_t> rank{};  // by value
    };

    [[nodiscard]] static auto before(planning_model const& m, operation_index at) -> std::vector<bool> {
        std::vector<bool> ran(m.operation_count(), false);
        for (auto const v : m.order) {
            if (v == at) break;
            ran[v] = m.required[v];
        }
        return ran;
    }

    // --- Windows ---------------------------------------------------------------------------------------------------

    void find_windows(run_times const& times) {
        auto const at = cut_.at();
        std::vector<std::int64_t> out(m_.value_count(), 0), in(m_.value_count(), 0);
        for (value_index x = 0; x < m_.value_count(); ++x) {
            out[x] = m_.time_once - times.earlier[m_.producers[x].front()] - times.later[at];
            std::int64_t next_reader = 0;
            for (auto const v : m_.readers[x])
                if (v != at && cut_.is_after(v)) next_reader = std::max(next_reader, times.later[v]);
            in[x] = m_.time_once - times.earlier[at] - next_reader;
        }
        out_ = windows_of(out);
        in_ = windows_of(in);
    }
    /// At most `most_windows` thresholds, each with about as many bytes more.
    [[nodiscard]] auto windows_of(std::vector<std::int64_t> const& lengths) const -> windows {
        constexpr std::size_t most_windows = 24;
        std::vector<value_index> values;
        double all = 0;
        for (value_index x = 0; x < m_.value_count(); ++x)
            if (has_node(x)) {
                values.push_back(x);
                all += static_cast<double>(m_.sizes[x]);
            }
        std::ranges::stable_sort(values, {}, [&](auto const x) { return lengths[x]; });
        windows w{.rank = std::vector<std::uint32_t>(m_.value_count(), 0)};
        double sum = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            auto const x = values[k];
            w.rank[x] = static_cast<std::uint32_t>(w.limits.size());
            sum += static_cast<double>(m_.sizes[x]);
            bool const ends = k + 1 == values.size() || lengths[values[k + 1]] > lengths[x];
            bool const is_full =
                sum * most_windows >= all * static_cast<double>(w.limits.size() + 1) || k + 1 == values.size();
            if (ends && is_full) w.limits.push_back(std::max<std::int64_t>(0, lengths[x]));
        }
        return w;
    }

    // --- The closure network ---------------------------------------------------------------------------------------

    struct required_value {
        maximum_flow::node from, to;
        value_index value;
        bool is_choice;  // else an arc to the node of a value that several operations read
    };

    /// Nodes are the operations that may run after the cut for its live values, and the values that several of them
    /// read; see `cut_relaxation`.
    void build_network() {
        constexpr maximum_flow::node source = 0;
        node_.assign(m_.operation_count(), none);
        std::vector<maximum_flow::node> shared(m_.value_count(), none);
        nodes_ = 2;
        auto const require = [&](maximum_flow::node reader, value_index x) {
            if (!has_node(x)) return;
            auto const p = m_.producers[x].front();
            if (node_[p] == none) {
                node_[p] = nodes_++;
                operations_.push_back(p);
            }
            bool const first = shared[x] == none;
            if (reader == source || (first && m_.readers[x].size() == 1)) {
                if (first) required_.push_back({reader, node_[p], x, true});
                shared[x] = reader;
                return;
            }
            if (first) required_.push_back({shared[x] = nodes_++, node_[p], x, true});
            if (shared[x] != source) required_.push_back({reader, shared[x], x, false});
        };
        for (auto const x : cut_.live_values()) require(source, x);
        for (std::size_t k = 0; k < operations_.size(); ++k)
            for (auto const x : m_.reads[operations_[k]]) require(node_[operations_[k]], x);
    }
    /// Where a copy would take too long to be summed, less is a bound, too.
    [[nodiscard]] auto copy_time(value_index x) const -> std::int64_t {
        return via_.copy_time_up_to(m_.sizes[x], most_time);
    }
    [[nodiscard]] auto has_node(value_index x) const -> bool {
        return m_.sizes[x] > 0 && !cut_.is_input(x) && !cut_.is_produced_after(x);
    }

    // --- Multipliers -----------------------------------------------------------------------------------------------

    void choose_scale() {
        double bytes_of_all = 1, copies = 1;
        for (auto const& r : required_)
            if (r.is_choice) {
                bytes_of_all += static_cast<double>(m_.sizes[r.value]);
                copies += static_cast<double>(copy_time(r.value));
            }
        double again = 1;
        for (auto const p : operations_) again += static_cast<double>(m_.operations[p].again);
        // The most that scale · time, or multiplier · bytes, sums to.
        double const most = std::max({again, 2 * copies, static_cast<double>(m_.time_once)});
        scale_ = static_cast<std::int64_t>(std::clamp(0x1p56 / most, 1.0, 0x1p40));
        most_multiplier_ = static_cast<std::int64_t>(0x1p58 / bytes_of_all);
    }

    /// The bound of these multipliers, in time units each: of the memory per capacity, of windows per time of
    /// everything once. Leaves the subgradient.
    [[nodiscard]] auto evaluate(std::vector<double> const& at) -> double {
        double const once = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
        double const capacity = static_cast<double>(std::max<bytes>(1, capacity_));
        auto const s = static_cast<double>(scale_);
        auto const memory =
            static_cast<std::int64_t>(std::min(at[0] / capacity * s, static_cast<double>(most_multiplier_)));
        // Prices of a copy, by rank: the sums of the multipliers of its windows.
        auto const prices = [&](std::span<double const> some, std::int64_t& sum) {
            std::vector<std::int64_t> price(some.size(), 0);
            sum = 0;
            for (std::size_t k = some.size(); k-- > 0;) {
                sum += std::min(static_cast<std::int64_t>(some[k] / once * s), scale_ - sum);
                price[k] = sum;
            }
            return price;
        };
        std::int64_t all_out = 0, all_in = 0;
        auto const out_price = prices(std::span(at).subspan(1, out_.limits.size()), all_out);
        auto const in_price = prices(std::span(at).subspan(1 + out_.limits.size()), all_in);

        maximum_flow flow(nodes_, 0, 1);
        for (auto const p : operations_) {
            if (!cut_.is_before(p)) continue;
            auto const& o = m_.operations[p];
            flow.add_arc(node_[p], 1, o.recomputable ? (scale_ - all_in) * o.again : maximum_flow::unlimited);
        }
        std::vector<std::uint8_t> copied(required_.size(), 0);
        for (std::size_t k = 0; k < required_.size(); ++k) {
            auto const& r = required_[k];
            if (!r.is_choice) {
                flow.add_arc(r.from, r.to, maximum_flow::unlimited);
                continue;
            }
            auto const x = r.value;
            auto const hold = memory * m_.sizes[x];
            auto const per_time = out_price[out_.rank[x]] + in_price[in_.rank[x]];
            auto const time = copy_time(x);
            // Beyond holding, the price is not wanted.
            bool const cheaper = per_time == 0 || time <= (hold - 1) / per_time;
            copied[k] = cheaper && hold > 0 ? 1 : 0;
            flow.add_arc(r.from, r.to, copied[k] != 0 ? per_time * time : hold);
        }
        flow.build();
        auto const value = flow.maximise();
        auto const side = flow.source_side();
        __extension__ using wide = __int128;
        wide above = static_cast<wide>(value) - static_cast<wide>(memory) * capacity_;
        for (std::size_t k = 0; k < out_.limits.size(); ++k)
            above -=
                static_cast<wide>(out_price[k] - (k + 1 < out_price.size() ? out_price[k + 1] : 0)) * out_.limits[k];
        for (std::size_t k = 0; k < in_.limits.size(); ++k)
            above -= static_cast<wide>(in_price[k] - (k + 1 < in_price.size() ? in_price[k + 1] : 0)) * in_.limits[k];
        last_bound_ = static_cast<std::int64_t>(above <= 0 ? 0 : (above + scale_ - 1) / scale_);

        double again = 0, held = 0;
        std::vector<double> out(out_.limits.size(), 0), in(in_.limits.size(), 0);
        auto const is_run = [&](maximum_flow::node v) { return v == 0 || (v != 1 && side[v]); };
        choice_.held.assign(m_.value_count(), 0);
        choice_.copied.assign(m_.value_count(), 0);
        choice_.again.assign(m_.operation_count(), 0);
        for (auto const p : operations_)
            if (cut_.is_before(p) && side[node_[p]]) {
                again += static_cast<double>(m_.operations[p].again);
                choice_.again[p] = 1;
            }
        for (std::size_t k = 0; k < required_.size(); ++k) {
            auto const& r = required_[k];
            if (!r.is_choice || !is_run(r.from) || side[r.to]) continue;
            (copied[k] != 0 ? choice_.copied : choice_.held)[r.value] = 1;
            if (copied[k] == 0) {
                held += static_cast<double>(m_.sizes[r.value]);
                continue;
            }
            auto const time = static_cast<double>(copy_time(r.value));
            out[out_.rank[r.value]] += time;
            in[in_.rank[r.value]] += time;
        }
        gradient_.assign(at.size(), 0);
        gradient_[0] = (held - static_cast<double>(capacity_)) / capacity;
        double sum = 0;
        for (std::size_t k = 0; k < out.size(); ++k)
            gradient_[1 + k] = ((sum += out[k]) - static_cast<double>(out_.limits[k])) / once;
        sum = 0;
        for (std::size_t k = 0; k < in.size(); ++k)
            gradient_[1 + out.size() + k] = ((sum += in[k]) - static_cast<double>(in_.limits[k]) - again) / once;
        for (std::size_t j = 0; j < at.size(); ++j)
            if (at[j] <= 0) gradient_[j] = std::max(0.0, gradient_[j]);
        return static_cast<double>(above) / s;
    }
    /// Onto multipliers that sum to `most` at most.
    static void project(std::span<double> some, double most) {
        double sum = 0;
        for (double const x : some) sum += x;
        if (sum <= most) return;
        // Subtract the same from all, not below 0.
        std::vector<double> sorted(some.begin(), some.end());
        std::ranges::sort(sorted, std::greater<>{});
        double prefix = 0, off = 0;
        for (std::size_t k = 0; k < sorted.size(); ++k) {
            prefix += sorted[k];
            double const shift = (prefix - most) / static_cast<double>(k + 1);
            if (sorted[k] > shift) off = shift;
        }
        for (double& x : some) x = std::max(0.0, x - off);
    }

    planning_model const& m_;
    host_link<std::int64_t> via_;
    first_run_cut cut_;
    bytes capacity_ = 0;
    windows out_, in_;
    std::vector<maximum_flow::node> node_;  // by operation
    std::vector<operation_index> operations_;
    std::vector<required_value> required_;
    maximum_flow::node nodes_ = 2;
    std::int64_t scale_ = 1, most_multiplier_ = 1;
    multipliers best_;
    std::vector<double> gradient_;
    std::int64_t bound_ = 0, last_bound_ = 0;
    choice choice_;
};

}  // namespace repebble::inline v0::detail

#endif
