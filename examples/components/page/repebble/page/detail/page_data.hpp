#ifndef REPEBBLE_PAGE_DETAIL_PAGE_DATA_HPP
#define REPEBBLE_PAGE_DETAIL_PAGE_DATA_HPP

// The data of the page as JSON, in columns: operations, values, steps, reasons, buffers, curve and costs. Everything
// that is computed of a plan is computed here; the script only draws. html_page.hpp puts it into the page.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/page/detail/json_text.hpp>
#include <repebble/page/page_subject.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/report/find_reasons.hpp>

namespace repebble::inline v0::report::detail {

/// What became of a result that lies in memory at the peak of keeping everything.
enum class fate : std::uint8_t { held, again, copied, runs_once };

class page_data {
  public:
    page_data(dataflow const& flow, automatic_plan<> const& plan, page_subject const& about)
        : flow_(flow), plan_(plan), about_(about), before_(keep_all(flow)) {
        check("names", about.names.size());
        check("kinds", about.kinds.size());
        check("passes", about.passes.size());
        before_.cost = replay(flow, before_.schedule, {.profile = true});
        if (!plan.plan) return;
        reasons_ = find_reasons(flow, plan.plan->schedule, budget());
        find_crux();
        buffers_ = about.offsets ? about.offsets->lifetimes : find_lifetimes(flow, plan.plan->schedule);
        if (about.offsets && about.offsets->offsets.size() != buffers_.buffers.size())
            mismatch("offsets", about.offsets->offsets.size(), "buffers", buffers_.buffers.size());
        for (auto const& b : buffers_.buffers)
            if (b.lifetime.upper > static_cast<std::int64_t>(steps().size()))
                mismatch("steps of a buffer", static_cast<std::size_t>(b.lifetime.upper), "steps", steps().size());
    }

    void write(json_text& out) const {
        out.begin('{');
        out.member("title", about_.title);
        out.member("unit", about_.time_unit);
        out.member("budget", budget());
        out.member("once", flow_.time_once());
        write_operations(out);
        write_before(out);
        write_floor(out);
        if (plan_.plan) {
            write_cost(out);
            write_steps(out);
            write_reasons(out);
            write_buffers(out);
        }
        write_curve(out);
        write_rows(out);
        out.end('}');
    }

  private:
    [[noreturn]] static void mismatch(char const* what, std::size_t a, char const* other, std::size_t b) {
        repebble::detail::raise(
            page_mismatch("a page: " + std::to_string(a) + " " + what + ", but " + std::to_string(b) + " " + other));
    }
    void check(char const* what, std::size_t count) const {
        if (count != 0 && count != flow_.operation_count())
            mismatch(what, count, "operations", flow_.operation_count());
    }

    [[nodiscard]] auto steps() const -> std::vector<step<>> const& { return plan_.plan->schedule.steps; }
    /// Of the steps within a hundredth of the peak, the one that would need most if the plan had let nothing go that it
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
    /// Without one, and without a plan: what keeping everything takes.
    [[nodiscard]] auto budget() const -> bytes {
        return about_.budget.value_or(plan_.plan ? plan_.plan->cost.peak : before_.cost.peak);
    }
    [[nodiscard]] auto operations() const {
        return std::views::iota(operation_index{0}, static_cast<operation_index>(flow_.operation_count()));
    }
    [[nodiscard]] auto values() const {
        return std::views::iota(value_index{0}, static_cast<value_index>(flow_.value_count()));
    }

    void write_operations(json_text& out) const {
        out.key("ops");
        out.begin('{');
        out.list("name", operations(),
                 [&](auto v) { return about_.names.empty() ? "operation " + std::to_string(v) : about_.names[v]; });
        out.list("time", operations(), [&](auto v) { return flow_.time(v); });
        std::map<std::string, std::size_t> number;
        for (auto const& kind : about_.kinds) number.emplace(kind, 0);
        std::size_t next = 0;
        for (auto& [kind, k] : number) k = next++;
        out.list("kinds", number, [](auto const& entry) { return entry.first; });
        out.list("kind", about_.kinds, [&](auto const& kind) { return number.at(kind); });
        out.list("pass", operations(), [&](auto v) {
            return flow_.is_input(v) ? 2 : about_.passes.empty() || about_.passes[v] == pass::forward ? 0 : 1;
        });
        out.end('}');
        out.key("values");
        out.begin('{');
        out.list("op", values(), [&](auto x) { return flow_.as_output(x).vertex; });
        out.list("output", values(), [&](auto x) { return flow_.as_output(x).output; });
        out.list("size", values(), [&](auto x) { return flow_.size(x); });
        out.end('}');
    }

    /// Memory of keeping everything, and the results that are in it at its peak.
    void write_before(json_text& out) const {
        auto const& all = before_.schedule.steps;
        std::vector<std::size_t> runs;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].what == action::compute) runs.push_back(i);
        out.key("before");
        out.begin('{');
        out.member("peak", before_.cost.peak);
        out.member("peak_op", all.empty() ? operation_index{0} : all[before_.cost.peak_step].vertex);
        out.list("at", runs, [&](auto i) { return all[i].vertex; });
        out.list("bytes", runs, [&](auto i) { return before_.cost.profile[i]; });
        std::vector<value_index> there;
        auto const lived = find_lifetimes(flow_, before_.schedule);
        auto const peak_step = static_cast<std::int64_t>(before_.cost.peak_step);
        for (std::size_t b = 0; b < lived.buffers.size(); ++b) {
            auto const& life = lived.buffers[b].lifetime;
            if (lived.uses[b].what == buffer_use::kind::storage && life.lower <= peak_step && peak_step < life.upper)
                there.push_back(lived.uses[b].storage.value);
        }
        auto const fates = fates_of_values();
        out.list("there", there);
        out.list("back", there, [back = way_back(*this)](auto x) mutable { return back.time_of(x); });
        out.list("fate", there, [&](auto x) { return static_cast<int>(fates[x]); });
        out.end('}');
    }
    /// The time that brings a value back from what lies in memory at the crux, by a search through what it reads.
    class way_back {
      public:
        explicit way_back(page_data const& of) : flow_(of.flow_), seen_(of.flow_.operation_count(), 0) {
            resident_.assign(flow_.value_count(), !of.plan_.plan);
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
        for (auto const x : values())
            if (std::ranges::none_of(flow_.producers(x), [&](auto v) { return flow_.recomputable(v); }))
                all[x] = fate::runs_once;
        for (auto const& r : reasons_.reasons) {
            if (r.what == action::prefetch && r.value != no_value) all[r.value] = fate::copied;
            if (r.what == action::compute)
                for (auto const x : flow_.writes(r.operation)) all[x] = fate::again;
        }
        return all;
    }

    /// The operation that needs most, and its parts: storages that it reads, outputs and workspace.
    void write_floor(json_text& out) const {
        out.key("floor");
        out.begin('{');
        out.member("size", plan_.floor.size);
        if (plan_.floor.size > 0 && plan_.floor.vertex < flow_.operation_count()) {
            auto const v = plan_.floor.vertex;
            std::vector<value_index> read, written;
            for (auto const x : flow_.reads(v))
                for (auto const owner : flow_.owners(x)) read.push_back(owner);
            std::ranges::sort(read);
            read.erase(std::ranges::unique(read).begin(), read.end());
            for (auto const x : flow_.writes(v))
                if (!flow_.is_view(x)) written.push_back(x);
            out.member("op", v);
            out.list("reads", read);
            out.list("writes", written);
            out.member("workspace", flow_.workspace(v));
            bytes results = 0;
            for (auto const x : flow_.results()) results = checked_add(results, flow_.size(x));
            out.member("results", results);
        }
        out.end('}');
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

    void write_steps(json_text& out) const {
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
        if (about_.link) {
            auto const spans = find_lane_times(flow_, plan_.plan->schedule, *about_.link);
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
        if (about_.offsets) {
            out.list("offset", about_.offsets->offsets);
            out.member("height", about_.offsets->size);
            out.member("least", about_.offsets->proof == offset_proof::height_least);
        }
        out.end('}');
    }

    /// More memory never takes more time: the plan of the page counts for greater budgets, its bound for smaller ones.
    void write_curve(json_text& out) const {
        auto all = about_.curve;
        for (auto& row : all) {
            if (plan_.plan && row.budget >= budget() && plan_.plan->cost.peak <= budget())
                row.overhead = std::min(row.overhead.value_or(plan_.plan->cost.overhead), plan_.plan->cost.overhead);
            if (plan_.plan && row.budget <= budget()) row.lower_bound = std::max(row.lower_bound, plan_.lower_bound);
        }
        out.key("curve");
        out.begin('{');
        out.list("budget", all, [](auto const& row) { return row.budget; });
        out.list("bound", all, [](auto const& row) { return row.lower_bound; });
        out.list("proven", all, [](auto const& row) { return row.proven; });
        out.key("overhead");
        out.begin('[');
        for (auto const& row : all) row.overhead ? out.value(*row.overhead) : out.value(nullptr);
        out.end(']');
        out.end('}');
    }

    void write_rows(json_text& out) const {
        out.key("rows");
        out.begin('[');
        for (auto const& row : about_.rows) {
            out.begin('{');
            out.member("name", row.name);
            out.member("fits", row.fits);
            if (row.peak) out.member("peak", *row.peak);
            out.member("overhead", row.overhead);
            out.member("seconds", row.seconds);
            out.member("remark", row.remark);
            out.end('}');
        }
        out.end(']');
    }

    dataflow const& flow_;
    automatic_plan<> const& plan_;
    page_subject const& about_;
    recompute_plan<> before_;
    plan_reasons reasons_{};
    schedule_lifetimes buffers_{};
    std::int64_t crux_ = 0;
    bytes if_held_ = 0;  // at the crux
};

}  // namespace repebble::inline v0::report::detail

#endif
