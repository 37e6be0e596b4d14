// A Python graph as a dataflow: values of each mutation, views, aliases, inputs, names in messages.
#include "problem.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble_python {

using repebble::operation_index;
using repebble::value_index;

namespace {

/// A bad_graph whose message has the names already.
struct named_fault : repebble::bad_graph {
    using bad_graph::bad_graph;
};

[[nodiscard]] auto at(std::int64_t index) -> std::size_t { return static_cast<std::size_t>(index); }
[[nodiscard]] auto as_operation(std::size_t v) -> operation_index { return static_cast<operation_index>(v); }
[[nodiscard]] auto contains(index_list const& list, std::size_t value) -> bool {
    return std::ranges::find(list, static_cast<std::int64_t>(value)) != list.end();
}
[[nodiscard]] auto quoted(std::string const& name) -> std::string { return name.empty() ? "" : " ('" + name + "')"; }

}  // namespace

problem::problem(described_graph of) : of_(std::move(of)) {
    check();
    auto const values = of_.sizes.size(), operations = of_.times.size();
    // What an operation writes in place, it does not make.
    for (std::size_t v = 0; v < operations; ++v)
        std::erase_if(of_.writes[v], [&](auto value) { return contains(of_.mutates[v], at(value)); });
    writers_.resize(values);
    for (std::size_t v = 0; v < operations; ++v)
        for (auto const value : of_.writes[v]) writers_[at(value)].push_back(v);
    base_.resize(values);
    state_.assign(values, 0);
    find_roots();
    run_mutations_once();
    for (std::size_t v = 0; v < operations; ++v)
        builder_.add_operation(of_.times[v], of_.workspaces[v], of_.recomputable[v] != 0);
    try {
        add_values();
        add_reads();
        add_results();
        flow_ = std::move(builder_).build();
        add_passes();
    } catch (named_fault const&) {
        throw;
    } catch (repebble::not_a_dag const& e) {
        throw repebble::not_a_dag(renamed(e.what()));
    } catch (repebble::bad_weight const& e) {
        throw repebble::bad_weight(renamed(e.what()));
    } catch (repebble::bad_graph const& e) {
        throw repebble::bad_graph(renamed(e.what()));
    }
}

void problem::check() const {
    auto const values = static_cast<std::int64_t>(of_.sizes.size());
    auto const operations = static_cast<std::int64_t>(of_.times.size());
    auto const names_values = [&](std::string const& who, index_list const& list, char const* does) {
        for (auto const value : list)
            if (value < 0 || value >= values)
                throw named_fault(who + ' ' + does + " value " + std::to_string(value) + ", but there are " +
                                  std::to_string(values) + " values");
    };
    auto const not_negative = [](std::int64_t number, auto const& who, char const* what) {
        if (number < 0)
            throw repebble::bad_weight(std::string(what) + " of " + who() + " is negative: " + std::to_string(number));
    };
    for (std::size_t value = 0; value < of_.sizes.size(); ++value) {
        not_negative(
            of_.sizes[value], [&] { return value_name(value); }, "the size");
        names_values(value_name(value), of_.view_of[value], "is a view of");
    }
    for (std::size_t v = 0; v < of_.times.size(); ++v) {
        auto const who = operation_name(v);
        not_negative(
            of_.times[v], [&] { return who; }, "the time");
        not_negative(
            of_.workspaces[v], [&] { return who; }, "the workspace");
        names_values(who, of_.reads[v], "reads");
        names_values(who, of_.writes[v], "writes");
        names_values(who, of_.mutates[v], "mutates");
        for (auto const before : of_.after[v])
            if (before < 0 || before >= operations || at(before) == v)
                throw named_fault(who + " is to run after operation " + std::to_string(before) +
                                  (before >= 0 && at(before) == v
                                       ? ", which is itself"
                                       : ", but there are " + std::to_string(operations) + " operations"));
        for (auto const value : of_.writes[v])
            if (std::ranges::count(of_.writes[v], value) > 1)
                throw named_fault(who + " writes " + value_name(at(value)) + " twice");
    }
}

/// The owner of each storage, by following views, and the operations that mutate it.
void problem::find_roots() {
    auto const values = of_.sizes.size();
    root_.assign(values, nothing);
    for (std::size_t value = 0; value < values; ++value) {
        auto owner = value;
        for (std::size_t links = 0; owner != nothing && !of_.view_of[owner].empty(); ++links) {
            if (links > values) throw named_fault(value_name(value) + " is a view of itself");
            owner = of_.view_of[owner].size() == 1 ? at(of_.view_of[owner].front()) : nothing;
        }
        root_[value] = owner;
    }
    mutators_.resize(values);
    versions_.resize(values);
    for (std::size_t v = 0; v < of_.times.size(); ++v)
        for (auto const value : of_.mutates[v]) {
            auto const owner = root_[at(value)];
            if (owner == nothing)
                throw named_fault(operation_name(v) + " mutates " + value_name(at(value)) +
                                  ", a view of several storages");
            auto& all = mutators_[owner];
            if (all.empty() || all.back() != v) all.push_back(v);
        }
}

/// What makes or mutates a value that is mutated runs once: else its old and its new content might be there at a time,
/// under one name.
void problem::run_mutations_once() {
    for (std::size_t owner = 0; owner < mutators_.size(); ++owner) {
        if (mutators_[owner].empty()) continue;
        if (writers_[owner].size() > 1)
            throw named_fault(operation_name(mutators_[owner].front()) + " mutates " + value_name(owner) +
                              ", which several operations write");
        for (auto const v : writers_[owner]) of_.recomputable[v] = 0;
        for (auto const v : mutators_[owner]) of_.recomputable[v] = 0;
    }
}

/// Writes that alias what the same operation writes are no values of their own.
void problem::add_values() {
    for (std::size_t value = 0; value < of_.sizes.size(); ++value) static_cast<void>(base(value));
    for (std::size_t owner = 0; owner < mutators_.size(); ++owner)
        for (auto const v : mutators_[owner]) static_cast<void>(mutated(v, owner));
}

void problem::add_reads() {
    for (std::size_t v = 0; v < of_.times.size(); ++v) {
        for (auto const value : of_.reads[v])
            if (auto const read = version(at(value), v); read != none) builder_.add_read(as_operation(v), read);
        for (auto const before : of_.after[v])
            builder_.add_control_edge(static_cast<operation_index>(before), as_operation(v));
    }
}

void problem::add_results() {
    for (std::size_t value = 0; value < of_.sizes.size(); ++value) {
        bool const is_input = writers_[value].empty();
        if (of_.results[value] == 0 && (!is_input || of_.donated[value] != 0)) continue;
        if (auto const last = version(value, of_.times.size(), false); last != none) builder_.add_result(last);
    }
}

void problem::add_passes() {
    if (of_.backward.empty()) return;
    std::vector<repebble::pass> passes(flow_.operation_count(), repebble::pass::forward);
    for (std::size_t v = 0; v < of_.backward.size(); ++v)
        if (of_.backward[v] != 0) passes[v] = repebble::pass::backward;
    training_ = repebble::make_training_graph(flow_, passes);
}

/// The value as its first writer makes it; none for an input that does not count.
auto problem::base(std::size_t value) -> value_index {
    if (base_[value]) return *base_[value];
    if (state_[value] != 0) throw named_fault(value_name(value) + " is a view of itself");
    state_[value] = 1;
    auto const found = writers_[value].empty() ? input(value) : made(value);
    base_[value] = found;
    return found;
}

auto problem::input(std::size_t value) -> value_index {
    if (!of_.view_of[value].empty()) {  // in the storage of another input
        auto const owner = root_[value];
        if (owner != nothing && !writers_[owner].empty())
            throw 
                named_fault(value_name(value) + " is a view of " + value_name(owner) + ", but no operation writes it");
        return owner == nothing ? none : base(owner);
    }
    if (!of_.inputs && mutators_[value].empty()) return none;
    auto const v = builder_.add_input();
    auto const found = builder_.add_value(v, of_.inputs ? of_.sizes[value] : 0);
    record(found, v, value);
    return found;
}

auto problem::made(std::size_t value) -> value_index {
    auto const first = writers_[value].front();
    auto const owner = root_[value];
    if (owner != nothing && owner != value && std::ranges::binary_search(mutators_[owner], first))
        return mutated(first, owner);  // a name of what the operation writes in place
    auto const& views = of_.view_of[value];
    if (views.size() == 1 && contains(of_.writes[first], at(views.front()))) return base(at(views.front()));
    std::vector<value_index> viewed;
    for (auto const other : views)
        if (auto const found = version(at(other), first, false); found != none) viewed.push_back(found);
    auto const v = as_operation(first);
    auto const found =
        viewed.empty() ? builder_.add_value(v, views.empty() ? of_.sizes[value] : 0) : builder_.add_view(v, viewed);
    record(found, first, value);
    for (auto const other : writers_[value])
        if (other != first) {
            builder_.add_producer(as_operation(other), found);
            record(found, other, value);
        }
    return found;
}

/// The value that an operation finds: what was written into its storage last before it, in the order of the list.
auto problem::version(std::size_t value, std::size_t operation, bool strict) -> value_index {
    auto const owner = root_[value];
    if (owner == nothing) return base(value);
    auto const& all = mutators_[owner];
    auto const after = std::ranges::lower_bound(all, operation);
    if (after == all.begin()) return base(value);
    auto const last = *std::prev(after);
    bool const is_newer = value != owner && !writers_[value].empty() && writers_[value].front() >= last;
    if (is_newer) return base(value);
    if (strict && value != owner && !writers_[value].empty() && !contains(of_.mutates[last], value))
        throw named_fault(operation_name(operation) + " reads " + value_name(value) + ", a view of " +
                          value_name(owner) + " from before " + operation_name(last) +
                          " mutated it: read a name of it from then on");
    return mutated(last, owner);
}

/// What an operation writes into the storage of a value.
auto problem::mutated(std::size_t operation, std::size_t owner) -> value_index {
    for (auto const& [by, found] : versions_[owner])
        if (by == operation) return found;
    auto const v = as_operation(operation);
    value_index over = none;
    for (auto const name : of_.mutates[operation]) {
        if (root_[at(name)] != owner) continue;
        auto const before = version(at(name), operation);
        builder_.add_read(v, before);
        if (over == none) over = before;
    }
    bool const counts = of_.inputs || !writers_[owner].empty();
    auto const found = builder_.add_value(v, counts ? of_.sizes[owner] : 0);
    builder_.add_mutation(v, static_cast<std::uint32_t>(builder_.output_count(v) - 1), over);
    versions_[owner].emplace_back(operation, found);
    record(found, operation, owner);
    return found;
}

/// Notes the name of a value of the dataflow, which is the next output of the operation.
void problem::record(value_index of, std::size_t operation, std::size_t value) {
    if (graph_value_.size() <= of) graph_value_.resize(of + std::size_t{1}, nothing);
    graph_value_[of] = value;
    if (outputs_.size() <= operation) outputs_.resize(operation + 1);
    outputs_[operation].push_back(of);
}

auto problem::steps_of(repebble::schedule<> const& plan) const -> std::vector<graph_step> {
    std::vector<graph_step> steps;
    for (auto const& s : plan.steps) {
        if (s.what == repebble::action::compute) {
            if (is_operation(s.vertex)) steps.push_back({graph_action::compute, s.vertex});
        } else {
            auto const what = s.what == repebble::action::offload    ? graph_action::offload
                              : s.what == repebble::action::prefetch ? graph_action::prefetch
                              : s.from == repebble::pool::host       ? graph_action::discard_host
                                                                     : graph_action::discard;
            steps.push_back({what, value_of(flow_.writes(s.vertex)[s.output])});
        }
    }
    return steps;
}

auto problem::schedule_of(std::vector<graph_step> const& steps) const -> repebble::schedule<> {
    repebble::schedule_builder out(flow_);
    std::vector<value_index> now(of_.sizes.size(), none);  // the value of the dataflow that has the name
    auto const name_outputs = [&](std::size_t v) {
        for (auto const written : flow_.writes(v)) now[graph_value_[written]] = written;
    };
    for (auto v = of_.times.size(); v < flow_.operation_count(); ++v) {
        out.compute(as_operation(v));
        name_outputs(v);
    }
    auto const on_value = [&](graph_action what, value_index value) {
        if (what == graph_action::offload)
            out.offload(value);
        else if (what == graph_action::prefetch)
            out.prefetch(value);
        else
            out.discard(value, what == graph_action::discard_host ? repebble::pool::host : repebble::pool::device);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto const [what, index] = steps[i];
        bool const compute = what == graph_action::compute;
        auto const deny = [i](std::string const& what) {
            throw repebble::illegal_schedule(
                {i, repebble::rule::names_exist, 0, "step " + std::to_string(i) + ": " + what});
        };
        auto const count = compute ? of_.times.size() : of_.sizes.size();
        if (index < 0 || at(index) >= count)
            deny(std::string(compute ? "there is no operation " : "there is no value ") + std::to_string(index));
        if (compute) {
            out.compute(static_cast<operation_index>(index));
            name_outputs(at(index));
            continue;
        }
        auto const value = at(index);
        if (*base_[value] == none && root_[value] != nothing && writers_[root_[value]].empty())
            deny(value_name(value) + " is an input, which stays");
        if (now[value] != none)
            on_value(what, now[value]);
        else if (graph_value_[*base_[value]] == value)
            on_value(what, *base_[value]);  // which was not computed, as the judge says
        // else another name of a value that is discarded by its own
    }
    return std::move(out).finish();
}

auto problem::policies_of(index_list const& must_keep, index_list const& must_recompute) const
    -> repebble::value_policies {
    repebble::value_policies policies;
    auto const check = [&](std::int64_t value, char const* field) {
        if (value < 0 || at(value) >= of_.sizes.size())
            throw named_fault(std::string(field) + " names value " + std::to_string(value) + ", but there are " +
                              std::to_string(of_.sizes.size()) + " values");
    };
    for (auto const value : must_keep) {
        check(value, "must_keep");
        if (*base_[at(value)] != none) policies.must_keep.push_back(flow_.as_output(*base_[at(value)]));
        for (auto const& [by, found] : versions_[at(value)]) policies.must_keep.push_back(flow_.as_output(found));
    }
    for (auto const value : must_recompute) {
        check(value, "must_recompute");
        if (writers_[at(value)].empty())
            throw named_fault(value_name(at(value)) + " must be recomputed, and is an input");
        policies.must_recompute.push_back(flow_.as_output(*base_[at(value)]));
    }
    if (!training_ && !must_recompute.empty())
        for (std::size_t v = 0; v < of_.backward.size(); ++v)
            if (of_.backward[v] != 0) policies.backward.push_back(as_operation(v));
    return policies;
}

auto problem::renamed(std::string const& message) const -> std::string {
    std::string out;
    auto const number_at = [&](std::size_t& i) {
        std::size_t number = 0;
        auto const [end, fault] = std::from_chars(message.data() + i, message.data() + message.size(), number);
        auto const found = fault == std::errc{} && end != message.data() + i;
        if (found) i = static_cast<std::size_t>(end - message.data());
        return found ? number : nothing;
    };
    auto const is_next = [&](std::size_t& i, std::string_view word) {
        bool const found = std::string_view(message).substr(i).starts_with(word);
        if (found) i += word.size();
        return found;
    };
    auto const name_of = [&](std::size_t value) {
        return value < graph_value_.size() ? value_name(graph_value_[value]) : "value " + std::to_string(value);
    };
    for (std::size_t i = 0; i < message.size();) {
        auto next = i;
        if (is_next(next, "output ")) {
            auto const j = number_at(next);
            if (j != nothing && (is_next(next, " of operation ") || is_next(next, " of vertex ")))
                if (auto const v = number_at(next); v < outputs_.size() && j < outputs_[v].size()) {
                    out += name_of(outputs_[v][j]);
                    i = next;
                    continue;
                }
        } else if (is_next(next, "operation ") || is_next(next, "vertex ")) {
            if (auto const v = number_at(next); v != nothing) {
                auto const is_value = [&] {  // the judge names a value by its operation, where that has one only
                    for (std::string_view const before :
                         {"reads ", "copies ", "over ", "overwrites ", "view of ", "of which "})
                        if (std::string_view(out).ends_with(before)) return true;
                    return std::string_view(message).substr(next).starts_with(" must be ");
                };
                out += v < outputs_.size() && outputs_[v].size() == 1 && message[i] == 'v' && is_value()
                           ? name_of(outputs_[v].front())
                       : is_operation(v)                             ? operation_name(v)
                       : v < outputs_.size() && !outputs_[v].empty() ? "input " + name_of(outputs_[v].front())
                                                                     : "operation " + std::to_string(v);
                i = next;
                continue;
            }
        } else if (is_next(next, "value ")) {
            if (auto const value = number_at(next); value != nothing) {
                out += name_of(value);
                i = next;
                continue;
            }
        } else if (is_next(next, "step ")) {
            if (auto const step = number_at(next); step != nothing) {
                out += "step " + std::to_string(step - std::min(step, input_steps()));
                i = next;
                continue;
            }
        }
        out += message[i++];
    }
    return out;
}

auto problem::value_name(std::size_t value) const -> std::string {
    return "value " + std::to_string(value) + quoted(of_.value_names[value]);
}
auto problem::operation_name(std::size_t operation) const -> std::string {
    return "operation " + std::to_string(operation) + quoted(of_.operation_names[operation]);
}

}  // namespace repebble_python
