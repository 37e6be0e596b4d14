#ifndef REPEBBLE_PLANNER_SELECTIVE_PLAN_HPP
#define REPEBBLE_PLANNER_SELECTIVE_PLAN_HPP

// Selective checkpointing: plans of a training graph in which some values must be kept and some must be recomputed.
// Method: the operations that recompute such values in the backward pass become operations of their own, so that the
// automatic planner needs no rule for them; the schedule is translated back.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

/// What must become of values of a training graph, as in selective checkpointing. All others are free.
struct value_policies {
    std::vector<value_index> must_keep{};       ///< never computed twice: their operations run once
    std::vector<value_index> must_recompute{};  ///< of the forward pass: the backward pass reads a computation of them
                                                ///< that is made after the forward pass. Other outputs of their
                                                ///< operations and views of them are recomputed with them; what else
                                                ///< reads them in the forward pass runs once
};

namespace detail {

/// A training graph in which the recomputations that policies ask for are operations of their own.
template <quantity Time>
class selective_graph {
  public:
    /// Refers to the training graph. Throws bad_graph where a value cannot be treated so.
    selective_graph(training_graph<Time> const& training, value_policies const& policies)
        : flow_(training.flow),
          training_(training),
          again_(flow_.value_count(), false),
          once_(flow_.operation_count(), false),
          clone_(flow_.operation_count(), none),
          remade_(flow_.value_count(), no_value) {
        for (auto const value : policies.must_recompute) mark_again(value);
        for (auto const v : flow_.order())  // owners before views
            for (auto const value : flow_.writes(v))
                if (flow_.is_view(value) && std::ranges::any_of(flow_.owners(value), [&](auto x) { return again_[x]; }))
                    mark_again(value);
        for (auto const value : policies.must_keep) {
            check(value);
            if (again_[value]) refuse(value, "must be kept and must be recomputed");
            for (auto const u : flow_.producers(value)) once_[u] = true;
        }
        build();
    }

    [[nodiscard]] auto training() const noexcept -> training_graph<Time> const& { return made_; }
    /// A sequence of the training graph from one of the other.
    [[nodiscard]] auto original(schedule<> const& plan) const -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const& s : plan.steps)
            if (s.what == action::compute) all.push_back(original_[s.vertex]);
        return all;
    }

  private:
    static constexpr auto none = no_value;

    [[noreturn]] static void refuse(value_index value, char const* why) {
        detail::raise(bad_graph("value " + std::to_string(value) + " " + why));
    }
    void check(value_index value) const {
        if (value >= flow_.value_count()) refuse(value, "has a policy and does not exist");
    }
    void mark_again(value_index value) {
        check(value);
        if (again_[value]) return;
        if (flow_.producers(value).size() != 1) refuse(value, "must be recomputed, and has several producers");
        auto const u = flow_.producers(value).front();
        if (training_.origin[u].pass != pass::forward) refuse(value, "must be recomputed, and is of the backward pass");
        if (!flow_.recomputable(u)) refuse(value, "must be recomputed, and its operation may run only once");
        if (flow_.is_result(value)) refuse(value, "must be recomputed, and is a result");
        if (!flow_.mutations(u).empty()) refuse(value, "must be recomputed, and its operation mutates another one");
        again_[value] = true;
        for (auto const other : flow_.writes(u)) mark_again(other);
    }
    [[nodiscard]] auto is_forward(operation_index v) const -> bool { return training_.origin[v].pass == pass::forward; }
    [[nodiscard]] auto makes_again(operation_index v) const -> bool {
        return std::ranges::any_of(flow_.writes(v), [&](value_index value) { return again_[value]; });
    }
    /// Whether v is of the forward pass and reads a value that must be recomputed.
    [[nodiscard]] auto reads_again(operation_index v) const -> bool {
        return is_forward(v) && std::ranges::any_of(flow_.reads(v), [&](value_index value) { return again_[value]; });
    }

    void build() {
        dataflow_builder<Time> builder;
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            if (flow_.is_input(v))
                builder.add_input();
            else
                builder.add_operation(flow_.time(v), flow_.workspace(v),
                                      flow_.recomputable(v) && !once_[v] && !makes_again(v) && !reads_again(v));
            original_.push_back(v);
        }
        made_.origin = training_.origin;
        made_.made_by = convention::joint;
        for (value_index value = 0; value < flow_.value_count(); ++value) {
            auto const u = flow_.producers(value).front();
            flow_.is_view(value) ? builder.add_view(u, flow_.owners(value)) : builder.add_value(u, flow_.size(value));
            for (auto const other : flow_.producers(value).subspan(1)) builder.add_producer(other, value);
        }
        for (auto const v : flow_.order())
            if (makes_again(v)) add_clone(builder, v);
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            for (auto const value : flow_.operands(v)) builder.add_read(v, is_forward(v) ? value : seen_again(value));
            for (auto const u : flow_.control_predecessors(v)) builder.add_control_edge(u, v);
            for (auto const& m : flow_.mutations(v)) builder.add_mutation(v, m.output, m.over);
            for (auto const& o : flow_.allowed_overwrites(v))
                builder.allow_overwrite(v, o.output, is_forward(v) ? o.over : seen_again(o.over));
        }
        for (auto const value : flow_.results()) builder.add_result(value);
        after_forward_pass(builder);
        made_.flow = std::move(builder).build();
    }
    void add_clone(dataflow_builder<Time>& builder, operation_index v) {
        auto const copy = builder.add_operation(flow_.time(v), flow_.workspace(v));
        clone_[v] = copy;
        original_.push_back(v);
        made_.origin.push_back(training_.origin[v]);
        for (auto const value : flow_.operands(v)) builder.add_read(copy, seen_again(value));
        for (auto const value : flow_.writes(v)) {
            if (flow_.is_view(value)) {
                std::vector<value_index> owners;
                for (auto const owner : flow_.owners(value)) owners.push_back(seen_again(owner));
                remade_[value] = builder.add_view(copy, owners);
            } else {
                remade_[value] = builder.add_value(copy, flow_.size(value));
            }
        }
    }
    [[nodiscard]] auto seen_again(value_index value) const -> value_index {
        return remade_[value] == no_value ? value : remade_[value];
    }
    /// The recomputations run after every operation of the forward pass that no other of it follows.
    void after_forward_pass(dataflow_builder<Time>& builder) const {
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            if (!is_forward(v)) continue;
            auto const next = flow_.graph().successors(v);
            if (std::ranges::any_of(next, [&](auto w) { return is_forward(w); })) continue;
            for (auto const copy : clone_)
                if (copy != none) builder.add_control_edge(v, copy);
        }
    }

    dataflow<Time> const& flow_;
    training_graph<Time> const& training_;
    std::vector<bool> again_;                // by value: it must be recomputed
    std::vector<bool> once_;                 // by operation: a value of it must be kept
    std::vector<operation_index> clone_;     // by operation: the one that recomputes it
    std::vector<value_index> remade_;        // by value: what the backward pass reads in its place
    std::vector<operation_index> original_;  // by operation of the other graph
    training_graph<Time> made_;
};

struct plan_selective_fn {
    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(training_graph<> const& training, value_policies const& policies, bytes budget,
                                  plan_options const& options = {}, Observer&& observer = {}) const
        -> automatic_plan<> {
        selective_graph<std::int64_t> const selective(training, policies);
        auto const& flow = training.flow;
        auto const required = selective.training().flow.time_once() - flow.time_once();
        constexpr int attempts = 4;
        automatic_plan<> out;
        bytes within = budget;
        for (int attempt = 0; attempt < attempts && within >= 0; ++attempt) {
            auto const& planned = selective.training();
            auto found =
                plan_for_budgets(planned.flow, &planned, std::span(&within, 1), options, listener(observer)).front();
            if (attempt == 0) {
                out = {.lower_bound = found.lower_bound + required, .proven = found.proven, .floor = found.floor};
                if (out.floor.size > 0)
                    out.floor.vertex = selective.original({{{.vertex = found.floor.vertex}}}).front();
            }
            if (!found.plan) break;
            recompute_plan<> made;
            made.schedule = liveness(flow, selective.original(found.plan->schedule));
            made.cost = replay(flow, made.schedule);
            bytes const needed = options.arena ? plan_arena(flow, made.schedule, {.offsets = {.capacity = budget}}).size
                                               : made.cost.peak;
            if (needed <= budget) {
                out.strategy = std::move(found.strategy);
                out.proven = found.proven && attempt == 0;
                out.plan = std::move(made);
                return out;
            }
            within -= needed - budget;
        }
        if (within < budget) out.proven = false;
        return out;
    }
};

}  // namespace detail

/// Plans a training graph within a budget of bytes, with policies for some of its values. A value that must be
/// recomputed is not resident between its last reader in the forward pass and its first computation after that. The
/// lower bound holds for all schedules that keep the policies. Otherwise as `plan`.
/// Throws bad_graph, which names the value, where a policy cannot be kept: there is no such value, it must be
/// recomputed though its operation may run only once, has several producers, mutates, or is of the backward pass, or
/// though the value is a result or must be kept.
inline constexpr detail::plan_selective_fn plan_selective{};

}  // namespace repebble::inline v0

#endif
