#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_SWAP_BOUND_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_SWAP_BOUND_IPP

#include <repebble/planner/detail/bounds/one_cut/swap_bound.hpp>

#include <functional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto run_times_of(planning_model const& m, order_of_runs order, std::size_t most_operations)
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

REPEBBLE_INLINE auto tight_for_copies(planning_model const& m, host_link const& via, std::size_t most)
    -> std::vector<operation_index> {
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

REPEBBLE_INLINE swap_bound::swap_bound(planning_model const& m, operation_index at, bytes budget, host_link const& via, order_of_runs order,
           run_times const& times) : m_(m),
      via_(via),
      cut_(order == order_of_runs::any ? first_run_cut(m, at) : first_run_cut(m, at, before(m, at))),
      capacity_(cut_.capacity(budget)) {
    if (capacity_ < 0) return;
    find_windows(times);
    network_ = closure_network(cut_, [&](value_index x) { return m_.sizes[x] > 0; });
    choose_scale();
}

REPEBBLE_INLINE void swap_bound::improve(std::size_t steps, std::int64_t target, function_ref<bool()> stop) {
    if (capacity_ < 0) return;
    if (best_.empty()) scan(target, stop);
    if (best_.empty()) return;
    auto at = best_;
    std::vector<double> direction(at.size(), 0);
    auto const& e = m_.effort;
    auto relax = e.swap_step;
    std::size_t since = 0;
    for (std::size_t k = 0; k < steps && bound_ < target && !stop(); ++k) {
        auto const before = value_;
        auto const value = evaluate(at);
        if (value_ > before + e.least_swap_gain * static_cast<double>(target)) since = 0;
        if (++since > e.swap_patience) {
            relax /= e.swap_step_divisor;
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
        double const share = along < 0 && last > 0 ? -e.swap_deflection * along / last : 0;
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

REPEBBLE_INLINE void swap_bound::scan(std::int64_t target, function_ref<bool()> stop) {
    auto const price_of_copy = via_.time > 0 ? static_cast<double>(via_.size) / static_cast<double>(via_.time) : 0;
    auto const& e = m_.effort;
    auto const scale = e.scan_scale;
    for (double memory = static_cast<double>(target) + once_ / e.scan_above_part; memory > e.scan_least * once_;
         memory /= e.scan_factor)
        for (double const tie : {0.0, e.scan_tie, 1.0})
            for (double const out : {1.0, e.scan_copies_out, 0.0}) {
                double const all = std::min(once_, tie * memory * once_ * price_of_copy / room());
                if (stop()) return;
                static_cast<void>(evaluate(with_longest(scale * memory, std::min(once_, scale * all * out),
                                                        std::min(once_, scale * all * (1 - out)))));
                if (tie <= 0) break;
            }
}

REPEBBLE_INLINE auto swap_bound::with_longest(double memory, double out, double in) const -> multipliers {
    multipliers at(windows_[1].first + windows_[1].limits.size(), 0);
    at[0] = memory;
    if (!windows_[0].limits.empty()) at[windows_[1].first - 1] = out;
    if (!windows_[1].limits.empty()) at.back() = in;
    return at;
}

REPEBBLE_INLINE auto swap_bound::before(planning_model const& m, operation_index at) -> std::vector<bool> {
    std::vector<bool> ran(m.operation_count(), false);
    for (auto const v : m.order) {
        if (v == at) break;
        ran[v] = m.required[v];
    }
    return ran;
}

REPEBBLE_INLINE void swap_bound::find_windows(run_times const& times) {
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

REPEBBLE_INLINE auto swap_bound::windows_of(std::vector<std::int64_t> const& lengths) const -> windows {
    auto const most_windows = static_cast<double>(m_.effort.swap_windows);
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

REPEBBLE_INLINE void swap_bound::choose_scale() {
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

REPEBBLE_INLINE auto swap_bound::prices(multipliers const& at, windows const& w) const -> std::vector<std::int64_t> {
    std::vector<std::int64_t> price(w.limits.size() + 1, 0);
    for (std::size_t k = w.limits.size(); k-- > 0;)
        price[k] = price[k + 1] +
                   std::min(static_cast<std::int64_t>(at[w.first + k] / once_ * static_cast<double>(scale_)),
                            scale_ - price[k + 1]);
    return price;
}

REPEBBLE_INLINE auto swap_bound::evaluate(multipliers const& at) -> double {
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

REPEBBLE_INLINE void swap_bound::project(std::span<double> some, double most) {
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

}  // namespace repebble::inline v0::detail

#endif
