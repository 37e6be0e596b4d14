#ifndef REPEBBLE_IMPL_TRACES_SIMULATE_SWAPS_IPP
#define REPEBBLE_IMPL_TRACES_SIMULATE_SWAPS_IPP

#include <repebble/traces/simulate_swaps.hpp>

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/traces/detail/swap_program.hpp>

namespace repebble::inline v0::detail {

/// One simulation. Time passes from step to step; in between, copies end and others begin.
class swap_simulation {
  public:
    swap_simulation(swap_problem const& problem, swap_plan const& plan, swap_options const& options)
        : problem_(problem),
          options_(options),
          program_(swap_program_writer(problem, plan).write()),
          extra_(program_.steps.size(), 0),
          copies_(program_.departures.size()),
          is_done_(program_.runs.size(), false) {
        out_.row_begin.reserve(problem.row_count());
        out_.copied_out.assign(problem.intervals().size(), -1);
        order_copies(plan);
    }

    [[nodiscard]] auto run() && -> swap_result {
        judge_memory();
        auto const& iteration = problem_.iteration();
        now_ = iteration.rows.empty() ? iteration.duration : iteration.rows.front().begin;
        for (std::size_t d = 0; d < program_.away_at_begin; ++d) on_host_.push({program_.departures[d].until, d});
        for (step_ = 0; step_ < program_.steps.size(); ++step_) {
            auto const& s = program_.steps[step_];
            using kind = swap_step::kind;
            if (s.what == kind::row) row(s.index);
            if (s.what == kind::leave) leave(s.index);
            if (s.what == kind::fetch) fetch(s.index);
            if (s.what == kind::run && !is_done_[s.index]) {
                wait_for_memory();
                run_again(s.index);
            }
        }
        auto end = now_;
        for (std::size_t i = 0; i < problem_.intervals().size(); ++i)
            if (problem_.intervals()[i].wraps) end = std::max(end, out_.copied_out[i]);
        out_.waited += end - now_;
        out_.overhead = end - iteration.duration;
        return std::move(out_);
    }

  private:
    struct copy {
        std::int64_t in_end = -1;  // where the copy in has begun
        bool is_back = false;
    };
    /// A copy out that will end, of a departure.
    using ending = std::pair<std::int64_t, std::size_t>;
    template <class T>
    using least_first = std::priority_queue<T, std::vector<T>, std::greater<T>>;

    /// For every row: the intervals whose copies out begin with it, and when it ends (points 8, 13).
    void order_copies(swap_plan const& plan) {
        auto const& intervals = problem_.intervals();
        std::vector<std::pair<std::size_t, std::size_t>> with, after;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            if (plan[i] != swap_choice::offload) continue;
            auto const& from = intervals[i];
            bool const at_write = from.written != no_row && options_.copy_out == swap_options::copy_start::written;
            if (from.is_written || at_write)
                after.emplace_back(from.written, i);
            else
                with.emplace_back(from.last_use, i);
        }
        std::ranges::stable_sort(after, {}, &std::pair<std::size_t, std::size_t>::first);
        begins_with_ = {problem_.row_count(), with};
        begins_after_ = {problem_.row_count(), after};
    }
    /// What can be said without times.
    void judge_memory() {
        for (auto step = program_.steps.size(), row = no_row; step-- > 0;) {
            auto const& s = program_.steps[step];
            if (s.what == swap_step::kind::row) row = s.index;
            if (row != no_row && s.need >= out_.least_limit) {
                out_.least_limit = s.need;
                out_.fullest_row = row;
            }
            if (s.need > options_.limit) out_.first_overfull = row;
        }
        out_.feasible = out_.least_limit <= options_.limit;
    }

    void row(std::size_t r) {
        note(swap_event::kind::next_row, r, now_, now_);
        wait_for_memory();
        out_.row_begin.push_back(now_);
        for (auto const i : begins_with_[r]) copy_out(i);
        note(swap_event::kind::row, r, now_, checked_add(now_, problem_.duration(r), "times of a trace"));
        pass(problem_.duration(r));
        for (auto const i : begins_after_[r]) copy_out(i);
    }
    void copy_out(std::size_t interval) {
        auto const time = options_.link.copy_time(problem_.size(problem_.intervals()[interval]));
        auto const begin = std::max(out_lane_, now_);
        out_lane_ = checked_add(begin, time, "times of copies");
        out_.copied_out[interval] = out_lane_;
        out_.moved += problem_.size(problem_.intervals()[interval]);
        note(swap_event::kind::copy_out, interval, begin, out_lane_);
    }
    /// Memory is free at the end of the copy, or now, at the end of the last use (point 12).
    void leave(std::size_t d) {
        auto const i = program_.departures[d].interval;
        if (out_.copied_out[i] < 0) return note(swap_event::kind::gone, i, now_, now_);  // removed
        if (out_.copied_out[i] > now_) {
            pending_ += size_of(d);
            leaving_.push({out_.copied_out[i], d});
            if (options_.wait_after_use) wait(out_.copied_out[i], false);
        } else {
            reach_host(d, now_);
        }
    }
    void reach_host(std::size_t d, std::int64_t when) {
        note(swap_event::kind::gone, program_.departures[d].interval, when, when);
        if (program_.departures[d].until > 0) on_host_.push({program_.departures[d].until, d});
    }
    /// The use of an offloaded variable: computing waits for its copy in (point 15). A variable whose copy out is still
    /// under way is still there.
    void fetch(std::size_t d) {
        advance(now_);
        auto& c = copies_[d];
        c.is_back = true;
        if (c.in_end < 0) {
            auto const i = program_.departures[d].interval;
            if (d >= program_.away_at_begin && out_.copied_out[i] > now_) {
                pending_ -= size_of(d);
                return;
            }
            wait_for_memory();
            begin_copy_in(d, std::max(now_, in_lane()));
        }
        wait(c.in_end, true);
    }
    void run_again(std::size_t r) {
        auto const& again = program_.runs[r];
        auto const time = problem_.at(again.computation).time;
        is_done_[r] = true;
        note(swap_event::kind::run, again.computation, now_, checked_add(now_, time, "times of a trace"),
             again.variable);
        pass(time);
        out_.run_again += time;
    }

    [[nodiscard]] auto in_lane() -> std::int64_t& { return options_.link.half_duplex ? out_lane_ : in_lane_; }
    [[nodiscard]] auto size_of(std::size_t d) const -> bytes {
        return problem_.size(problem_.intervals()[program_.departures[d].interval]);
    }
    [[nodiscard]] auto in_use() const -> bytes { return program_.steps[step_].need + extra_[step_] + pending_; }
    void note(swap_event::kind what, std::size_t index, std::int64_t begin, std::int64_t end,
              variable_index variable = 0) {
        if (options_.timeline) out_.timeline.push_back({what, index, begin, end, variable});
    }

    /// Point 11: a step begins when its memory is free. Where it does not fit at all, it begins when nothing more will
    /// become free by itself.
    void wait_for_memory() {
        advance(now_);
        while (in_use() > options_.limit && pending_ > 0) {
            wait(leaving_.top().first, false);
            advance(now_);
        }
        out_.peak = std::max(out_.peak, in_use());
    }
    /// Computing does nothing until then; where it waits for a copy in, removed variables may be computed early (16).
    void wait(std::int64_t until, bool for_copy_in) {
        while (for_copy_in && options_.run_early && now_ < until) {
            advance(now_);
            if (!run_early()) break;
        }
        out_.waited += std::max<std::int64_t>(0, until - now_);
        if (until > now_) pass(until - now_);
    }
    void pass(std::int64_t time) {
        auto const end = checked_add(now_, time, "times of a trace");
        advance(end);
        now_ = end;
    }
    /// The next removed value, if it fits until its use and all that its computation reads is there.
    auto run_early() -> bool {
        while (next_run_ < program_.runs.size() && (is_done_[next_run_] || program_.runs[next_run_].step <= step_))
            ++next_run_;
        if (next_run_ == program_.runs.size()) return false;
        auto const& again = program_.runs[next_run_];
        if (again.ready_from >= step_ || again.returned == 0 || again.is_borrowed) return false;
        if (in_use() + again.returned + again.scratch > options_.limit) return false;
        if (last_without_room(again.returned, again.step) != none) return false;
        out_.peak = std::max(out_.peak, in_use() + again.returned + again.scratch);
        pending_ += again.scratch;  // nothing else may take that while it runs
        hold(again.returned, again.step);
        auto const scratch = again.scratch;
        run_again(next_run_);
        pending_ -= scratch;
        return true;
    }

    /// Ends copies out and begins copies in, in the order of time, up to `until`; the current step lasts that long.
    void advance(std::int64_t until) {
        for (auto t = now_;;) {
            for (; !leaving_.empty() && leaving_.top().first <= t; leaving_.pop()) {
                auto const d = leaving_.top().second;
                if (copies_[d].is_back) continue;
                pending_ -= size_of(d);
                reach_host(d, leaving_.top().first);
            }
            if (in_lane() <= t && begin_next_copy_in(t)) continue;
            auto next = until;
            if (!leaving_.empty()) next = std::min(next, leaving_.top().first);
            if (!on_host_.empty() && in_lane() > t) next = std::min(next, in_lane());
            if (next >= until) return;
            t = next;
        }
    }
    /// Strictly in the order of next use, and only where there is memory for it until then (point 14).
    auto begin_next_copy_in(std::int64_t now) -> bool {
        while (!on_host_.empty() && copies_[on_host_.top().second].is_back) on_host_.pop();
        if (on_host_.empty()) return false;
        auto const [until, d] = on_host_.top();
        if (is_too_early(d) || (d == asked_ && no_room_ > step_)) return false;
        if (in_use() + size_of(d) > options_.limit) return false;
        auto const end = options_.copy_in == swap_options::room::until_use ? until : program_.steps.size();
        asked_ = d;
        no_room_ = 0;
        if (auto const full = last_without_room(size_of(d), end); full != none) {
            no_room_ = full;
            return false;
        }
        on_host_.pop();
        hold(size_of(d), until);
        begin_copy_in(d, now);
        out_.peak = std::max(out_.peak, in_use());
        return true;
    }
    [[nodiscard]] auto is_too_early(std::size_t d) const -> bool {
        if (options_.lookahead == 0) return false;
        auto const use = problem_.intervals()[program_.departures[d].interval].next_use;
        auto const by = problem_.iteration().rows[use].computation;
        if (by < options_.lookahead) return false;
        auto const from = static_cast<computation_index>(by - options_.lookahead);
        return out_.row_begin.size() <= problem_.at(from).first_row;
    }
    void begin_copy_in(std::size_t d, std::int64_t begin) {
        in_lane() = checked_add(begin, options_.link.copy_time(size_of(d)), "times of copies");
        copies_[d].in_end = in_lane();
        out_.moved += size_of(d);
        note(swap_event::kind::copy_in, program_.departures[d].interval, begin, in_lane());
    }
    /// The last step after this one, before `end`, that has no room for so many bytes more.
    [[nodiscard]] auto last_without_room(bytes size, std::size_t end) const -> std::size_t {
        for (auto step = end; step-- > step_ + 1;)
            if (program_.steps[step].need + extra_[step] + size > options_.limit) return step;
        return none;
    }
    void hold(bytes size, std::size_t end) {
        for (auto step = step_; step < end; ++step) extra_[step] += size;
    }

    static constexpr auto none = static_cast<std::size_t>(-1);

    swap_problem const& problem_;
    swap_options const& options_;
    swap_program program_;
    jagged_array<std::size_t> begins_with_{}, begins_after_{};    // per row: intervals
    std::vector<bytes> extra_;                                    // per step: bytes that are back before their use
    std::vector<copy> copies_;                                    // per departure
    std::vector<bool> is_done_;                                   // per run
    least_first<ending> leaving_{};                               // left, but the copy out has not ended
    bytes pending_ = 0;                                           // bytes of those
    least_first<std::pair<std::size_t, std::size_t>> on_host_{};  // the step of the next use, and the departure
    std::int64_t now_ = 0, out_lane_ = 0, in_lane_ = 0;
    std::size_t step_ = 0, next_run_ = 0;
    std::size_t asked_ = none, no_room_ = 0;  // the departure that found no room, and at which step
    swap_result out_{};
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto simulate_swaps(swap_problem const& problem, swap_plan const& plan, swap_options const& options)
    -> swap_result {
    detail::check_link(options.link);
    repebble::detail::check_weight(options.limit, [] { return std::string("limit of a plan with swaps"); });
    return detail::swap_simulation(problem, plan, options).run();
}

}  // namespace repebble::inline v0

#endif
