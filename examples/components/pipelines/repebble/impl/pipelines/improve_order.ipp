#ifndef REPEBBLE_IMPL_PIPELINES_IMPROVE_ORDER_IPP
#define REPEBBLE_IMPL_PIPELINES_IMPROVE_ORDER_IPP

#include <repebble/pipelines/detail/improve_order.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pipelines/detail/choice_fitter.hpp>

namespace repebble::inline v0::detail {

/// The search of `improve_order`. A pass is a number, 3 · item + kind: what it waits for never changes, lists do.
class order_annealing {
  public:
    order_annealing(pipeline const& p, pipeline_schedule const& schedule, std::span<bytes const> budgets,
                    annealing_options const& options)
        : p_(p), budgets_(budgets), options_(options), random_(options.seed) {
        for (std::uint32_t item = 0; item < p.stages.size() * p.microbatches; ++item) add_passes(item);
        for (pass_id i = 0; i < passes_.size(); ++i)
            if (auto const d = passes_[i].data; d != none && passes_[d].rank != passes_[i].rank)
                passes_[d].wakes = passes_[i].rank;
        for (auto const& list : schedule.orders) {
            auto& ids = now_.lists.emplace_back();
            for (auto const& pass : list) add_ids(ids, pass);
        }
        now_.choices = schedule.choices;
        [[maybe_unused]] bool const runs = measure(now_);
        REPEBBLE_ASSERT(runs);
        best_ = now_;
    }

    void run(function_ref<bool()> stop) {
        // Changes that cost so many forward passes are taken now and then, at the begin and at the end.
        constexpr double first = 0.05, last = 0.004;
        std::int64_t longest = 1;
        for (auto const& stage : p_.stages) longest = std::max(longest, stage.forward);
        find_critical();
        for (std::size_t i = 0; i < options_.tries && best_.makespan > options_.enough && !critical_.empty(); ++i) {
            if (stop()) return;
            auto const share = static_cast<double>(i) / static_cast<double>(options_.tries);
            step(static_cast<double>(longest) * first * std::pow(last / first, share));
        }
    }
    [[nodiscard]] auto best() const -> pipeline_schedule {
        pipeline_schedule made{.orders = pass_orders(p_.ranks), .choices = best_.choices};
        for (std::size_t r = 0; r < p_.ranks; ++r)
            for (auto const id : best_.lists[r]) made.orders[r].push_back(passes_[id].name);
        return made;
    }

  private:
    using pass_id = std::uint32_t;
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    struct fixed_pass {
        pipeline_pass name{};
        std::uint32_t item = 0, rank = 0;
        pass_id data = none;         // what it reads
        std::uint32_t wakes = none;  // another rank, on which it is read
        std::int64_t lag{}, duration{};
    };
    struct state {
        std::vector<std::vector<pass_id>> lists{};
        std::vector<std::uint32_t> choices{};
        std::vector<std::int64_t> ends{};
        std::int64_t makespan{}, recomputed{};
    };
    struct place {
        std::uint32_t rank = 0, at = 0;
    };

    void add_passes(std::uint32_t item) {
        auto const m = static_cast<std::uint32_t>(p_.microbatches);
        auto const s = item / m, k = item % m;
        auto const& stage = p_.stages[s];
        auto const add = [&](pass_kind kind, pass_id data, std::int64_t lag, std::int64_t duration) {
            passes_.push_back({.name = {kind, s, k},
                               .item = item,
                               .rank = static_cast<std::uint32_t>(stage.rank),
                               .data = data,
                               .lag = lag,
                               .duration = duration});
        };
        bool const is_last = s + 1 == p_.stages.size();
        add(pass_kind::forward, s == 0 ? none : 3 * (item - m), s == 0 ? 0 : p_.stages[s - 1].transfer, stage.forward);
        add(pass_kind::input_gradient, is_last ? 3 * item : 3 * (item + m) + 1, is_last ? 0 : stage.transfer,
            stage.input_gradient);
        add(pass_kind::weight_gradient, 3 * item + 1, 0, stage.weight_gradient);
    }
    void add_ids(std::vector<pass_id>& ids, pipeline_pass const& pass) const {
        auto const first = 3 * static_cast<pass_id>(pass.stage * p_.microbatches + pass.microbatch);
        if (pass.kind == pass_kind::forward) ids.push_back(first);
        if (pass.kind == pass_kind::input_gradient || pass.kind == pass_kind::backward) ids.push_back(first + 1);
        if (pass.kind == pass_kind::weight_gradient || pass.kind == pass_kind::backward) ids.push_back(first + 2);
    }
    [[nodiscard]] auto again(state const& s, pass_id id) const -> std::int64_t {
        auto const& pass = passes_[id];
        return pass.name.kind == pass_kind::input_gradient
                   ? p_.stages[pass.name.stage].choices[s.choices[pass.item]].recomputation
                   : 0;
    }

    /// Sets the ends of all passes; false where some wait for each other.
    [[nodiscard]] auto measure(state& s) -> bool {
        s.ends.assign(passes_.size(), -1);
        s.makespan = s.recomputed = 0;
        std::size_t done = 0;
        heads_.assign(p_.ranks, {});
        awake_.clear();
        for (std::uint32_t r = 0; r < p_.ranks; ++r) awake_.push_back(r);
        while (!awake_.empty()) {
            auto const r = awake_.back();
            awake_.pop_back();
            auto& [at, free] = heads_[r];
            for (auto const& list = s.lists[r]; at < list.size(); ++at, ++done) {
                auto const& pass = passes_[list[at]];
                if (pass.data != none && s.ends[pass.data] < 0) break;
                auto const before = again(s, list[at]);
                s.recomputed += before;
                free = std::max(free + before, pass.data == none ? 0 : s.ends[pass.data] + pass.lag) + pass.duration;
                s.ends[list[at]] = free;
                if (pass.wakes != none) awake_.push_back(pass.wakes);
            }
            s.makespan = std::max(s.makespan, free);
        }
        return done == passes_.size();
    }
    /// Places on a longest path whose pass begins when the one before it on the rank ends.
    void find_critical() {
        places_.resize(passes_.size());
        for (std::uint32_t r = 0; r < p_.ranks; ++r)
            for (std::uint32_t i = 0; i < now_.lists[r].size(); ++i) places_[now_.lists[r][i]] = {r, i};
        critical_.clear();
        auto id = static_cast<pass_id>(std::ranges::max_element(now_.ends) - now_.ends.begin());
        while (id != none) {
            auto const& pass = passes_[id];
            auto const [r, at] = places_[id];
            auto const begin = now_.ends[id] - pass.duration;
            bool by_data = pass.data != none && now_.ends[pass.data] + pass.lag == begin;
            bool by_rank = at > 0 && now_.ends[now_.lists[r][at - 1]] + again(now_, id) == begin;
            if (by_data && by_rank) (random_.below(2) == 0 ? by_data : by_rank) = false;
            if (by_rank) critical_.push_back({r, at});
            id = by_rank ? now_.lists[r][at - 1] : by_data ? pass.data : none;
        }
    }

    void step(double temperature) {
        next_ = now_;
        bool const changed = random_.below(5) == 0 ? make_faster() : move_pass();
        if (!changed || !measure(next_)) return;
        auto const longer = static_cast<double>(next_.makespan - now_.makespan) +
                            0.1 * static_cast<double>(next_.recomputed - now_.recomputed);
        if (longer > 0 && std::exp(-longer / temperature) <= random_.fraction()) return;
        std::swap(now_, next_);
        find_critical();
        if (now_.makespan < best_.makespan) best_ = now_;
    }
    /// The choice of an item becomes the next faster one, those of others of its rank slower where memory is short.
    [[nodiscard]] auto make_faster() -> bool {
        auto const [r, at] = critical_[random_.below(critical_.size())];
        auto const item = random_.below(4) == 0 ? random_.below(now_.choices.size()) : passes_[now_.lists[r][at]].item;
        auto const chosen = static_cast<std::uint32_t>(item);
        if (next_.choices[chosen] == 0) return false;
        --next_.choices[chosen];
        return fit(p_.stages[chosen / p_.microbatches].rank, {{}, chosen});
    }
    /// A pass of a longest path, or at times any, moves before some of its rank, or the one before it behind some.
    [[nodiscard]] auto move_pass() -> bool {
        auto [r, at] = critical_[random_.below(critical_.size())];
        if (random_.below(8) == 0) {
            r = static_cast<std::uint32_t>(random_.below(p_.ranks));
            if (now_.lists[r].size() < 2) return false;
            at = static_cast<std::uint32_t>(1 + random_.below(now_.lists[r].size() - 1));
        }
        auto& list = next_.lists[r];
        auto const most = random_.below(2) == 0 ? 1 : 1 + random_.below(8);
        auto const here = list.begin() + at;
        // What belongs to one item keeps its order, and no pass passes what it reads.
        auto const may_swap = [&](pass_id first, pass_id second) {
            return passes_[first].item != passes_[second].item && passes_[second].data != first;
        };
        std::size_t moved = 0;
        if (random_.below(2) == 0) {
            auto to = here;
            for (; moved < most && to != list.begin() && may_swap(*(to - 1), *here); ++moved) --to;
            std::rotate(to, here, here + 1);
        } else {
            auto to = here;
            for (; moved < most && to != list.end() && may_swap(*(here - 1), *to); ++moved) ++to;
            std::rotate(here - 1, here, to);
        }
        return moved > 0 && fit(r, {});
    }
    [[nodiscard]] auto fit(std::size_t rank, choice_prices const& prices) -> bool {
        choice_fitter fitter(p_, rank, budgets_[rank], next_.choices, prices);
        return std::ranges::all_of(next_.lists[rank], [&](pass_id id) { return fitter.run(passes_[id].name); });
    }

    pipeline const& p_;
    std::span<bytes const> budgets_;
    annealing_options const& options_;
    split_mix random_;
    std::vector<fixed_pass> passes_;
    state now_, next_, best_;
    std::vector<place> places_;                                // of passes
    std::vector<place> critical_;                              // the last first
    std::vector<std::pair<std::size_t, std::int64_t>> heads_;  // of ranks: the next pass, and when the rank is free
    std::vector<std::uint32_t> awake_;
};

REPEBBLE_INLINE auto improve_order(pipeline const& p, pipeline_schedule const& schedule, std::span<bytes const> budgets,
                                   annealing_options const& options, function_ref<bool()> stop) -> pipeline_schedule {
    order_annealing search(p, schedule, budgets, options);
    search.run(stop);
    return search.best();
}

}  // namespace repebble::inline v0::detail

#endif
