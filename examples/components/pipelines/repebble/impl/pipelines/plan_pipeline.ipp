#ifndef REPEBBLE_IMPL_PIPELINES_PLAN_PIPELINE_IPP
#define REPEBBLE_IMPL_PIPELINES_PLAN_PIPELINE_IPP

#include <repebble/pipelines/plan_pipeline.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pipelines/detail/block_order.hpp>
#include <repebble/pipelines/detail/flat_order.hpp>
#include <repebble/pipelines/detail/improve_choices.hpp>
#include <repebble/pipelines/detail/improve_order.hpp>
#include <repebble/pipelines/detail/insert_weight_gradients.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>
#include <repebble/pipelines/pipeline_orders.hpp>

namespace repebble::inline v0::detail {

/// The tries of the search for choices, of each order for which it is done.
inline constexpr std::size_t tries_of_choices = 2'000;

inline void check_budgets(pipeline const& p, std::span<bytes const> budgets) {
    if (budgets.size() != p.ranks)
        raise(bad_option(std::to_string(budgets.size()) + " budgets for " + std::to_string(p.ranks) + " ranks"));
    for (std::size_t r = 0; r < budgets.size(); ++r)
        check_weight(budgets[r], [&] { return "the budget of rank " + std::to_string(r); });
}

/// When a search is over, from now on.
class pipeline_search_end {
  public:
    explicit pipeline_search_end(limits const& within) : within_(within), start_(wall_clock::now()) {
        if (within.seconds) check_option("a limit of seconds", *within.seconds);
    }
    [[nodiscard]] auto operator()() const -> bool {
        return (within_.stop && within_.stop()) ||
               (within_.seconds && (wall_clock::now() - start_).count() > *within_.seconds);
    }

  private:
    limits const& within_;
    wall_clock::time_point start_;
};

/// Tries orders of passes, and keeps the schedule of the least makespan.
class pass_order_search {
  public:
    pass_order_search(pipeline const& p, std::span<bytes const> budgets, pipeline_options const& options)
        : p_(p),
          budgets_(budgets),
          options_(options),
          tries_(options.limits.work.value_or(usual_tries(p))),
          random_(options.seed),
          is_over_(options.limits) {}

    void run() {
        using enum pipeline_order;
        if (asks(one_at_a_time)) try_choices(make_one_at_a_time(p_), one_at_a_time);
        if (asks(one_forward_one_backward)) try_one_forward_one_backward();
        if (asks(zero_bubble)) try_zero_bubble();
        if (asks(v_shaped) && is_v()) try_blocks();
        if (asks(found)) search_blocks();
        for (auto const& c : shortlist_) {
            offer(c);
            if (!is_over_()) try_choices(c.schedule.orders, c.made_by);
        }
        if (asks(found) && best_) search_passes();
    }

    struct candidate {
        pipeline_schedule schedule;
        std::int64_t makespan{};
        pipeline_order made_by{};
    };
    [[nodiscard]] auto best() && -> std::optional<candidate> { return std::move(best_); }

  private:
    [[nodiscard]] auto asks(pipeline_order order) const -> bool { return !options_.order || *options_.order == order; }
    [[nodiscard]] auto is_v() const -> bool {
        for (std::size_t s = 0; s < p_.stages.size(); ++s)
            if (p_.stages[s].rank != rank_in_v(s, p_.ranks)) return false;
        return p_.stages.size() == 2 * p_.ranks;
    }
    /// Keeps the schedule where it is the best so far.
    void offer(candidate const& c) {
        if (!best_ || c.makespan < best_->makespan) best_ = c;
    }
    void try_choices(pass_orders const& orders, pipeline_order made_by) {
        auto found = find_choices(p_, orders, budgets_, tries_of_choices, is_over_);
        if (found) offer({{orders, std::move(found->choices)}, found->makespan, made_by});
    }
    /// The makespan of the lists, with gradients of weights put in; nothing where they do not fit. The second time what
    /// is computed again is chosen by the idle time of the first.
    auto try_lists(pass_orders const& lists, double patience, pipeline_order made_by) -> std::optional<std::int64_t> {
        std::optional<std::int64_t> least;
        std::vector<std::int64_t> slacks;
        for (int turn = 0; turn < 2; ++turn) {
            auto made = insert_weight_gradients(p_, lists, budgets_, patience, {slacks, std::nullopt});
            if (!made) break;
            flat_order const flat(p_, made->orders);
            auto const again = flat.recomputed(made->choices);
            auto const ends = flat.ends(again);
            auto const makespan = std::ranges::max(ends);
            least = std::min(least.value_or(makespan), makespan);
            remember({std::move(*made), makespan, made_by});
            if (std::ranges::all_of(again, [](auto t) { return t == 0; })) break;
            slacks = flat.slacks(again, ends);
        }
        return least;
    }
    /// Keeps the schedule where it is among the best so far, whose choices are looked at again at the end.
    void remember(candidate&& c) {
        auto const at = std::ranges::lower_bound(shortlist_, c.makespan, {}, &candidate::makespan);
        if (at != shortlist_.end() && at->makespan == c.makespan) return;
        shortlist_.insert(at, std::move(c));
        if (shortlist_.size() > most_kept) shortlist_.pop_back();
    }

    void try_one_forward_one_backward() {
        bool const interleaved = p_.stages.size() > p_.ranks;
        for (std::size_t most = interleaved ? p_.ranks : 1; most <= p_.ranks && !is_over_(); ++most)
            if (auto const orders = make_one_forward_one_backward(p_, {.most_in_flight = most}))
                try_choices(*orders, pipeline_order::one_forward_one_backward);
    }
    void try_zero_bubble() {
        bool const interleaved = p_.stages.size() > p_.ranks;
        for (auto const slope : {std::size_t{1}, std::size_t{2}})
            for (std::size_t most = interleaved ? 2 * p_.ranks : 1; most <= 2 * p_.ranks && !is_over_(); ++most)
                if (auto const lists = make_one_forward_one_backward(p_, {pass_kind::input_gradient, slope, most}))
                    for (double const patience : patiences) try_lists(*lists, patience, pipeline_order::zero_bubble);
    }
    void try_blocks() {
        static constexpr std::array factors{1.0, 1.5, 2.0, 3.0, 4.0};
        auto block = compact();
        for (auto const down : factors)
            for (auto const up : factors)
                for (auto const back_down : factors)
                    for (auto const back_up : factors) {
                        if (is_over_()) return;
                        block.forward.front() = down;
                        block.forward.back() = up;
                        block.backward.back() = back_down;
                        block.backward.front() = back_up;
                        auto const lists = make_block_order(p_, block);
                        for (double const patience : patiences) {
                            auto const makespan = try_lists(lists, patience, pipeline_order::v_shaped);
                            remember(block, patience, makespan);
                        }
                    }
    }
    /// A block in which everything comes as soon as it can: of the least memory.
    [[nodiscard]] auto compact() const -> pass_block {
        auto const groups = block_groups(p_);
        return {.forward = std::vector<double>(groups, 1), .backward = std::vector<double>(groups, 1)};
    }

    struct trial {
        pass_block block{};
        double patience = 1;
        std::int64_t makespan{};
    };
    void remember(pass_block const& block, double patience, std::optional<std::int64_t> makespan) {
        if (!makespan) return;
        auto const at = std::ranges::lower_bound(trials_, *makespan, {}, &trial::makespan);
        trials_.insert(at, trial{block, patience, *makespan});
        if (trials_.size() > most_kept) trials_.pop_back();
    }
    /// Local search over blocks: of one of the best so far some factors become others.
    void search_blocks() {
        auto const tries = tries_of_blocks();
        auto block = compact();
        // Period after period further apart, down to one microbatch at a time, until something fits.
        for (std::size_t i = 0; i < tries && trials_.empty() && !is_over_(); ++i, block.period *= 1.5)
            remember(block, 1, try_lists(make_block_order(p_, block), 1, pipeline_order::found));
        for (std::size_t i = 0; i < tries && !trials_.empty() && !is_over_(); ++i) {
            auto next = trials_[random_.below(trials_.size())];
            change(next);
            remember(next.block, next.patience,
                     try_lists(make_block_order(p_, next.block), next.patience, pipeline_order::found));
        }
    }
    void change(trial& t) {
        std::vector<double*> factors{&t.block.turn, &t.block.period, &t.patience};
        for (auto* const list : {&t.block.forward, &t.block.backward})
            for (auto& x : *list) factors.push_back(&x);
        auto const changes = 1 + random_.below(3);
        for (std::size_t i = 0; i < changes; ++i) {
            auto& x = *factors[random_.below(factors.size())];
            x = std::min(8.0, std::max(0.05, x * std::exp2(2 * random_.fraction() - 1)));
        }
    }

    /// Local search over the passes of the best schedule.
    void search_passes() {
        annealing_options const annealing{tries_ - tries_of_blocks(), options_.seed,
                                          find_pipeline_bound(p_, budgets_).value_or(0)};
        auto made = improve_order(p_, best_->schedule, budgets_, annealing, is_over_);
        auto const makespan = replay_pipeline(p_, made).makespan;
        if (makespan < best_->makespan) best_ = candidate{std::move(made), makespan, pipeline_order::found};
    }
    [[nodiscard]] auto tries_of_blocks() const -> std::size_t {
        return std::min<std::size_t>(2'000, tries_ / 10 + (tries_ % 10 > 0 ? 1 : 0));
    }
    /// Of searches without a limit: a few seconds, in proportion to the passes.
    [[nodiscard]] static auto usual_tries(pipeline const& p) -> std::size_t {
        return std::min<std::size_t>(500'000, 750'000'000 / (3 * p.stages.size() * p.microbatches));
    }

    static constexpr std::size_t most_kept = 12;
    static constexpr std::array<double, 2> patiences{1.0, 0.5};

    pipeline const& p_;
    std::span<bytes const> budgets_;
    pipeline_options const& options_;
    std::size_t tries_;
    split_mix random_;
    pipeline_search_end is_over_;
    std::optional<candidate> best_;
    std::vector<candidate> shortlist_;  // the best first
    std::vector<trial> trials_;         // the same
};

/// The plan of a schedule that was found, with its cost and bounds.
[[nodiscard]] inline auto judged(pipeline const& p, std::span<bytes const> budgets, pipeline_schedule&& schedule,
                                 pipeline_order made_by) -> pipeline_plan {
    pipeline_plan made{.cost = replay_pipeline(p, schedule), .made_by = made_by};
    made.order_bound = find_order_bound(p, schedule.orders, budgets).value_or(0);
    made.lower_bound = find_pipeline_bound(p, budgets).value_or(0);
    made.schedule = std::move(schedule);
    return made;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto plan_pipeline(pipeline const& p, std::span<bytes const> budgets, pipeline_options const& options)
    -> pipeline_plan {
    check_pipeline(p);
    detail::check_budgets(p, budgets);
    detail::pass_order_search search(p, budgets, options);
    search.run();
    pipeline_plan made;
    if (auto found = std::move(search).best())
        made = detail::judged(p, budgets, std::move(found->schedule), found->made_by);
    made.least = find_least_bytes(p);
    return made;
}

REPEBBLE_INLINE auto plan_pipeline(pipeline const& p, pass_orders const& orders, std::span<bytes const> budgets,
                                   pipeline_options const& options) -> pipeline_plan {
    check_pipeline(p);
    detail::check_budgets(p, budgets);
    pipeline_schedule schedule{orders, std::vector<std::uint32_t>(p.stages.size() * p.microbatches, 0)};
    (void)replay_pipeline(p, schedule);
    pipeline_plan made;
    detail::pipeline_search_end const is_over(options.limits);
    if (auto found = detail::find_choices(p, orders, budgets, detail::tries_of_choices, is_over)) {
        schedule.choices = std::move(found->choices);
        made = detail::judged(p, budgets, std::move(schedule), pipeline_order::given);
    }
    made.least = find_least_bytes(p, orders);
    return made;
}

}  // namespace repebble::inline v0

#endif
