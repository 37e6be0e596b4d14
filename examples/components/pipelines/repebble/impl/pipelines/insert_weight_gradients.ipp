#ifndef REPEBBLE_IMPL_PIPELINES_INSERT_WEIGHT_GRADIENTS_IPP
#define REPEBBLE_IMPL_PIPELINES_INSERT_WEIGHT_GRADIENTS_IPP

#include <repebble/pipelines/detail/insert_weight_gradients.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

/// The event simulation of `insert_weight_gradients`.
class weight_inserter {
  public:
    weight_inserter(pipeline const& p, pass_orders const& lists, std::span<bytes const> budgets, double patience,
                    choice_prices const& prices)
        : p_(p),
          lists_(lists),
          patience_(patience),
          forward_ends_(p.stages.size() * p.microbatches, -1),
          back_ends_(forward_ends_) {
        made_.orders.resize(p.ranks);
        made_.choices.assign(forward_ends_.size(), 0);
        for (std::size_t r = 0; r < p.ranks; ++r)
            ranks_.push_back({choice_fitter(p, r, budgets[r], made_.choices, prices)});
    }

    [[nodiscard]] auto run() -> std::optional<pipeline_schedule> {
        for (;;) {
            std::optional<step> next;
            bool left = false;
            for (std::size_t r = 0; r < ranks_.size(); ++r) {
                left = left || ranks_[r].next < lists_[r].size() || !ranks_[r].pending.empty();
                if (auto const s = step_of(r); s && (!next || s->begin < next->begin)) next = s;
            }
            if (!left) return std::move(made_);
            if (!next || !take(*next)) return std::nullopt;
        }
    }

  private:
    struct rank_state {
        choice_fitter memory;
        std::size_t next = 0;
        std::int64_t free = 0;
        std::deque<pipeline_pass> pending{};  // gradients of weights that can run
    };
    struct step {
        std::size_t rank = 0;
        std::int64_t begin = 0;  // of the pass, or of what is computed again for it
        bool of_weights = false;
    };

    [[nodiscard]] auto item_of(pipeline_pass const& pass) const -> std::size_t {
        return pass.stage * p_.microbatches + pass.microbatch;
    }
    /// When what the pass reads has arrived; nothing where its end is not known yet.
    [[nodiscard]] auto arrival(pipeline_pass const& pass) const -> std::optional<std::int64_t> {
        auto const item = item_of(pass);
        std::int64_t end = 0, lag = 0;
        if (pass.kind == pass_kind::forward) {
            if (pass.stage == 0) return 0;
            end = forward_ends_[item - p_.microbatches];
            lag = p_.stages[pass.stage - 1].transfer;
        } else if (pass.stage + 1 == p_.stages.size()) {
            end = forward_ends_[item];
        } else {
            end = back_ends_[item + p_.microbatches];
            lag = p_.stages[pass.stage].transfer;
        }
        return end < 0 ? std::nullopt : std::optional(end + lag);
    }
    [[nodiscard]] auto again(pipeline_pass const& pass) const -> std::int64_t {
        return pass.kind == pass_kind::forward
                   ? 0
                   : p_.stages[pass.stage].choices[made_.choices[item_of(pass)]].recomputation;
    }
    [[nodiscard]] auto step_of(std::size_t r) const -> std::optional<step> {
        auto const& rank = ranks_[r];
        bool const waits = !rank.pending.empty();
        if (rank.next == lists_[r].size()) return waits ? std::optional(step{r, rank.free, true}) : std::nullopt;
        auto const& pass = lists_[r][rank.next];
        auto const ready = arrival(pass);
        if (!ready) return waits ? std::optional(step{r, rank.free, true}) : std::nullopt;
        auto const idle = *ready - rank.free - again(pass);
        if (waits && idle > 0 &&
            static_cast<double>(idle) >=
                patience_ * static_cast<double>(p_.stages[rank.pending.front().stage].weight_gradient))
            return step{r, rank.free, true};
        return step{r, rank.free + std::max<std::int64_t>(0, idle), false};
    }
    [[nodiscard]] auto take(step const& s) -> bool {
        auto& rank = ranks_[s.rank];
        auto const pass = s.of_weights ? rank.pending.front() : lists_[s.rank][rank.next];
        if (!s.of_weights && !rank.pending.empty() && !rank.memory.fits(pass)) return take({s.rank, rank.free, true});
        if (!rank.memory.run(pass)) return false;
        made_.orders[s.rank].push_back(pass);
        auto const& stage = p_.stages[pass.stage];
        if (s.of_weights) {
            rank.free += stage.weight_gradient;
            rank.pending.pop_front();
            return true;
        }
        ++rank.next;
        bool const is_forward = pass.kind == pass_kind::forward;
        // Room may have been made by computing more again.
        rank.free =
            std::max(rank.free + again(pass), *arrival(pass)) + (is_forward ? stage.forward : stage.input_gradient);
        (is_forward ? forward_ends_ : back_ends_)[item_of(pass)] = rank.free;
        if (!is_forward) rank.pending.push_back({pass_kind::weight_gradient, pass.stage, pass.microbatch});
        return true;
    }

    pipeline const& p_;
    pass_orders const& lists_;
    double patience_;
    std::vector<std::int64_t> forward_ends_, back_ends_;  // by item; -1: not known yet
    std::vector<rank_state> ranks_;
    pipeline_schedule made_;
};

REPEBBLE_INLINE auto insert_weight_gradients(pipeline const& p, pass_orders const& lists,
                                             std::span<bytes const> budgets, double patience,
                                             choice_prices const& prices) -> std::optional<pipeline_schedule> {
    return weight_inserter(p, lists, budgets, patience, prices).run();
}

}  // namespace repebble::inline v0::detail

#endif
