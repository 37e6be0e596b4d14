#ifndef REPEBBLE_PAGE_DETAIL_PAGE_DATA_HPP
#define REPEBBLE_PAGE_DETAIL_PAGE_DATA_HPP

// The data of the page as JSON, in columns: operations, values, plans (plan_data.hpp), curve and costs. Everything that
// is computed of a plan is computed there and here; the script only draws. html_page.hpp puts it into the page.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/page/detail/json_text.hpp>
#include <repebble/page/detail/plan_data.hpp>
#include <repebble/page/page_subject.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace repebble::inline v0::report::detail {

/// A plan that a page shows, and where its values lie.
struct shown_plan {
    automatic_plan<> const& plan;
    std::optional<arena> const& offsets;
};

class page_data {
  public:
    /// The first plan has the floor; it may be none where it is the only one.
    page_data(dataflow const& flow, std::vector<shown_plan> const& all, page_subject const& about)
        : flow_(flow), floor_(all.front().plan.floor), about_(about), before_(keep_all(flow)) {
        check("names", about.names.size());
        check("kinds", about.kinds.size());
        check("passes", about.passes.size());
        before_.cost = replay(flow, before_.schedule, {.profile = true});
        for (auto const& one : all)
            if (one.plan.plan) shown_.push_back(one);
        for (auto const& one : shown_) plans_.emplace_back(flow, one.plan, one.offsets, budget());
    }

    void write(json_text& out) const {
        out.begin('{');
        out.member("title", about_.title);
        out.member("unit", about_.time_unit);
        out.member("budget", budget());
        out.member("once", flow_.time_once());
        write_operations(out);
        auto const there = write_before(out);
        write_floor(out);
        out.key("plans");
        out.begin('[');
        for (auto const& one : plans_) one.write(out, there, about_.link);
        out.end(']');
        write_curve(out);
        write_rows(out);
        out.end('}');
    }

  private:
    void check(char const* what, std::size_t count) const {
        if (count != 0 && count != flow_.operation_count())
            mismatch(what, count, "operations", flow_.operation_count());
    }

    /// Without one: what the plans take, and without a plan what keeping everything takes.
    [[nodiscard]] auto budget() const -> bytes {
        if (about_.budget) return *about_.budget;
        if (shown_.empty()) return before_.cost.peak;
        return std::ranges::max(shown_ | std::views::transform([](auto const& s) { return s.plan.plan->cost.peak; }));
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

    /// Memory of keeping everything, and the results that are in it at its peak, which it returns.
    auto write_before(json_text& out) const -> std::vector<value_index> {
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
        out.list("there", there);
        out.end('}');
        return there;
    }

    /// The operation that needs most, and its parts: storages that it reads, outputs and workspace.
    void write_floor(json_text& out) const {
        out.key("floor");
        out.begin('{');
        out.member("size", floor_.size);
        if (floor_.size > 0 && floor_.vertex < flow_.operation_count()) {
            auto const v = floor_.vertex;
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

    /// More memory never takes more time: a plan of the page counts for greater budgets, its bound for smaller ones.
    void write_curve(json_text& out) const {
        auto all = about_.curve;
        for (auto& row : all)
            for (auto const& [plan, offsets] : shown_) {
                auto const& cost = plan.plan->cost;
                if (row.budget >= budget() && cost.peak <= budget())
                    row.overhead = std::min(row.overhead.value_or(cost.overhead), cost.overhead);
                if (row.budget <= budget()) row.lower_bound = std::max(row.lower_bound, plan.lower_bound);
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
    memory_floor<> floor_;
    page_subject const& about_;
    recompute_plan<> before_;
    std::vector<shown_plan> shown_{};
    std::vector<plan_data> plans_{};
};

}  // namespace repebble::inline v0::report::detail

#endif
