#ifndef REPEBBLE_TESTS_SUPPORT_RANDOM_FULL_DATAFLOW_HPP
#define REPEBBLE_TESTS_SUPPORT_RANDOM_FULL_DATAFLOW_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>

#include "support/generators.hpp"

namespace support {

/// How often a random dataflow uses each feature, in percent.
struct full_shape {
    std::size_t operations = 8;
    std::size_t input_percent = 50;         ///< of operations that read nothing
    std::size_t donated_percent = 50;       ///< of inputs: their values need not stay
    std::size_t view_percent = 20;          ///< of outputs
    std::size_t alternative_percent = 12;   ///< of outputs
    std::size_t circle_percent = 0;         ///< of alternatives: of values that are read already
    std::size_t mutation_percent = 20;      ///< of operations that read
    std::size_t most_mutations = 3;         ///< of one operation
    std::size_t overwrite_percent = 40;     ///< of pairs of an output and an operand
    std::size_t control_percent = 25;       ///< of operations
    std::size_t result_percent = 20;        ///< of values
    std::size_t repeated_percent = 25;      ///< of operands
    std::size_t run_once_percent = 12;      ///< of operations
    std::size_t dead_mutated_percent = 85;  ///< of later operations: they do not read what was mutated before
    std::size_t zero_percent = 8;           ///< of values: they have 0 bytes
    std::int64_t most_bytes = 4;            ///< of a value
    bool free_views = false;                ///< an operation that makes a view takes no time

    /// All that says how often.
    [[nodiscard]] auto percents() -> std::array<std::size_t*, 13> {
        return {&input_percent,    &donated_percent,      &view_percent,    &alternative_percent, &circle_percent,
                &mutation_percent, &overwrite_percent,    &control_percent, &result_percent,      &repeated_percent,
                &run_once_percent, &dead_mutated_percent, &zero_percent};
    }
};

/// Makes a dataflow that may use every feature at once: several outputs, views per output (of views, of several
/// values), alternatives, results, control edges, inputs (that stay, or are donated), mutations (of inputs, through
/// views, of smaller outputs), allowed overwrites (of equal and other sizes), operands that repeat, workspaces,
/// operations that are not recomputable, values of 0 bytes, operations of time 0.
class full_dataflow_generator {
  public:
    full_dataflow_generator(split_mix& random, full_shape const& shape) : random_(random), shape_(shape) {}

    /// Nothing where the random choices contradict each other: what reads a mutated value comes after its mutation,
    /// say.
    [[nodiscard]] auto make() && -> std::optional<repebble::dataflow> {
        for (auto const position : random_permutation(random_, shape_.operations))
            names_.push_back(static_cast<operation>(position));
        if (chance(random_, 50)) std::ranges::sort(names_);
        std::vector<plan_of> plans(shape_.operations);
        for (auto const v : names_) plans[v] = sketch();
        for (auto const& p : plans) {
            if (p.is_input)
                builder_.add_input();
            else
                builder_.add_operation(p.has_view && shape_.free_views ? 0 : between(random_, 0, 5),
                                       chance(random_, 25) ? between(random_, 1, shape_.most_bytes) : 0,
                                       !chance(random_, shape_.run_once_percent));
        }
        std::vector<operation> before;
        for (auto const v : names_) {
            add(v, plans[v]);
            if (!before.empty() && chance(random_, shape_.control_percent)) add_control_edge(plans, before, v);
            before.push_back(v);
        }
        for (value x = 0; x < values_.size(); ++x)
            if (is_result_[x] && !is_mutated(x)) builder_.add_result(x);
        try {
            return std::move(builder_).build();
        } catch (repebble::bad_graph const&) {
            return {};
        } catch (repebble::not_a_dag const&) {
            return {};
        }
    }

  private:
    using operation = repebble::operation_index;
    using value = repebble::value_index;
    struct value_of {
        repebble::bytes size = 0;
        std::vector<value> owners{};
        bool is_view = false;
        bool is_read = false;
        bool of_input = false;
    };
    struct output_of {
        repebble::bytes size = 0;
        std::vector<value> viewed{};  // empty where it owns its storage
        std::optional<value> same{};  // another producer of that
        std::optional<value> mutates{};
        std::vector<value> may_overwrite{};
    };
    struct plan_of {
        bool is_input = false;
        bool is_donated = false;
        bool has_view = false;
        std::vector<value> operands{};
        std::vector<output_of> outputs{};
    };

    /// The next operation: its values get their numbers now, in the order of the calls of `add`.
    [[nodiscard]] auto sketch() -> plan_of {
        plan_of p;
        p.operands = random_operands();
        p.is_input = p.operands.empty() && chance(random_, shape_.input_percent);
        p.is_donated = chance(random_, shape_.donated_percent);
        auto const count =
            below(random_, 12) == 0 && !p.is_input ? 0 : 1 + below(random_, 8) / 5 + below(random_, 8) / 7;
        std::vector<value> written;
        for (std::size_t j = 0; j < count; ++j) {
            output_of out{.size = chance(random_, shape_.zero_percent) ? 0 : between(random_, 1, shape_.most_bytes)};
            if (!p.is_input && chance(random_, shape_.alternative_percent)) out.same = another_producer(p, written);
            if (!out.same && !p.operands.empty() && chance(random_, shape_.view_percent))
                for (auto k = 1 + below(random_, 8) / 7; k > 0; --k) out.viewed.push_back(pick(random_, p.operands));
            p.has_view = p.has_view || !out.viewed.empty();
            written.push_back(out.same ? *out.same : new_value(out, p.is_input));
            p.outputs.push_back(out);
        }
        if (!p.operands.empty() && chance(random_, shape_.mutation_percent))
            for (std::size_t k = 0; k < shape_.most_mutations; ++k) mutate(p, written);
        for (auto& out : p.outputs)
            for (auto const x : p.operands)
                if (chance(random_, shape_.overwrite_percent)) out.may_overwrite.push_back(x);
        for (auto const x : p.operands) values_[x].is_read = true;
        return p;
    }
    [[nodiscard]] auto random_operands() -> std::vector<value> {
        std::vector<value> operands;
        if (values_.empty()) return operands;
        for (auto k = below(random_, 4); k > 0; --k) {
            auto const recent = std::min<std::size_t>(values_.size(), 4);
            auto const x = static_cast<value>(chance(random_, 60) ? values_.size() - 1 - below(random_, recent)
                                                                  : below(random_, values_.size()));
            if (is_mutated(x) && chance(random_, shape_.dead_mutated_percent)) continue;
            operands.push_back(x);
            if (chance(random_, shape_.repeated_percent)) operands.push_back(pick(random_, operands));
        }
        return operands;
    }
    [[nodiscard]] auto new_value(output_of const& out, bool of_input) -> value {
        auto const x = static_cast<value>(values_.size());
        value_of made{.size = out.size, .is_view = !out.viewed.empty(), .of_input = of_input};
        for (auto const viewed : out.viewed)
            made.owners.insert(made.owners.end(), values_[viewed].owners.begin(), values_[viewed].owners.end());
        if (out.viewed.empty()) made.owners.push_back(x);
        std::ranges::sort(made.owners);
        made.owners.erase(std::ranges::unique(made.owners).begin(), made.owners.end());
        values_.push_back(made);
        is_result_.push_back(chance(random_, shape_.result_percent));
        return x;
    }
    /// A value that this operation writes, too; where that is a view, it reads its owners. One with readers, of which
    /// the operation may be one, only where producers may lead in a circle.
    [[nodiscard]] auto another_producer(plan_of& p, std::vector<value> const& written) -> std::optional<value> {
        if (values_.empty()) return {};
        auto const same = static_cast<value>(below(random_, values_.size()));
        auto const& from = values_[same];
        auto const has = [](std::vector<value> const& all, value x) { return std::ranges::count(all, x) > 0; };
        bool const in_circle = from.is_read && shape_.circle_percent > 0 && chance(random_, shape_.circle_percent);
        if ((from.is_read && !in_circle) || from.of_input || has(written, same) || has(p.operands, same)) return {};
        for (auto const owner : from.owners)
            if (from.is_view && has(written, owner)) return {};
        if (from.is_view) p.operands.insert(p.operands.end(), from.owners.begin(), from.owners.end());
        return same;
    }
    /// Makes one output a mutation of what is read.
    void mutate(plan_of& p, std::vector<value> const& written) {
        auto const over = pick(random_, p.operands);
        if (values_[over].owners.size() != 1) return;
        auto const owner = values_[over].owners.front();
        if (std::ranges::count(mutated_, owner) > 0) return;
        for (auto const x : written)
            if (values_[x].is_view && std::ranges::count(values_[x].owners, owner) > 0) return;
        for (std::size_t j = 0; j < written.size(); ++j) {
            auto& out = p.outputs[j];
            if (out.same || !out.viewed.empty() || out.mutates) continue;
            // Of the same size as a rule.
            auto const size = values_[owner].size;
            out.size = chance(random_, 80) ? size : between(random_, 0, size);
            values_[written[j]].size = out.size;
            out.mutates = over;
            mutated_.push_back(owner);
            return;
        }
    }
    [[nodiscard]] auto is_mutated(value x) const -> bool {
        return std::ranges::any_of(values_[x].owners,
                                   [&](value owner) { return std::ranges::count(mutated_, owner) > 0; });
    }

    void add(operation v, plan_of const& p) {
        std::uint32_t j = 0;
        for (auto const& out : p.outputs) {
            if (out.same)
                builder_.add_producer(v, *out.same);
            else if (!out.viewed.empty())
                builder_.add_view(v, out.viewed);
            else
                builder_.add_value(v, out.size);
            if (out.mutates) builder_.add_mutation(v, j, *out.mutates);
            for (auto const x : out.may_overwrite) builder_.allow_overwrite(v, j, x);
            // An input that is neither donated nor mutated stays.
            if (auto const x = builder_.output(v, j); p.is_input && !p.is_donated && !is_mutated(x))
                builder_.add_result(x);
            ++j;
        }
        for (auto const x : p.operands) builder_.add_read(v, x);
    }
    void add_control_edge(std::vector<plan_of> const& plans, std::vector<operation> const& before, operation v) {
        auto const u = pick(random_, before);
        if (!plans[v].is_input || plans[u].is_input) builder_.add_control_edge(u, v);
    }

    split_mix& random_;
    full_shape shape_;
    repebble::dataflow_builder builder_;
    std::vector<operation> names_;
    std::vector<value_of> values_;
    std::vector<bool> is_result_;
    std::vector<value> mutated_;  // owners
};

[[nodiscard]] inline auto random_full_dataflow(split_mix& random, full_shape const& shape = {}) -> repebble::dataflow {
    for (;;)
        if (auto flow = full_dataflow_generator(random, shape).make()) return std::move(*flow);
}

/// Of 2 to 8 operations, some without alternatives, views, mutations or inputs, some with any share of each feature.
[[nodiscard]] inline auto any_small_dataflow(split_mix& random) -> repebble::dataflow {
    full_shape shape{.operations = 2 + below(random, 7)};
    if (chance(random, 25)) {
        for (;;) {
            for (auto* const percent : shape.percents()) *percent = below(random, 101);
            if (auto flow = full_dataflow_generator(random, shape).make()) return std::move(*flow);
        }
    }
    for (auto* const percent : {&shape.alternative_percent, &shape.view_percent, &shape.mutation_percent})
        if (chance(random, 30)) *percent = 0;
    if (chance(random, 20)) shape.input_percent = 0;
    if (chance(random, 20)) shape.most_bytes = 20;
    shape.free_views = chance(random, 50);
    shape.dead_mutated_percent = chance(random, 50) ? 85 : 20;
    if (chance(random, 50)) {
        shape.circle_percent = 70;
        shape.alternative_percent *= 2;
    }
    return random_full_dataflow(random, shape);
}

}  // namespace support

#endif
