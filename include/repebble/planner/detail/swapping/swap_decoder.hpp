#ifndef REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_DECODER_HPP
#define REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_DECODER_HPP

// From decisions to a list of computations, copies and discards, timed by the rules of the lanes (pebbling/README.md):
// first the computations, by demand; then, step by step, copies out as soon as a value is written, discards of values
// that are copied out as late as memory allows, and copies in as late as they end in time. The search of plans that
// swap judges its decisions by it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/detail/swapping/swap_gaps.hpp>

namespace repebble::inline v0::detail {

/// A step of a list: an operation is computed, or a value copied or discarded.
struct list_step {
    action what = action::compute;
    pool from = pool::device;
    std::uint32_t of = 0;         ///< the operation, or the value
    value_index over = no_value;  ///< the value in whose storage the operation writes
};

/// What a list takes.
struct swap_cost {
    std::int64_t time = 0;     ///< makespan
    bytes most_above = 0;      ///< bytes above the budgets at most
    double all_above = 0;      ///< and in the mean of all steps
    bool is_too_long = false;  ///< there are too many recomputations: nothing else is known

    [[nodiscard]] auto fits() const noexcept -> bool { return !is_too_long && most_above == 0; }
};

class swap_decoder {
  public:
    /// Refers to the problem.
    explicit swap_decoder(swap_gaps const& p)
        : p_(p), m_(p.model()), values_(m_.value_count()), runs_(m_.operation_count(), 0) {
        most_steps_ = m_.effort.swap_steps_per_operation * p.order().size() + m_.effort.more_swap_steps;
    }

    /// The cost of the list of these decisions.  O(steps · values per step + copies · steps between).
    auto cost(swap_decisions const& d) -> swap_cost { return decode<false>(d); }
    /// The list, after which `cost` has its cost.  As `cost`.
    auto list(swap_decisions const& d) -> std::vector<list_step> {
        steps_.clear();
        static_cast<void>(decode<true>(d));
        return std::move(steps_);
    }
    /// The step of the last list that has most bytes.
    [[nodiscard]] auto fullest() const -> std::size_t { return fullest_; }
    /// Position in the last list of the first run of the operation at a position of the base order.
    [[nodiscard]] auto first_run(std::size_t position) const -> std::uint32_t { return first_run_[position]; }

  private:
    static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
    enum class place : std::uint8_t { none, device, host, ended };

    struct value_state {
        place where = place::none;
        bool arrives = false;       // its next use is by a copy in
        bool used_between = false;  // it was used in the current gap, by a recomputation
        std::uint16_t pins = 0;     // operations that wait with it for their other inputs
        std::uint32_t gap = 0;      // the current one
        std::uint32_t last = 0;     // its last use, in the list
        std::uint32_t instance = never;
    };
    struct instance {
        value_index value;
        std::uint32_t created, last;  // computations in the list
        std::uint32_t arrivals = 0;   // copies in that are still to come
        bool goes_out = false;        // it is copied out
        bool is_ended = false;        // its last use overwrites it, by a mutation or in place
        std::int64_t out_end = 0;
    };
    struct stay_on_host {
        std::uint32_t instance, from, to;  // computations in the list between which it lies on the host
        std::uint32_t earliest = 0;        // computation before which the copy in may be listed
        bool cancelled = false;            // its bytes were not needed: it stays on the device
        std::int64_t arrival = 0;          // end of the copy in
    };

    template <bool Record>
    auto decode(swap_decisions const& d) -> swap_cost {
        d_ = &d;
        if (!list_computations()) return {.is_too_long = true};
        choose_arrivals();
        return run<Record>();
    }

    // --- The computations, by demand -------------------------------------------------------------------------------

    [[nodiscard]] auto list_computations() -> bool;
    auto run_operation(operation_index v, bool in_base_order, std::size_t depth = 0) -> bool;
    void use(value_index x, std::uint32_t at);
    /// The first value that an operation may write over and uses last ends with it.
    void choose_overwrites();
    void settle(value_index x);

    // --- When copies in begin, at the latest -----------------------------------------------------------------------

    /// Going back from the end: each copy in ends before its use and before the next copy in begins, in the times of
    /// computations that never wait.
    void choose_arrivals();
    /// Time of the i-th computation of the list: views that were merged into it run with it once only.
    [[nodiscard]] auto time_of(std::size_t i) const -> std::int64_t { return m_.operations[sequence_[i]].time; }

    // --- The lanes -------------------------------------------------------------------------------------------------

    template <bool Record>
    auto run() -> swap_cost {
        auto const count = sequence_.size();
        sort_events();
        leaving_.clear();
        swap_cost out;
        auto const note_above = [&](bytes above) {
            if (above <= 0) return;
            out.most_above = std::max(out.most_above, above);
            out.all_above += static_cast<double>(above);
        };
        std::int64_t now = 0, free_from = 0, host_free_from = 0;  // memory of the pools is free
        std::array<std::int64_t, 2> copied_until{};               // out, in
        auto& out_lane = copied_until[0];
        auto& in_lane = copied_until[p_.via().half_duplex ? 0 : 1];
        bytes leaving_bytes = 0, host_bytes = 0;
        std::size_t next_stay = 0, next_out = 0, next_use = 0;
        finished_.clear();
        fullest_ = 0;
        bytes most = 0;
        auto const record = [&]([[maybe_unused]] action what, [[maybe_unused]] std::uint32_t of,
                                [[maybe_unused]] pool from = pool::device,
                                [[maybe_unused]] value_index over = no_value) {
            if constexpr (Record) steps_.push_back({what, from, of, over});
        };
        auto const let_go = [&](std::size_t k) {  // the k-th that leaves
            auto const& i = instances_[leaving_[k].instance];
            free_from = std::max(free_from, i.out_end);
            leaving_bytes -= m_.sizes[i.value];
            record(action::discard, i.value);
            leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(k));
        };
        auto const let_go_if = [&](auto const& holds) {
            for (std::size_t k = leaving_.size(); k-- > 0;)
                if (holds(instances_[leaving_[k].instance])) let_go(k);
        };
        auto const leave_host = [&](finished_copy const& f) {
            host_bytes -= m_.sizes[instances_[f.instance].value];
            host_free_from = std::max(host_free_from, f.end);
            return true;
        };
        auto const copy_in = [&](std::size_t k) {
            auto& s = stays_[k];
            auto& i = instances_[s.instance];
            in_lane = std::max({in_lane, free_from, now, i.out_end}) + p_.copy_time(i.value);
            s.arrival = in_lane;
            record(action::prefetch, i.value, pool::host);
            if (--i.arrivals == 0) finished_.push_back({s.instance, in_lane});
        };
        // It is still on the device when it is needed again, and stays.
        auto const is_here = [&](std::size_t k) {
            return std::ranges::find(leaving_, static_cast<std::uint32_t>(k), &leaver::stay) != leaving_.end();
        };
        auto const stay_if_here = [&](std::size_t k) {
            auto const here = std::ranges::find(leaving_, static_cast<std::uint32_t>(k), &leaver::stay);
            if (here == leaving_.end()) return false;
            leaving_.erase(here);
            auto& i = instances_[stays_[k].instance];
            leaving_bytes -= m_.sizes[i.value];
            stays_[k].cancelled = true;
            if (--i.arrivals == 0) finished_.push_back({stays_[k].instance, i.out_end});
            return true;
        };
        for (std::size_t step = 0; step < count; ++step) {
            // What was used last by the computation before: it is discarded, once it is copied out.
            for (auto k = deaths_.first(step); k != never; k = deaths_.next(k)) {
                auto const& i = instances_[k];
                if (i.is_ended) continue;
                if (i.goes_out && i.out_end > now) {
                    leaving_.push_back({k, never});
                    leaving_bytes += m_.sizes[i.value];
                } else {
                    record(action::discard, i.value);
                }
            }
            for (auto k = begins_of_stays_.first(step); k != never; k = begins_of_stays_.next(k)) {
                leaving_.push_back({stays_[k].instance, k});
                leaving_bytes += m_.sizes[instances_[stays_[k].instance].value];
            }
            // Discards without a stall.
            let_go_if([&](instance const& i) { return i.out_end <= now; });
            // A new instance takes the name of an old one.
            if (runs_[sequence_[step]] > 1)
                for (auto const x : m_.writes[sequence_[step]]) {
                    let_go_if([&](instance const& i) { return i.value == x; });
                    if (!p_.host_budget()) continue;
                    std::erase_if(finished_, [&](finished_copy const& f) {  // and its copy on the host ends
                        auto const& old = instances_[f.instance];
                        return old.value == x && old.created != step && leave_host(f);
                    });
                }
            // Copies in that may begin now, in the order of their uses, where they fit until these.
            for (; next_stay < stays_.size() && stays_[next_stay].earliest <= step; ++next_stay) {
                auto& s = stays_[next_stay];
                auto const size = m_.sizes[instances_[s.instance].value];
                if (s.to > step && !fits(step, s.to, size, leaving_bytes - (is_here(next_stay) ? size : 0))) break;
                if (!stay_if_here(next_stay)) {
                    if (s.to == step) break;  // after the discards
                    copy_in(next_stay);
                }
                for (auto j = step; j < s.to; ++j) load_[j] += size;
            }
            // What is used now and still there stays.
            for (auto k = next_stay; k < stays_.size() && stays_[k].to <= step; ++k) stay_if_here(k);
            // Discards that memory needs, the first that is copied out first.
            while (leaving_bytes > 0 && load_[step] + leaving_bytes > p_.budget()) {
                auto const first = std::ranges::min_element(
                    leaving_, {}, [&](leaver const& l) { return instances_[l.instance].out_end; });
                let_go(static_cast<std::size_t>(first - leaving_.begin()));
            }
            // Copies in that this computation reads.
            std::int64_t ready = 0;
            for (; next_stay < stays_.size() && stays_[next_stay].to <= step; ++next_stay)
                if (!stays_[next_stay].cancelled) copy_in(next_stay);
            for (; next_use < stays_.size() && stays_[next_use].to <= step; ++next_use)
                ready = std::max(ready, stays_[next_use].arrival);
            // A copy out of what it overwrites ends before.
            for (auto k = deaths_.first(step + 1); k != never; k = deaths_.next(k))
                if (instances_[k].is_ended) ready = std::max(ready, instances_[k].out_end);
            bytes const all = load_[step] + leaving_bytes;
            if (all > most) {
                most = all;
                fullest_ = step;
            }
            note_above(all - p_.budget());
            now = std::max({now, free_from, ready}) + time_of(step);
            record(action::compute, sequence_[step], pool::device, over_[step]);
            if (step + 1 < p_.inputs()) continue;  // copies come after all inputs
            for (; next_out < instances_.size() && instances_[next_out].created <= step; ++next_out) {
                auto& i = instances_[next_out];
                if (!i.goes_out) continue;
                host_bytes += m_.sizes[i.value];
                if (p_.host_budget()) {
                    auto f = finished_.begin();
                    for (; f != finished_.end() && host_bytes > *p_.host_budget(); ++f) {
                        leave_host(*f);
                        record(action::discard, instances_[f->instance].value, pool::host);
                    }
                    finished_.erase(finished_.begin(), f);
                    note_above(host_bytes - *p_.host_budget());
                }
                out_lane = std::max({out_lane, now, host_free_from}) + p_.copy_time(i.value);
                i.out_end = out_lane;
                record(action::offload, i.value);
            }
        }
        out.time = std::max({now, copied_until[0], copied_until[1]});
        out.all_above /= static_cast<double>(std::max<std::size_t>(1, count));
        return out;
    }
    /// Whether so many bytes more fit at all computations [from, to), where so many leave before the second.
    [[nodiscard]] auto fits(std::size_t from, std::size_t to, bytes size, bytes leaving) const -> bool;
    void sort_events();

    /// Lists of numbers by computation.
    class by_step {
      public:
        void reset(std::size_t steps, std::size_t numbers) {
            first_.assign(steps + 1, never);
            next_.resize(numbers);
        }
        /// Puts it first.
        void add(std::size_t step, std::uint32_t number) { next_[number] = std::exchange(first_[step], number); }
        [[nodiscard]] auto first(std::size_t step) const -> std::uint32_t { return first_[step]; }
        [[nodiscard]] auto next(std::uint32_t number) const -> std::uint32_t { return next_[number]; }

      private:
        std::vector<std::uint32_t> first_, next_;
    };
    struct hold {
        std::uint32_t from, to;  // computations in the list
        bytes size;
    };
    struct leaver {
        std::uint32_t instance, stay;  // the latter: `never` for the last use
    };
    struct finished_copy {
        std::uint32_t instance;
        std::int64_t end;
    };

    swap_gaps const& p_;
    planning_model const& m_;
    swap_decisions const* d_ = nullptr;
    std::size_t most_steps_;
    std::vector<value_state> values_;
    std::vector<std::uint32_t> runs_;  // by operation
    std::vector<operation_index> sequence_;
    std::vector<std::uint32_t> first_run_;
    std::vector<instance> instances_;
    std::vector<stay_on_host> stays_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> may_end_;  // computation, and what it may write over
    std::vector<value_index> over_;                                 // by computation
    std::vector<hold> holds_;
    std::vector<std::int64_t> begins_;
    std::vector<bytes> load_;
    by_step deaths_, begins_of_stays_;
    std::vector<leaver> leaving_;
    std::vector<finished_copy> finished_;
    std::vector<list_step> steps_;
    std::size_t fullest_ = 0;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/swapping/swap_decoder.ipp>
#endif

#endif
