#include "contents.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/least_peak_plan.hpp>

#include "command_line/naming.hpp"
#include "command_line/onnx_arguments.hpp"
#include "plan/graph_source.hpp"
#include "plan/schedule_source.hpp"

namespace allocate {

using namespace repebble;

namespace {

/// inference: an ONNX model is read as it is, without what its gradients need.
auto network_of(arguments const& asked, bool inference) -> io::network {
    plan::arguments source;
    source.graph = asked.file;
    source.reading = asked.reading;
    source.inference = inference;
    source.dimensions = asked.dimensions;
    source.sizes.batch = asked.batch;
    return plan::graph_of(source, plan::time_limit(asked.time_limit));
}

/// A file with a backward pass as it is, any other as its forward graph.
auto graph_of(io::network const& net) -> training_graph {
    return net.is_joint() ? io::make_training_graph(net) : plan::without_gradients(io::make_forward_dataflow(net));
}

/// The values that operations may write over.
auto rule_of(io::network const& net, training_graph const& graph) -> overwrite_table {
    return net.is_joint() ? io::find_overwrites(net, graph) : io::find_overwrites(net, io::make_forward_dataflow(net));
}

/// Every operation once.
auto schedule_of(arguments const& asked, io::network const& net, training_graph const& graph) -> schedule<> {
    auto const rule = asked.in_place ? rule_of(net, graph) : overwrite_table{};
    auto const allowed = edit(graph, {.may_overwrite = rule});
    std::optional<double> seconds;  // the other half is for offsets
    if (asked.time_limit) seconds = *asked.time_limit / 2;
    order_options const options{.limits = {.seconds = seconds, .work = {}, .stop = command_line::interrupted}};
    auto plan = asked.order == order::least ? least_peak_plan(problem(allowed), options) : keep_all(allowed);
    if (asked.in_place) plan::make_in_place(plan, allowed, rule);
    return std::move(plan.schedule);
}

/// The graph's own name of an operation. A gradient that was made for it has the name of the node.
auto name_of(io::network const& net, training_vertex<std::uint32_t> const& v, bool joint) -> std::string {
    auto const& made = net.node(v.vertex);
    auto const own = made.name.empty() ? fmt::format("node {}", v.vertex) : made.name;
    return joint || v.pass == pass::forward ? own
           : v.pass == pass::backward       ? own + " gradient"
                                            : fmt::format("{} gradient sum {}", own, v.part);
}

/// The graph's own name of a value, or of a workspace.
auto name_of(io::network const& net, training_vertex<std::uint32_t> const& v, bool joint,
             std::optional<std::uint32_t> output, std::size_t count) -> std::string {
    auto const& made = net.node(v.vertex);
    auto const own = name_of(net, v, joint);
    if (!output) return own + " workspace";
    if (!joint && v.pass != pass::forward) return count > 1 ? fmt::format("{}:{}", own, *output) : own;
    auto const names = made.extra.find("output_names");
    if (names != made.extra.end() && names->is_array() && *output < names->size() && names->at(*output).is_string())
        return names->at(*output).get<std::string>();
    return count > 1 ? fmt::format("{}:{}", own, *output) : own;
}

/// Makes the contents of a graph with its schedule.
class graph_contents {
  public:
    graph_contents(io::network const& net, training_graph const& graph, schedule<> const& made)
        : net_(net),
          graph_(graph),
          made_(made),
          found_(find_lifetimes(graph.flow, made)),
          tensors_(plan::tensors_of(made, graph)),
          number_(found_.buffers.size()) {}

    [[nodiscard]] auto make() -> contents {
        find_positions();
        auto const named = plan::named_buffers(found_, tensors_);
        for (std::size_t b = 0; b < found_.buffers.size(); ++b)
            if (!is_callers(b)) take(b, named);
        for (auto& t : tensors_) add_row(t);
        return std::move(made_of_);
    }

  private:
    [[nodiscard]] auto is_input(operation_index v) const -> bool { return graph_.flow.is_input(v); }
    /// True of the caller's buffers: a result lies there at the end, or an input at the begin.
    [[nodiscard]] auto is_callers(std::size_t b) const -> bool {
        auto const& use = found_.uses[b];
        return found_.buffers[b].lifetime.upper == static_cast<std::int64_t>(made_.steps.size()) ||
               (use.what == buffer_use::kind::storage && is_input(graph_.flow.as_output(use.storage.value).vertex));
    }
    void find_positions() {
        std::int64_t count = 0;
        for (auto const& s : made_.steps) {
            bool const runs = s.what == action::compute && !is_input(s.vertex);
            position_.push_back(runs ? count++ : -1);
            if (runs) made_of_.steps.push_back(name_of(net_, graph_.origin[s.vertex], is_joint()));
        }
        position_.push_back(count);
    }
    /// True where all operations are nodes of the network.
    [[nodiscard]] auto is_joint() const -> bool { return graph_.made_by == convention::joint; }
    void take(std::size_t b, io::buffer_table const& named) {
        number_[b] = made_of_.table.buffers.size();
        made_of_.table.buffers.push_back(named.buffers[b]);
        made_of_.table.names.push_back(named.names[b]);
        made_of_.accesses.emplace_back();
    }
    void add_row(plan::tensor& t) {
        auto const& in = number_[t.buffer];
        auto const own = t.output ? graph_.flow.size(graph_.flow.writes(t.operation)[*t.output]) : 0;
        auto const count = graph_.flow.writes(t.operation).size();
        made_of_.rows.push_back({.name = name_of(net_, graph_.origin[t.operation], is_joint(), t.output, count),
                                 .id = t.id,
                                 .buffer = in,
                                 .storage = t.buffer,
                                 .size = own > 0 ? own : found_.buffers[t.buffer].size,
                                 .first = position_[static_cast<std::size_t>(t.first)],
                                 .last = position_[static_cast<std::size_t>(t.last)]});
        if (!in) return;
        for (auto const step : t.touched) made_of_.accesses[*in].push_back({step, found_.buffers[t.buffer].size});
        t.buffer = *in;
        made_of_.tensors.push_back(t);
    }

    io::network const& net_;
    training_graph const& graph_;
    schedule<> const& made_;
    schedule_lifetimes found_;
    std::vector<plan::tensor> tensors_;
    std::vector<std::optional<std::size_t>> number_;  // of each buffer of the schedule: its number in the table
    std::vector<std::int64_t> position_{};            // of each step; and how many there are
    contents made_of_{};
};

/// The contents by a schedule file, of the training graph that it is made for.
auto contents_of_schedule(arguments const& asked) -> contents {
    auto const given = io::read_schedule(asked.schedule_in, asked.reading.account(asked.time_limit));
    for (std::size_t i = 0; i < given.schedule.steps.size(); ++i)
        if (auto const what = given.schedule.steps[i].what; what == action::offload || what == action::prefetch)
            throw bad_file(asked.schedule_in, fmt::format("step {}: it copies to or from the host, for which allocate "
                                                          "has no memory",
                                                          i));
    bool const inference = given.header.convention == plan::inference;
    auto const net = network_of(asked, inference);
    auto const how = plan::convention_named(given.header.convention, asked.schedule_in);
    auto const graph = inference ? plan::without_gradients(io::make_forward_dataflow(net))
                                 : io::make_training_graph(net, how, {}, asked.reading.account(asked.time_limit));
    return graph_contents(net, graph, plan::judged_from(asked.schedule_in, given, graph, {}).schedule).make();
}

/// Each buffer is a tensor.
auto contents_of_table(io::buffer_table table) -> contents {
    contents all{.table = std::move(table)};
    for (std::size_t b = 0; b < all.table.buffers.size(); ++b) {
        auto const& of = all.table.buffers[b];
        all.rows.push_back({.name = all.table.names[b],
                            .id = all.table.names[b],
                            .buffer = b,
                            .storage = of.alias_of.value_or(b),
                            .size = of.size,
                            .first = of.lifetime.lower,
                            .last = of.lifetime.upper - 1});
    }
    return all;
}

}  // namespace

auto names_graph(std::string const& file) -> bool {
    return !plan::names_file(file) || command_line::names_onnx(file) || file.ends_with(".json") ||
           file.ends_with(".json.gz");
}

auto contents_of(arguments const& asked) -> contents {
    if (!names_graph(asked.file))
        return contents_of_table(io::read_buffers(asked.file, asked.reading.account(asked.time_limit)));
    if (asked.order == order::schedule) return contents_of_schedule(asked);
    auto const net = network_of(asked, true);
    return command_line::naming(asked.file, [&] {
        auto const graph = graph_of(net);
        return graph_contents(net, graph, schedule_of(asked, net, graph)).make();
    });
}

}  // namespace allocate
