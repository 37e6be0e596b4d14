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
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/planner/detail/bounds/one_cut/closure_network.hpp>
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
    for (operation_index v = 0; v < m.operation_count(); ++v) {
        if (!m.required[v]) continue;
        t.earlier[v] = t.later[v] = m.operations[v].again;
        if (m.operation_count() > most_operations) continue;
        first_run_cut const cut(m, v);
        for (operation_index w = 0; w < m.operation_count(); ++w) {
            if (cut.is_before(w)) t.earlier[v] += m.operations[w].again;
            if (w != v && cut.is_after(w)) t.later[v] += m.operations[w].again;
        }
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
          cut_(order == order_of_runs::any ? first_run_cut(m, at) : first_run_cut(m, at, before(m, at))),
          capacity_(cut_.capacity(budget)) {
        if (capacity_ < 0) return;
        find_windows(times);
        network_ = closure_network(cut_, [&](value_index x) { return m_.sizes[x] > 0; });
        choose_scale();
    }
    swap_bound(swap_bound const&) = delete;  // its network refers to its cut
    auto operator=(swap_bound const&) -> swap_bound& = delete;

    /// Whether `at` itself is within the budget.
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
        if (!best_.empty()) static_cast<void>(evaluate(best_));
        return choice_;
    }
    /// That where holding what the budget has room for costs so much time, and a copy the time that it takes.
    /// O(maximum flow).
    [[nodiscard]] auto choice_at(double memory) -> choice const& {
        static_cast<void>(evaluate(with_longest(memory, static_cast<double>(m_.time_once), 0)));
        return choice_;
    }
    /// The operation of the cut.
    [[nodiscard]] auto at() const noexcept -> operation_index { return cut_.at(); }
    /// The Lagrangian value of the best multipliers, which may be negative.
    [[nodiscard]] auto value() const noexcept -> double { return value_; }

    /// So many steps of subgradients towards `target`, an overhead that is possible; fewer where the bound reaches it
    /// or `stop()` returns true.  O(steps · maximum flow).
    void improve(std::size_t steps, std::int64_t target, function_ref<bool()> stop) {
        if (capacity_ < 0) return;
        if (best_.empty()) scan(target, stop);
        if (best_.empty()) return;
        auto at = best_;
        std::vector<double> direction(at.size(), 0);
        double relax = 0.5;
        std::size_t since = 0;
        for (std::size_t k = 0; k < steps && bound_ < target && !stop(); ++k) {
            auto const before = value_;
            auto const value = evaluate(at);
            if (value_ > before + 1e-4 * static_cast<double>(target)) since = 0;
            if (++since > 20) {
                relax /= 2;
                since = 0;
                at = best_;
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
            for (auto const& w : windows_) project(std::span(at).subspan(w.first, w.limits.size()), once_);
        }
    }

  private:
    /// Multipliers in time units: of the memory for its capacity, of windows for the time of everything once.
    using multipliers = std::vector<double>;

    /// Multipliers of the memory, and of the longest windows such that copying costs about as much as holding.
    void scan(std::int64_t target, function_ref<bool()> stop) {
        auto const price_of_copy = via_.time > 0 ? static_cast<double>(via_.size) / static_cast<double>(via_.time) : 0;
        for (double memory = static_cast<double>(target) + once_ / 1000; memory > 1e-4 * once_; memory /= 1.6)
            for (double const tie : {0.0, 0.9, 1.0})
                for (double const out : {1.0, 0.5, 0.0}) {
                    double const all = std::min(once_, tie * memory * once_ * price_of_copy / room());
                    if (stop()) return;
                    static_cast<void>(evaluate(with_longest(4 * memory, std::min(once_, 4 * all * out),
                                                            std::min(once_, 4 * all * (1 - out)))));
                    if (tie <= 0) break;
                }
    }
    /// Those of the memory and of the longest windows out and in; all others are 0.
    [[nodiscard]] auto with_longest(double memory, double out, double in) const -> multipliers {
        multipliers at(windows_[1].first + windows_[1].limits.size(), 0);
        at[0] = memory;
        if (!windows_[0].limits.empty()) at[windows_[1].first - 1] = out;
        if (!windows_[1].limits.empty()) at.back() = in;
        return at;
    }

    /// Copies in one direction: the k-th window has the values with rank <= k, and lasts limits[k] and more.
    struct windows {
        std::vector<std::int64_t> limits{};
        std::vector<std::uint32_t> rank{};  // by value
        std::size_t first = 1;              // among the multipliers
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
        windows_ = {windows_of(out), windows_of(in)};
        windows_[1].first += windows_[0].limits.size();
    }
    /// At most `most_windows` thresholds, each with about as many bytes more.
    [[nodiscard]] auto windows_of(std::vector<std::int64_t> const& lengths) const -> windows {
        constexpr std::size_t most_windows = 24;
        std::vector<value_index> values;
        double all = 0;
        for (value_index x = 0; x < m_.value_count(); ++x)
            if (m_.sizes[x] > 0 && cut_.can_be_made_after(x)) {
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
            bool const is_last = k + 1 == values.size();
            bool const is_full = sum * most_windows >= all * static_cast<double>(w.limits.size() + 1);
            if (is_last || (is_full && lengths[values[k + 1]] > lengths[x]))
                w.limits.push_back(std::max<std::int64_t>(0, lengths[x]));
        }
        return w;
    }
    /// Where a copy would take too long to be summed, less is a bound, too.
    [[nodiscard]] auto copy_time(value_index x) const -> std::int64_t {
        return via_.copy_time_up_to(m_.sizes[x], most_time);
    }

    // --- Multipliers -----------------------------------------------------------------------------------------------

    void choose_scale() {
        double bytes_of_all = 1, copies = 1;
        for (auto const& r : network_.required())
            if (r.is_choice) {
                bytes_of_all += static_cast<double>(m_.sizes[r.value]);
                copies += static_cast<double>(copy_time(r.value));
            }
        double again = 1;
        for (auto const p : network_.operations()) again += static_cast<double>(m_.operations[p].again);
        // The most that scale · time, or multiplier · bytes, sums to.
        double const most = std::max({again, 2 * copies, static_cast<double>(m_.time_once)});
        scale_ = static_cast<std::int64_t>(std::clamp(0x1p56 / most, 1.0, 0x1p40));
        most_multiplier_ = static_cast<std::int64_t>(0x1p58 / bytes_of_all);
    }
    [[nodiscard]] auto room() const -> double { return static_cast<double>(std::max<bytes>(1, capacity_)); }
    /// Prices of a copy per time, by rank: the sums of the multipliers of its windows.
    [[nodiscard]] auto prices(multipliers const& at, windows const& w) const -> std::vector<std::int64_t> {
        std::vector<std::int64_t> price(w.limits.size() + 1, 0);
        for (std::size_t k = w.limits.size(); k-- > 0;)
            price[k] = price[k + 1] +
                       std::min(static_cast<std::int64_t>(at[w.first + k] / once_ * static_cast<double>(scale_)),
                                scale_ - price[k + 1]);
        return price;
    }

    /// The Lagrangian value of these multipliers. Leaves the subgradient and the choice, and notes the best.
    [[nodiscard]] auto evaluate(multipliers const& at) -> double {
        auto const s = static_cast<double>(scale_);
        auto const memory =
            static_cast<std::int64_t>(std::min(at[0] / room() * s, static_cast<double>(most_multiplier_)));
        std::array const price{prices(at, windows_[0]), prices(at, windows_[1])};
        std::vector<std::uint8_t> copied(m_.value_count(), 0);
        auto flow = network_.flow(scale_ - price[1].front(), [&](value_index x) {
            auto const hold = memory * m_.sizes[x];
            auto const per_time = price[0][windows_[0].rank[x]] + price[1][windows_[1].rank[x]];
            auto const time = copy_time(x);
            // Beyond holding, the price is not wanted.
            bool const cheaper = per_time == 0 || time <= (hold - 1) / per_time;
            copied[x] = cheaper && hold > 0 ? 1 : 0;
            return copied[x] != 0 ? per_time * time : hold;
        });
        __extension__ using wide = __int128;
        wide above = static_cast<wide>(flow.maximise()) - static_cast<wide>(memory) * capacity_;
        auto const side = flow.source_side();
        for (std::size_t d = 0; d < 2; ++d)
            for (std::size_t k = 0; k < windows_[d].limits.size(); ++k)
                above -= static_cast<wide>(price[d][k] - price[d][k + 1]) * windows_[d].limits[k];

        choice_ = {std::vector<std::uint8_t>(m_.value_count(), 0), std::vector<std::uint8_t>(m_.value_count(), 0),
                   std::vector<std::uint8_t>(m_.operation_count(), 0)};
        double again = 0, held = 0;
        for (auto const p : network_.operations())
            if (cut_.is_before(p) && network_.runs(p, side)) {
                again += static_cast<double>(m_.operations[p].again);
                choice_.again[p] = 1;
            }
        gradient_.assign(at.size(), 0);
        for (auto const& r : network_.required()) {
            auto const x = r.value;
            if (!r.is_choice || !side[r.from] || side[r.to]) continue;
            (copied[x] != 0 ? choice_.copied : choice_.held)[x] = 1;
            if (copied[x] == 0)
                held += static_cast<double>(m_.sizes[x]);
            else
                for (auto const& w : windows_) gradient_[w.first + w.rank[x]] += static_cast<double>(copy_time(x));
        }
        gradient_[0] = (held - static_cast<double>(capacity_)) / room();
        for (std::size_t d = 0; d < 2; ++d) {
            double sum = 0;
            for (std::size_t k = 0; k < windows_[d].limits.size(); ++k) {
                auto& g = gradient_[windows_[d].first + k];
                g = ((sum += g) - static_cast<double>(windows_[d].limits[k]) - (d == 1 ? again : 0)) / once_;
            }
        }
        for (std::size_t j = 0; j < at.size(); ++j)
            if (at[j] <= 0) gradient_[j] = std::max(0.0, gradient_[j]);
        if (above > 0) bound_ = std::max(bound_, static_cast<std::int64_t>((above + scale_ - 1) / scale_));
        auto const value = static_cast<double>(above) / s;
        if (value > value_) {
            best_ = at;
            value_ = value;
        }
        return value;
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
    bytes capacity_;
    double once_ = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
    std::array<windows, 2> windows_;  // out, in
    closure_network network_;
    std::int64_t scale_ = 1, most_multiplier_ = 1;
    multipliers best_;
    double value_ = -std::numeric_limits<double>::infinity();  // the Lagrangian value, which may be negative
    std::vector<double> gradient_;
    std::int64_t bound_ = 0;
    choice choice_;
};

}  // namespace repebble::inline v0::detail

#endif
