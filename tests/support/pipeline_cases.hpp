#ifndef REPEBBLE_TESTS_SUPPORT_PIPELINE_CASES_HPP
#define REPEBBLE_TESTS_SUPPORT_PIPELINE_CASES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

#include "support/generators.hpp"

namespace support {

// ---- random pipelines --------------------------------------------------------------------------------------------

struct pipeline_sizes {
    std::size_t ranks = 3, chunks = 2, microbatches = 4, choices = 3;  ///< at most
};

/// Choices of which each needs no more bytes than the one before it.
[[nodiscard]] inline auto random_choices(split_mix& random, std::size_t most) -> std::vector<repebble::stage_choice> {
    std::vector<repebble::stage_choice> choices;
    repebble::stage_choice c{.recomputation = chance(random, 80) ? 0 : between(random, 0, 2),
                             .kept = between(random, 0, 9),
                             .in_forward = between(random, 0, 12),
                             .in_backward = between(random, 0, 12),
                             .for_weights = between(random, 0, 9)};
    for (auto left = 1 + below(random, most); left > 0; --left) {
        choices.push_back(c);
        c.recomputation += between(random, 0, 4);
        for (auto* x : {&c.kept, &c.in_forward, &c.in_backward, &c.for_weights})
            if (chance(random, 70)) *x = between(random, 0, *x);
    }
    return choices;
}

/// Stages on ranks in a loop, there and back, or anyhow.
[[nodiscard]] inline auto random_pipeline(split_mix& random, pipeline_sizes const& most = {}) -> repebble::pipeline {
    repebble::pipeline p{.ranks = 1 + below(random, most.ranks), .microbatches = 1 + below(random, most.microbatches)};
    auto const count = p.ranks * (1 + below(random, most.chunks));
    auto const how = below(random, 3);
    bool const alike = chance(random, 30);
    for (std::size_t s = 0; s < count; ++s) {
        if (alike && s > 0)
            p.stages.push_back(p.stages.front());
        else
            p.stages.push_back({.forward = between(random, 0, 5),
                                .input_gradient = between(random, 0, 5),
                                .weight_gradient = between(random, 0, 5),
                                .transfer = chance(random, 50) ? 0 : between(random, 0, 3),
                                .constant = chance(random, 50) ? 0 : between(random, 0, 5),
                                .choices = random_choices(random, most.choices)});
        p.stages.back().rank = how == 0   ? repebble::rank_in_loop(s, p.ranks)
                               : how == 1 ? repebble::rank_in_v(s, p.ranks)
                                          : below(random, p.ranks);
    }
    return p;
}

/// Any order in which no passes wait for each other: passes of which all that they read has run, one after the other.
[[nodiscard]] inline auto random_orders(split_mix& random, repebble::pipeline const& p) -> repebble::pass_orders {
    using repebble::pass_kind;
    repebble::pass_orders orders(p.ranks);
    std::vector<repebble::pipeline_pass> ready;
    for (std::uint32_t k = 0; k < p.microbatches; ++k) ready.push_back({pass_kind::forward, 0, k});
    bool const apart = chance(random, 70);
    auto const back = [&](std::uint32_t s, std::uint32_t k) {
        ready.push_back({apart ? pass_kind::input_gradient : pass_kind::backward, s, k});
    };
    while (!ready.empty()) {
        auto const i = below(random, ready.size());
        auto const pass = ready[i];
        ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(i));
        orders[p.stages[pass.stage].rank].push_back(pass);
        if (pass.kind == pass_kind::forward) {
            if (pass.stage + 1 < p.stages.size())
                ready.push_back({pass_kind::forward, pass.stage + 1, pass.microbatch});
            else
                back(pass.stage, pass.microbatch);
        } else if (pass.kind != pass_kind::weight_gradient) {
            if (pass.kind == pass_kind::input_gradient)
                ready.push_back({pass_kind::weight_gradient, pass.stage, pass.microbatch});
            if (pass.stage > 0) back(pass.stage - 1, pass.microbatch);
        }
    }
    return orders;
}

[[nodiscard]] inline auto random_schedule(split_mix& random, repebble::pipeline const& p)
    -> repebble::pipeline_schedule {
    repebble::pipeline_schedule made{random_orders(random, p), {}};
    for (auto const& stage : p.stages)
        for (std::size_t k = 0; k < p.microbatches; ++k)
            made.choices.push_back(static_cast<std::uint32_t>(below(random, stage.choices.size())));
    return made;
}

// ---- the second judge ----------------------------------------------------------------------------------------------

/// Ranks that work from one event to the next: what is computed again starts as soon as the rank is idle.
class pipeline_simulation {
  public:
    using time = std::int64_t;
    using bytes = repebble::bytes;

    /// Requires: lists name what exists.
    pipeline_simulation(repebble::pipeline const& p, repebble::pipeline_schedule const& schedule)
        : p_(p), schedule_(schedule) {
        run();
    }

    bool ends = false;  ///< whether all passes run
    time makespan = 0;

    /// Most bytes on the rank: for each pass of its list, every stage and microbatch is looked at.
    [[nodiscard]] auto peak(std::size_t rank) const -> bytes {
        bytes constant = 0;
        for (auto const& stage : p_.stages)
            if (stage.rank == rank) constant += stage.constant;
        bytes most = constant;
        auto const& list = schedule_.orders[rank];
        for (std::size_t at = 0; at < list.size(); ++at) {
            bytes now = constant;
            for (std::uint32_t s = 0; s < p_.stages.size(); ++s)
                for (std::uint32_t k = 0; k < p_.microbatches; ++k)
                    if (p_.stages[s].rank == rank) now += bytes_of(list, at, s, k);
            most = std::max(most, now);
        }
        return most;
    }

  private:
    using key = std::tuple<bool, std::uint32_t, std::uint32_t>;  // forward?, stage, microbatch

    [[nodiscard]] auto choice(std::uint32_t s, std::uint32_t k) const -> repebble::stage_choice const& {
        return p_.stages[s].choices[schedule_.choices[s * p_.microbatches + k]];
    }
    [[nodiscard]] auto bytes_of(std::vector<repebble::pipeline_pass> const& list, std::size_t at, std::uint32_t s,
                                std::uint32_t k) const -> bytes {
        using repebble::pass_kind;
        auto const& c = choice(s, k);
        bytes held = 0;
        for (std::size_t i = 0; i <= at; ++i) {
            auto const& pass = list[i];
            if (pass.stage != s || pass.microbatch != k) continue;
            bool const now = i == at;
            switch (pass.kind) {
                case pass_kind::forward:
                    held = now ? std::max(c.in_forward, c.kept) : c.kept;
                    break;
                case pass_kind::input_gradient:
                    held = now ? std::max({c.in_backward, c.kept, c.for_weights}) : c.for_weights;
                    break;
                case pass_kind::weight_gradient:
                    held = now ? c.for_weights : 0;
                    break;
                case pass_kind::backward:
                    held = now ? std::max({c.in_backward, c.kept, c.for_weights}) : 0;
                    break;
            }
        }
        return held;
    }

    /// When the rank has what the pass reads; nothing where that has not ended.
    [[nodiscard]] auto arrival(repebble::pipeline_pass const& pass) const -> std::optional<time> {
        using repebble::pass_kind;
        key read(true, pass.stage, pass.microbatch);
        time lag = 0;
        if (pass.kind == pass_kind::forward) {
            if (pass.stage == 0) return 0;
            lag = p_.stages[pass.stage - 1].transfer;
            std::get<1>(read) = pass.stage - 1;
        } else if (pass.kind == pass_kind::weight_gradient) {
            std::get<0>(read) = false;
        } else if (pass.stage + 1 < p_.stages.size()) {
            lag = p_.stages[pass.stage].transfer;
            read = {false, pass.stage + 1, pass.microbatch};
        }
        auto const found = ended_.find(read);
        return found == ended_.end() ? std::nullopt : std::optional(found->second + lag);
    }
    void run() {
        using repebble::pass_kind;
        struct state {
            std::size_t next = 0;
            bool again = false;  // what is computed again for the next pass has run
            time busy_until = 0;
        };
        std::vector<state> ranks(p_.ranks);
        for (time now = 0;;) {
            std::optional<time> soonest;
            bool progress = false;
            auto const wake = [&](time t) { soonest = std::min(soonest.value_or(t), t); };
            for (std::size_t r = 0; r < p_.ranks; ++r) {
                auto& rank = ranks[r];
                if (rank.next == schedule_.orders[r].size()) continue;
                if (rank.busy_until > now) {
                    wake(rank.busy_until);
                    continue;
                }
                auto const& pass = schedule_.orders[r][rank.next];
                auto const& stage = p_.stages[pass.stage];
                bool const inputs = pass.kind == pass_kind::input_gradient || pass.kind == pass_kind::backward;
                if (inputs && !rank.again) {
                    rank.again = true;
                    rank.busy_until = now + choice(pass.stage, pass.microbatch).recomputation;
                    progress = true;
                    continue;
                }
                auto const ready = arrival(pass);
                if (!ready) continue;
                if (*ready > now) {
                    wake(*ready);
                    continue;
                }
                time duration = pass.kind == pass_kind::forward ? stage.forward : 0;
                if (inputs) duration += stage.input_gradient;
                if (pass.kind == pass_kind::weight_gradient || pass.kind == pass_kind::backward)
                    duration += stage.weight_gradient;
                rank.busy_until = now + duration;
                makespan = std::max(makespan, rank.busy_until);
                if (pass.kind != pass_kind::weight_gradient)
                    ended_[{pass.kind == pass_kind::forward, pass.stage, pass.microbatch}] = rank.busy_until;
                ++rank.next;
                rank.again = false;
                progress = true;
            }
            if (progress) continue;
            if (!soonest) break;
            now = *soonest;
        }
        ends = true;
        for (std::size_t r = 0; r < p_.ranks; ++r) ends = ends && ranks[r].next == schedule_.orders[r].size();
    }

    repebble::pipeline const& p_;
    repebble::pipeline_schedule const& schedule_;
    std::map<key, time> ended_;
};

// ---- exhaustive search ---------------------------------------------------------------------------------------------

/// Whether a schedule is within the budgets, and its makespan.
[[nodiscard]] inline auto time_within(repebble::pipeline const& p, repebble::pipeline_schedule const& schedule,
                                      std::vector<repebble::bytes> const& budgets) -> std::optional<std::int64_t> {
    pipeline_simulation const run(p, schedule);
    if (!run.ends) return std::nullopt;
    for (std::size_t r = 0; r < p.ranks; ++r)
        if (run.peak(r) > budgets[r]) return std::nullopt;
    return run.makespan;
}

/// The least makespan of an order within the budgets, over all choices.
[[nodiscard]] inline auto best_of_choices(repebble::pipeline const& p, repebble::pass_orders const& orders,
                                          std::vector<repebble::bytes> const& budgets) -> std::optional<std::int64_t> {
    repebble::pipeline_schedule s{orders, std::vector<std::uint32_t>(p.stages.size() * p.microbatches, 0)};
    std::optional<std::int64_t> best;
    for (;;) {
        if (auto const t = time_within(p, s, budgets)) best = std::min(best.value_or(*t), *t);
        std::size_t i = 0;
        while (i < s.choices.size() && ++s.choices[i] == p.stages[i / p.microbatches].choices.size())
            s.choices[i++] = 0;
        if (i == s.choices.size()) return best;
    }
}

/// The same over all orders, gradients of weights apart: together they are never faster, nor need less.
[[nodiscard]] inline auto best_of_orders(repebble::pipeline const& p, std::vector<repebble::bytes> const& budgets)
    -> std::optional<std::int64_t> {
    using repebble::pass_kind;
    std::optional<std::int64_t> best;
    repebble::pass_orders orders(p.ranks);
    // By rank, then by position: the next pass of any of its stages and microbatches.
    std::vector<std::size_t> done(p.stages.size() * p.microbatches, 0);
    std::function<void(std::size_t)> const extend = [&](std::size_t r) {
        if (r == p.ranks) {
            if (auto const t = best_of_choices(p, orders, budgets)) best = std::min(best.value_or(*t), *t);
            return;
        }
        bool whole = true;
        for (std::uint32_t s = 0; s < p.stages.size(); ++s) {
            if (p.stages[s].rank != r) continue;
            for (std::uint32_t k = 0; k < p.microbatches; ++k) {
                auto& step = done[s * p.microbatches + k];
                if (step == 3) continue;
                whole = false;
                orders[r].push_back({static_cast<pass_kind>(step), s, k});
                ++step;
                extend(r);
                --step;
                orders[r].pop_back();
            }
        }
        if (whole) extend(r + 1);
    };
    extend(0);
    return best;
}

}  // namespace support

#endif
