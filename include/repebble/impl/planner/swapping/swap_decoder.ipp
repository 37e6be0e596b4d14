#ifndef REPEBBLE_IMPL_PLANNER_SWAPPING_SWAP_DECODER_IPP
#define REPEBBLE_IMPL_PLANNER_SWAPPING_SWAP_DECODER_IPP

#include <repebble/planner/detail/swapping/swap_decoder.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto swap_decoder::list_computations() -> bool {
    sequence_.clear();
    instances_.clear();
    stays_.clear();
    first_run_.clear();
    holds_.clear();
    may_end_.clear();
    std::ranges::fill(runs_, 0U);
    for (value_index x = 0; x < m_.value_count(); ++x) {
        values_[x] = {};
        values_[x].gap = p_.first_gap(x);
    }
    for (auto const v : p_.order()) {
        if (!run_operation(v, true)) return false;
        first_run_.push_back(static_cast<std::uint32_t>(sequence_.size() - 1));
    }
    choose_overwrites();
    return true;
}

REPEBBLE_INLINE void swap_decoder::choose_overwrites() {
    over_.assign(sequence_.size(), no_value);
    for (auto const& [at, k] : may_end_) {
        auto& i = instances_[k];
        if (over_[at] != no_value || i.last != at || i.is_ended) continue;
        over_[at] = i.value;
        i.is_ended = true;
    }
}

REPEBBLE_INLINE auto swap_decoder::run_operation(operation_index v, bool in_base_order, std::size_t depth) -> bool {
    constexpr std::size_t deepest = 10'000;  // of chains of recomputations
    if (depth > deepest) return false;
    for (auto const x : m_.reads[v]) {
        auto& s = values_[x];
        if (s.where == place::host) {
            s.where = place::device;
            s.arrives = true;
        } else if (s.where != place::device) {
            auto const p = m_.producers[x].front();
            if (sequence_.size() >= most_steps_ || (s.where == place::ended && !m_.operations[p].recomputable))
                return false;
            if (!run_operation(p, false, depth + 1)) return false;
            s.where = place::device;  // it is read now, whatever becomes of it then
        }
        ++values_[x].pins;
    }
    if (sequence_.size() >= most_steps_) return false;
    auto const at = static_cast<std::uint32_t>(sequence_.size());
    sequence_.push_back(v);
    ++runs_[v];
    for (auto const x : m_.reads[v]) {
        use(x, at);
        auto& s = values_[x];
        --s.pins;
        if (in_base_order) {
            ++s.gap;
            s.used_between = false;
        } else {
            s.used_between = true;
        }
    }
    for (auto const x : p_.overwritable(v)) may_end_.emplace_back(at, values_[x].instance);
    for (auto const x : m_.ended[v]) {
        if (values_[x].pins > 0) return false;
        values_[x].where = place::ended;
        instances_[values_[x].instance].is_ended = true;
    }
    for (auto const x : m_.writes[v]) {
        auto& s = values_[x];
        s.used_between = !in_base_order;
        s.where = place::device;
        s.arrives = false;
        s.last = at;
        s.instance = static_cast<std::uint32_t>(instances_.size());
        instances_.push_back({x, at, at});
        settle(x);
    }
    for (auto const x : m_.reads[v]) settle(x);
    return true;
}

REPEBBLE_INLINE void swap_decoder::use(value_index x, std::uint32_t at) {
    auto& s = values_[x];
    if (s.arrives) {
        s.arrives = false;
        stays_.push_back({s.instance, s.last, at});
        auto& i = instances_[s.instance];
        i.goes_out = true;
        ++i.arrivals;
    } else if (at > s.last + 1) {
        holds_.push_back({s.last + 1, at, m_.sizes[x]});
    }
    s.last = instances_[s.instance].last = at;
}

REPEBBLE_INLINE void swap_decoder::settle(value_index x) {
    auto& s = values_[x];
    if (s.pins > 0 || s.where != place::device || s.arrives) return;
    if (s.used_between && d_->stays[s.gap] != 0) return;
    auto const c = d_->choice[s.gap];
    if (c == gap_choice::host) s.where = place::host;
    if (c == gap_choice::remake) s.where = place::none;
}

REPEBBLE_INLINE void swap_decoder::choose_arrivals() {
    auto const count = sequence_.size();
    begins_.resize(count + 1);
    begins_[0] = 0;
    for (std::size_t i = 0; i < count; ++i) begins_[i + 1] = begins_[i] + time_of(i);
    load_.assign(count + 1, 0);
    for (auto const& h : holds_) {
        load_[h.from] += h.size;
        load_[h.to] -= h.size;
    }
    bytes sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += load_[i];
        load_[i] = sum + p_.need(sequence_[i]);
        if (over_[i] != no_value) load_[i] -= m_.sizes[over_[i]];
    }
    auto next = std::numeric_limits<std::int64_t>::max();
    auto i = count;
    for (auto s = stays_.rbegin(); s != stays_.rend(); ++s) {
        next = std::min(next, begins_[s->to]) - p_.copy_time(instances_[s->instance].value);
        i = std::min<std::size_t>(i, s->to);
        while (i > 0 && begins_[i] > next) --i;
        s->earliest = std::max(static_cast<std::uint32_t>(i), s->from + 1);
    }
}

REPEBBLE_INLINE auto swap_decoder::fits(std::size_t from, std::size_t to, bytes size, bytes leaving) const -> bool {
    if (load_[from] + leaving + size > p_.budget()) return false;
    for (auto j = from + 1; j < to; ++j)
        if (load_[j] + size > p_.budget()) return false;
    return true;
}

REPEBBLE_INLINE void swap_decoder::sort_events() {
    deaths_.reset(sequence_.size(), instances_.size());
    for (auto k = static_cast<std::uint32_t>(instances_.size()); k-- > 0;) deaths_.add(instances_[k].last + 1, k);
    begins_of_stays_.reset(sequence_.size(), stays_.size());
    for (auto k = static_cast<std::uint32_t>(stays_.size()); k-- > 0;) begins_of_stays_.add(stays_[k].from + 1, k);
}

}  // namespace repebble::inline v0::detail

#endif
