#ifndef REPEBBLE_TRACES_DETAIL_SWAP_PROGRAM_HPP
#define REPEBBLE_TRACES_DETAIL_SWAP_PROGRAM_HPP

// A plan of a trace written out as steps: rows, departures of variables, and just before a use their return, by a copy
// from the host or by computing again with all that this needs (the second phases of Chen, section 4.5).
// Invariant: `need` is the memory of each step if copies took no time and returns were as late as can be; a plan fits
// if and only if no need is above the limit. Used by simulate_swaps.hpp, which gives the steps their times.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/traces/swap_problem.hpp>

namespace repebble::inline v0::detail {

/// A step of a program.
struct swap_step {
    enum class kind : std::uint8_t { row, leave, fetch, run };
    kind what = kind::row;
    std::size_t index = 0;  ///< of the row; the departure that begins or ends; the run
    bytes need = 0;         ///< bytes that have memory during the step
};

/// A variable that leaves the device, in a reuse interval.
struct swap_departure {
    std::size_t interval = 0;
    std::size_t until = 0;  ///< the step that brings it back; 0 where none does before the iteration ends
};

/// A computation that runs again.
struct swap_run {
    computation_index computation = 0;
    variable_index variable = 0;  ///< for which one, of those that it writes
    bool is_borrowed = false;     ///< that one was freed, and is freed again after a use
    std::size_t step = 0;         ///< where it stands in the program
    std::size_t ready_from = 0;   ///< the first step at which it could run instead, if there is memory
    bytes returned = 0;           ///< of the removed variables that it brings back
    bytes scratch = 0;            ///< of its other outputs and its workspace, which it needs only while it runs
};

struct swap_program {
    std::vector<swap_step> steps{};
    std::vector<swap_departure> departures{};
    std::vector<swap_run> runs{};   ///< in the order of their steps
    std::size_t away_at_begin = 0;  ///< so many departures, the first ones, are those of the iteration before
};

/// Writes a plan out.
class swap_program_writer {
  public:
    swap_program_writer(swap_problem const& problem, swap_plan const& plan)
        : problem_(problem), plan_(plan), sizes_(problem.iteration().sizes), states_(sizes_.size()) {}

    /// O(rows + steps).  Throws bad_option where the plan is none of the problem.
    [[nodiscard]] auto write() && -> swap_program {
        begin();
        auto const& intervals = problem_.intervals();
        std::size_t next = 0;
        for (std::size_t r = 0; r < problem_.row_count(); ++r) {
            for (; next < intervals.size() && intervals[next].leaves <= r; ++next) leave(next);
            auto const& row = problem_.iteration().rows[r];
            auto& v = states_[row.variable];
            if (row.what == trace_action::malloc) {
                memory_ += sizes_[row.variable];
                v = {.where = place::device, .since = out_.steps.size()};
            } else if (row.what == trace_action::free) {
                memory_ -= sizes_[row.variable];
                v.where = place::none;
            } else if (v.where != place::device) {
                bring_back(row.variable);
                give_back();
            }
            add(swap_step::kind::row, r, memory_);
        }
        return std::move(out_);
    }

  private:
    enum class place : std::uint8_t { none, device, host, removed };
    struct state {
        place where = place::none;
        std::size_t since = 0;      // the step from which on it is there
        std::size_t departure = 0;  // away: which one
    };
    /// A computation that runs again for a variable once all that it reads is there.
    struct pending_run {
        computation_index computation = no_computation;
        variable_index variable = 0;
        std::size_t next_read = 0;  // those before it are there
    };

    void begin() {
        auto const& intervals = problem_.intervals();
        if (plan_.size() != intervals.size())
            raise(bad_option("a plan has " + std::to_string(plan_.size()) + " choices, but there are " +
                             std::to_string(intervals.size()) + " reuse intervals"));
        auto const present = present_at_begin(problem_.iteration());
        for (std::size_t v = 0; v < sizes_.size(); ++v)
            if (present[v]) {
                states_[v].where = place::device;
                memory_ += sizes_[v];
            }
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            if (plan_[i] == swap_choice::remove && !intervals[i].is_removable)
                raise(bad_option("reuse interval " + std::to_string(i) + ": variable " +
                                 std::to_string(intervals[i].variable) + " cannot be computed again"));
            if (intervals[i].wraps && plan_[i] != swap_choice::keep) depart(i, place::host);
        }
        out_.away_at_begin = out_.departures.size();
    }
    void add(swap_step::kind what, std::size_t index, bytes need) { out_.steps.push_back({what, index, need}); }
    void depart(std::size_t interval, place to) {
        auto const v = problem_.intervals()[interval].variable;
        states_[v] = {.where = to, .since = out_.steps.size(), .departure = out_.departures.size()};
        out_.departures.push_back({.interval = interval});
        memory_ -= sizes_[v];
    }
    void leave(std::size_t interval) {
        if (plan_[interval] == swap_choice::keep) return;
        depart(interval, plan_[interval] == swap_choice::offload ? place::host : place::removed);
        add(swap_step::kind::leave, out_.departures.size() - 1, memory_);
    }
    /// The variable has its memory and its content again, at the step that is written next.
    void arrive(variable_index v) {
        memory_ += sizes_[v];
        auto& s = states_[v];
        if (s.where != place::none) out_.departures[s.departure].until = out_.steps.size();
        s = {.where = place::device, .since = out_.steps.size()};
    }
    /// Brings a variable back, and first all that it is computed again from (point 17).
    void bring_back(variable_index v) {
        begin_return(v, no_computation);
        while (!returning_.empty()) {
            auto& r = returning_.back();
            auto const by = r.computation;
            if (auto const reads = problem_.reads(by); r.next_read < reads.size()) {
                begin_return(reads[r.next_read++], by);
            } else {
                auto const back = r.variable;
                returning_.pop_back();
                run(by, back);
            }
        }
    }
    /// Brings a variable back that computation `by` reads, or notes the computation that has to run for it.
    void begin_return(variable_index v, computation_index by) {
        auto const s = states_[v];
        if (s.where == place::host) {
            arrive(v);
            add(swap_step::kind::fetch, s.departure, memory_);
        } else if (s.where == place::removed) {
            returning_.push_back({problem_.intervals()[out_.departures[s.departure].interval].producer, v});
        } else if (s.where == place::none) {
            borrowed_.push_back(v);
            returning_.push_back({problem_.source(by, v), v});
        }
    }
    /// Runs a computation again, for v and all else that it wrote and that was removed.
    void run(computation_index c, variable_index v) {
        swap_run again{.computation = c, .variable = v, .is_borrowed = states_[v].where == place::none};
        for (auto const u : problem_.reads(c)) again.ready_from = std::max(again.ready_from, states_[u].since);
        auto scratch = problem_.iteration().computations[c].workspace;
        for (auto const w : problem_.writes(c)) {
            bool const is_removed = states_[w].where == place::removed;
            if (is_removed) {
                again.ready_from = std::max(again.ready_from, states_[w].since);
                again.returned += sizes_[w];
            }
            if (is_removed || w == v)
                arrive(w);
            else
                scratch += sizes_[w];
        }
        again.step = out_.steps.size();
        again.scratch = scratch;
        add(swap_step::kind::run, out_.runs.size(), memory_ + scratch);
        out_.runs.push_back(again);
    }
    /// Frees what was freed before and computed again only to be read.
    void give_back() {
        for (auto const v : borrowed_) {
            memory_ -= sizes_[v];
            states_[v].where = place::none;
        }
        borrowed_.clear();
    }

    swap_problem const& problem_;
    swap_plan const& plan_;
    std::vector<bytes> const& sizes_;
    std::vector<state> states_;  // of every variable
    std::vector<variable_index> borrowed_{};
    std::vector<pending_run> returning_{};  // each for a variable that the one before it reads
    swap_program out_{};
    bytes memory_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
