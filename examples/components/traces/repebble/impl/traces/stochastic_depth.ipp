#ifndef REPEBBLE_IMPL_TRACES_STOCHASTIC_DEPTH_IPP
#define REPEBBLE_IMPL_TRACES_STOCHASTIC_DEPTH_IPP

#include <repebble/traces/stochastic_depth.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

class trace_shortener {
  public:
    trace_shortener(swap_problem const& full, swap_plan const& plan, std::vector<bool> const& is_dropped)
        : full_(full), from_(full.iteration()), plan_(plan), is_dropped_(is_dropped), parts_(parts_of_plan()) {}

    [[nodiscard]] auto run(swap_options const& options) && -> shortened_iteration {
        find_rows();
        write_rows();
        swap_problem const shorter(out_.trace);
        out_.plan = plan_of(shorter);
        out_.result = simulate_swaps(shorter, out_.plan, options);
        if (!out_.result.feasible) {
            // Computing again may need more than it did, as other variables are away. Offloading never does.
            std::ranges::replace(out_.plan, swap_choice::remove, swap_choice::offload);
            out_.result = simulate_swaps(shorter, out_.plan, options);
        }
        return std::move(out_);
    }

  private:
    /// What becomes of a variable: its rows in the full trace.
    struct life {
        std::size_t malloc = no_row, free = no_row;
        std::size_t first = no_row, last = no_row;            // touches
        std::size_t first_kept = no_row, last_kept = no_row;  // touches that occur
        bool is_written = false, is_made = false;             // by any computation; by one that occurs
    };

    [[nodiscard]] auto occurs(std::size_t r) const -> bool {
        auto const& row = from_.rows[r];
        auto const& v = lives_[row.variable];
        return !is_dropped_[row.computation] && (v.malloc == no_row || v.is_made);
    }
    void find_rows() {
        lives_.resize(from_.sizes.size());
        for (std::size_t r = 0; r < from_.rows.size(); ++r) {
            auto const& row = from_.rows[r];
            auto& v = lives_[row.variable];
            if (row.what == trace_action::malloc && (v.malloc != no_row || v.first != no_row))
                raise(bad_trace("trace: row " + std::to_string(r) + " mallocs variable " +
                                std::to_string(row.variable) + " a second time"));
            if (row.what == trace_action::malloc) v.malloc = r;
            if (row.what == trace_action::free) v.free = r;
            if (!is_touch(row.what)) continue;
            if (v.first == no_row) v.first = r;
            v.last = r;
            if (row.what == trace_action::write && !is_dropped_[row.computation]) v.is_made = true;
        }
        for (std::size_t r = 0; r < from_.rows.size(); ++r) {
            if (!is_touch(from_.rows[r].what) || !occurs(r)) continue;
            auto& v = lives_[from_.rows[r].variable];
            if (v.first_kept == no_row) v.first_kept = r;
            v.last_kept = r;
        }
    }
    /// The rows that occur. A variable whose first or last use does not occur has memory from the first to the last
    /// that does.
    void write_rows() {
        auto const n = from_.rows.size();
        std::vector<std::vector<std::size_t>> before(n), after(n);  // rows that move to another one
        std::vector<std::size_t> last_row(from_.computations.size(), 0);
        for (std::size_t r = 0; r < n; ++r)
            if (is_touch(from_.rows[r].what) && occurs(r)) last_row[from_.rows[r].computation] = r;
        std::vector<bool> is_void(n, false);
        out_.trace.sizes = from_.sizes;
        for (std::size_t v = 0; v < lives_.size(); ++v) {
            auto const& l = lives_[v];
            bool const is_used = l.first_kept != no_row;
            bool const is_unused = l.first == no_row ? !has_computation(l) : !is_used;
            if (is_unused) {
                if (l.malloc != no_row) is_void[l.malloc] = true;
                if (l.free != no_row) is_void[l.free] = true;
                // Without a row it would have memory all the time; on the host it has none.
                if (l.malloc != no_row || l.free != no_row || !parts_[v].empty()) out_.trace.sizes[v] = 0;
                continue;
            }
            if (!is_used) continue;
            if (l.first_kept != l.first && l.malloc != no_row) {
                is_void[l.malloc] = true;
                before[l.first_kept].push_back(l.malloc);
            }
            if (l.last_kept != l.last && l.free != no_row) {
                is_void[l.free] = true;
                after[last_row[from_.rows[l.last_kept].computation]].push_back(l.free);
            }
        }
        computations_.assign(from_.computations.size(), no_computation);
        if (n > 0) now_ = from_.rows.front().begin;
        for (std::size_t r = 0; r < n; ++r) {
            for (auto const moved : before[r]) add(moved);
            if (is_touch(from_.rows[r].what) ? occurs(r) : !is_void[r]) add(r);
            for (auto const moved : after[r]) add(moved);
        }
        out_.trace.duration = now_;
    }
    void add(std::size_t r) {
        auto row = from_.rows[r];
        row.begin = now_;
        now_ += full_.duration(r);
        if (row.computation != no_computation) {
            auto& c = computations_[row.computation];
            if (c == no_computation) {
                c = static_cast<computation_index>(out_.trace.computations.size());
                out_.trace.computations.push_back(from_.computations[row.computation]);
            }
            row.computation = c;
        }
        out_.trace.rows.push_back(row);
        out_.row_of.push_back(r);
    }
    /// Whether a computation occurs while a variable that none touches has memory (a workspace).
    [[nodiscard]] auto has_computation(life const& l) const -> bool {
        if (l.malloc == no_row || l.free == no_row) return true;
        for (auto r = l.malloc; r < l.free; ++r)
            if (is_touch(from_.rows[r].what) && occurs(r)) return true;
        return false;
    }
    /// The intervals that the plan does not keep, of each variable.
    [[nodiscard]] auto parts_of_plan() const -> jagged_array<std::size_t> {
        std::vector<std::pair<variable_index, std::size_t>> parts;
        for (std::size_t i = 0; i < plan_.size(); ++i)
            if (plan_[i] != swap_choice::keep) parts.emplace_back(full_.intervals()[i].variable, i);
        return {from_.sizes.size(), parts};
    }
    /// An interval is offloaded if a part of it was, else removed if a part was and it can be.
    [[nodiscard]] auto plan_of(swap_problem const& shorter) const -> swap_plan {
        auto plan = shorter.keep_all();
        for (std::size_t i = 0; i < plan.size(); ++i) {
            auto const& interval = shorter.intervals()[i];
            auto const last_use = out_.row_of[interval.last_use], next_use = out_.row_of[interval.next_use];
            for (auto const p : parts_[interval.variable]) {
                auto const& part = full_.intervals()[p];
                bool const is_after = part.last_use >= last_use, is_before = !part.wraps && part.next_use <= next_use;
                if (interval.wraps ? !(is_after || is_before) : !(is_after && is_before)) continue;
                if (plan_[p] == swap_choice::offload || !interval.is_removable) plan[i] = swap_choice::offload;
                if (plan[i] == swap_choice::keep) plan[i] = swap_choice::remove;
            }
        }
        return plan;
    }

    swap_problem const& full_;
    trace const& from_;
    swap_plan const& plan_;
    std::vector<bool> const& is_dropped_;
    jagged_array<std::size_t> parts_;
    std::vector<life> lives_{};
    std::vector<computation_index> computations_{};  // new number of each
    std::int64_t now_ = 0;
    shortened_iteration out_{};
};

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto without_computations(swap_problem const& full, swap_plan const& plan,
                                          std::vector<bool> const& is_dropped, swap_options const& options)
    -> shortened_iteration {
    static_cast<void>(simulate_swaps(full, plan, options));  // checks them
    if (is_dropped.size() != full.iteration().computations.size())
        detail::raise(bad_option("there are " + std::to_string(is_dropped.size()) +
                                 " answers whether a computation is dropped, but " +
                                 std::to_string(full.iteration().computations.size()) + " computations"));
    return detail::trace_shortener(full, plan, is_dropped).run(options);
}

}  // namespace repebble::inline v0

#endif
