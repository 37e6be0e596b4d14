#ifndef REPEBBLE_PAGE_DETAIL_PLAN_DATA_HPP
#define REPEBBLE_PAGE_DETAIL_PLAN_DATA_HPP

// The data of one plan on a page as JSON, in columns: its cost, steps, reasons and buffers, and what becomes of the
// results that lie in memory at the peak of keeping everything. page_data.hpp writes one or two of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/page/detail/json_text.hpp>
#include <repebble/page/page_subject.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/report/find_reasons.hpp>

namespace repebble::inline v0::report::detail {

[[noreturn]] inline void mismatch(char const* what, std::size_t a, char const* other, std::size_t b) {
    repebble::detail::raise(
        page_mismatch("a page: " + std::to_string(a) + " " + what + ", but " + std::to_string(b) + " " + other));
}

/// The fate of a result that lies in memory at the peak of keeping everything.
enum class fate : std::uint8_t { held, again, copied, runs_once };

class plan_data {
  public:
    /// Requires: there is a plan.
    plan_data(dataflow const& flow, automatic_plan<> const& plan, std::optional<arena> const& offsets, bytes budget)
        : flow_(flow), plan_(plan), offsets_(offsets) {
        reasons_ = find_reasons(flow, plan.plan->schedule, budget);
        find_crux();
        buffers_ = offsets ? offsets->lifetimes : find_lifetimes(flow, plan.plan->schedule);
        if (offsets && offsets->offsets.size() != buffers_.buffers.size())
            mismatch("offsets", offsets->offsets.size(), "buffers", buffers_.buffers.size());
        for (auto const& b : buffers_.buffers)
            if (b.lifetime.upper > static_cast<std::int64_t>(steps().size()))
                mismatch("steps of a buffer", static_cast<std::size_t>(b.lifetime.upper), "steps", steps().size());
    }

    /// there: the values in memory at the peak of keeping everything.
    void write(json_text& out, std::vector<value_index> const& there, std::optional<host_link> const& link) const {
        out.begin('{');
        write_cost(out);
        write_steps(out, link);
        write_reasons(out);
        write_buffers(out);
        auto const fates = fates_of_values();
        out.list("back", there, [back = way_back(*this)](auto x) mutable { return back.time_of(x); });
        out.list("fate", there, [&](auto x) { return static_cast<int>(fates[x]); });
        out.end('}');
    }

  private:
    [[nodiscard]] auto steps() const -> std::vector<step<>> const& { return plan_.plan->schedule.steps; }
    /// The step within a hundredth of the peak that would need most if the plan had let nothing go that it
    /// brings back.
    void find_crux() {
        std::vector<bytes> change(steps().size() + 1, 0);
        for (auto const& r : reasons_.reasons)
            if (r.saved > 0) change[r.gone_from + 1] += r.saved, change[r.step] -= r.saved;
        auto const peak = plan_.plan->cost.peak;
        bytes away = 0;
        for (std::size_t i = 0; i < steps().size(); ++i) {
            away += change[i];
            auto const then = checked_add(reasons_.profile[i], away);
            if (then <= if_held_ || reasons_.profile[i] < peak - peak / 100) continue;
            if_held_ = then;
            crux_ = static_cast<std::int64_t>(i);
        }
    }
    /// The time that brings a value back from what lies in memory at the crux, by a search through what it reads.
    class way_back {
      public:
        explicit way_back(plan_data const& of)
            : flow_(of.flow_), resident_(flow_.value_count(), false), seen_(flow_.operation_count(), 0) {
            for (std::size_t b = 0; b < of.buffers_.buffers.size(); ++b) {
                auto const& life = of.buffers_.buffers[b].lifetime;
                auto const& use = of.buffers_.uses[b];
                if (use.what == buffer_use::kind::storage && life.lower <= of.crux_ && of.crux_ < life.upper)
                    resident_[use.storage.value] = true;
            }
        }
        [[nodiscard]] auto time_of(value_index x) -> std::int64_t {
            std::int64_t all{};
            ++round_;
            std::vector<operation_index> open{flow_.producers(x).front()};
            while (!open.empty()) {
                auto const v = open.back();
                open.pop_back();
                if (std::exchange(seen_[v], round_) == round_) continue;
                all = checked_add(all, flow_.time(v), "times");
                for (auto const read : flow_.reads(v))
                    for (auto const owner : flow_.owners(read))
                        if (!resident_[owner]) open.push_back(flow_.producers(owner).front());
            }
            return all;
        }

      private:
        dataflow const& flow_;
        std::vector<char> resident_;
        std::vector<std::size_t> seen_;  // per operation: the last search that reached it
        std::size_t round_ = 0;
    };

    [[nodiscard]] auto fates_of_values() const -> std::vector<fate> {
        std::vector<fate> all(flow_.value_count(), fate::held);
        for (value_index x = 0; x < all.size(); ++x)
            if (std::ranges::none_of(flow_.producers(x), [&](auto v) { return flow_.recomputable(v); }))
                all[x] = fate::runs_once;
        for (auto const& r : reasons_.reasons) {
            if (r.what == action::prefetch && r.value != no_value) all[r.value] = fate::copied;
            if (r.what == action::compute)
                for (auto const x : flow_.writes(r.operation)) all[x] = fate::again;
        }
        return all;
    }

    void write_cost(json_text& out) const {
        auto const& cost = plan_.plan->cost;
        out.key("cost");
        out.begin('{');
        out.member("peak", cost.peak);
        out.member("time", cost.time);
        out.member("overhead", cost.overhead);
        out.member("runs_again", cost.recomputations);
        out.member("lower_bound", plan_.lower_bound);
        out.member("proven", plan_.proven);
        out.member("gap", plan_.gap());
        out.member("found_by", plan_.strategy);
        out.member("bytes_out", cost.bytes_out);
        out.member("bytes_in", cost.bytes_in);
        out.member("host_peak", cost.host_peak);
        out.member("for_data", cost.stalls.for_data);
        out.member("for_memory", cost.stalls.for_memory);
        out.member("at_end", cost.stalls.at_end);
        out.end('}');
    }

    void write_steps(json_text& out, std::optional<host_link> const& link) const {
        out.key("steps");
        out.begin('{');
        std::string what;
        for (auto const& s : steps()) what += "cdop"[static_cast<std::size_t>(s.what)];
        out.member("what", what);
        out.list("at", steps(), [&](auto const& s) {
            return s.what == action::compute ? s.vertex : flow_.writes(s.vertex)[s.output];
        });
        out.list("run", steps(), [](auto const& s) { return s.repetition; });
        out.list("bytes", reasons_.profile);
        if (link) {
            auto const spans = find_lane_times(flow_, plan_.plan->schedule, *link);
            out.list("begin", spans, [](auto const& s) { return s.begin; });
            out.list("end", spans, [](auto const& s) { return s.end; });
        }
        out.end('}');
    }

    void write_reasons(json_text& out) const {
        auto const& all = reasons_.reasons;
        auto const column = [&](char const* name, auto f) { out.list(name, all, f); };
        out.key("crux");
        out.begin('{');
        out.member("step", crux_);
        out.member("if_held", if_held_);
        out.end('}');
        out.key("reasons");
        out.begin('{');
        column("step", [](reason const& r) { return r.step; });
        column("value", [](reason const& r) {
            return r.value == no_value ? std::int64_t{-1} : static_cast<std::int64_t>(r.value);
        });
        column("from", [](reason const& r) { return r.gone_from; });
        column("needed", [](reason const& r) {
            return r.needed_at ? static_cast<std::int64_t>(*r.needed_at) : std::int64_t{-1};
        });
        column("saved", [](reason const& r) { return r.saved; });
        column("tight", [](reason const& r) { return r.tightest; });
        column("held", [](reason const& r) { return r.if_held; });
        column("above", [](reason const& r) { return r.steps_above; });
        column("first", [](reason const& r) { return r.first_above; });
        column("last", [](reason const& r) { return r.last_above; });
        out.end('}');
    }

    /// A workspace has no value: ~operation stands for it.
    void write_buffers(json_text& out) const {
        auto const& all = buffers_.buffers;
        out.key("buffers");
        out.begin('{');
        out.list("begin", all, [](auto const& b) { return b.lifetime.lower; });
        out.list("end", all, [](auto const& b) { return b.lifetime.upper; });
        out.list("size", all, [](auto const& b) { return b.size; });
        out.list("value", buffers_.uses, [](auto const& use) {
            return use.what == buffer_use::kind::storage ? static_cast<std::int64_t>(use.storage.value)
                                                         : ~static_cast<std::int64_t>(use.operation);
        });
        out.list("run", buffers_.uses, [](auto const& use) {
            return use.what == buffer_use::kind::storage ? use.storage.computation : use.repetition;
        });
        if (offsets_) {
            out.list("offset", offsets_->offsets);
            out.member("height", offsets_->size);
            out.member("least", offsets_->proof == offset_proof::height_least);
        }
        out.end('}');
    }

    dataflow const& flow_;
    automatic_plan<> const& plan_;
    std::optional<arena> const& offsets_;
    plan_reasons reasons_{};
    schedule_lifetimes buffers_{};
    std::int64_t crux_ = 0;
    bytes if_held_ = 0;  // at the crux
};

}  // namespace repebble::inline v0::report::detail

#endif
