// How much memory do the paper's plans need? Tables 1 and 2 of Kusumoto et al. 2019 beside what this library says of the
// same networks at the same batch sizes, as Markdown. The page kusumoto_tables.md explains the differences.
//
// Two sources of graphs: the builders of examples/networks, and the graphs that the authors published, which are read in
// place where they lie beside the project.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/graph/gradient_needs.hpp>
#include <repebble/graph/lower_set.hpp>
#include <repebble/graph/training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/formula.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_curve.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

namespace {

using namespace repebble;
namespace fs = std::filesystem;

// ---- the paper ---------------------------------------------------------------------------------------------------

constexpr std::array columns{"ApproxDP + MC", "ApproxDP + TC", "ExactDP + MC", "ExactDP + TC", "Chen's", "Vanilla"};
constexpr std::size_t column_count = columns.size();
constexpr std::size_t chen = 4;
constexpr std::size_t vanilla = 5;

struct paper_row {
    char const* title;
    char const* file;     ///< of the published graph
    char const* builder;  ///< name for networks::by_name
    networks::sizes sizes;
    std::array<double, column_count> with_liveness;     ///< Table 1, GB
    std::array<double, column_count> without_liveness;  ///< Table 2, GB
};

constexpr double device_memory = 11.4;  ///< Table 2 prints ">= 11.4 GB" where a run did not fit

constexpr std::array<paper_row, 7> paper{{
    {"PSPNet", "pspnet", "pspnet", {.batch = 2, .classes = 17},
     {2.7, 3.1, 2.8, 3.2, 4.0, 9.4}, {3.2, 3.3, 3.3, 3.3, 7.6, 9.4}},
    {"U-Net", "unet", "unet", {.batch = 8},
     {5.0, 6.7, 4.7, 5.3, 7.4, 9.1}, {6.8, 6.8, 6.8, 6.8, device_memory, 9.1}},
    {"ResNet50", "resnet50", "resnet50", {.batch = 96},
     {3.4, 4.4, 3.4, 4.3, 3.7, 8.9}, {4.7, 4.4, 4.7, 4.4, 6.7, 8.9}},
    {"ResNet152", "resnet152", "resnet152", {.batch = 48},
     {2.3, 2.5, 2.3, 2.5, 2.4, 9.2}, {2.8, 2.8, 2.8, 2.8, 4.1, 9.2}},
    {"VGG19", "vgg19", "vgg19", {.batch = 64},
     {4.5, 5.5, 4.5, 5.5, 4.7, 7.0}, {5.5, 5.5, 5.5, 5.5, 6.3, 7.0}},
    {"DenseNet161", "densenet", "densenet161", {.batch = 32},
     {1.6, 1.9, 1.7, 1.8, 1.8, 8.5}, {1.9, 2.0, 1.9, 2.0, 3.4, 8.5}},
    {"GoogLeNet", "googlenet", "googlenet_2015", {.batch = 256},
     {5.2, 5.5, 5.2, 5.9, 6.5, 8.5}, {6.0, 6.0, 6.0, 6.0, device_memory, 8.5}},
}};

// ---- the graphs --------------------------------------------------------------------------------------------------

/// A network with what lies in memory beside its values and gradients.
struct subject {
    io::network net;
    bytes parameters = 0;
    bytes inputs = 0;
    std::vector<bytes> parameters_of{};  ///< per node; only a builder tells them

    /// Parameters, their gradients, images and labels.
    [[nodiscard]] auto constant() const -> bytes { return 2 * parameters + inputs; }
};

/// T_v as in section 3: 10 for convolutions, 1 for all else that computes.
struct time_of_paper {
    auto operator()(networks::operation const& v) const -> std::int64_t {
        if (v.is_view()) return 0;
        auto const* conv = std::get_if<networks::convolution>(&v.what);
        return conv != nullptr && !conv->transposed ? 10 : 1;
    }
};

auto built(paper_row const& row) -> subject {
    auto const m = networks::by_name(row.builder, row.sizes);
    auto net = networks::network_of(m, time_of_paper{});
    std::vector<bytes> parameters_of;
    for (auto const& v : m.operations()) {
        bytes own = 0;
        for (auto const p : v.parameters)
            if (m.parameters()[p].trained) own += m.parameters()[p].tensor.size();
        parameters_of.push_back(own);
    }
    auto const inputs = net.extra().at("input_bytes").get<bytes>();
    return {std::move(net), m.trained_size(), inputs, std::move(parameters_of)};
}

/// The published graph at the batch of Table 1; nothing where it is not there.
auto published(paper_row const& row) -> std::optional<subject> {
    auto const folder = fs::path(REPEBBLE_SOURCE_DIR) / "../shared/data/public/pfnet/graphs";
    auto const path = folder / (std::string(row.file) + ".json");
    if (!fs::exists(path)) return std::nullopt;
    auto const file = io::read_network(path);
    auto const batch = file.extra().at("paper_table1_batch").get<bytes>();
    auto const of_file = file.extra().at("batch_of_file").get<bytes>();
    std::vector<io::network_node> nodes(file.nodes().begin(), file.nodes().end());
    constexpr bytes loss = 4;  // one number, whatever the batch
    for (auto& node : nodes)
        if (node.memory != loss) node.memory = node.memory * batch / of_file;
    std::vector<io::network_edge> edges;
    for (auto const& [u, v] : file.edges()) edges.push_back({u, v});
    return subject{io::network(std::move(nodes), std::move(edges), file.name()),
                   file.extra().at("param_bytes").get<bytes>(),
                   file.extra().at("input_bytes").get<bytes>() * batch / of_file};
}

// ---- what gradients read in Chainer --------------------------------------------------------------------------------

auto is_one_of(std::string_view op, std::initializer_list<std::string_view> ops) -> bool {
    return std::ranges::find(ops, op) != ops.end();
}

/// The published program recomputes for a gradient every input of its function, unless that is a ReLU, and the outputs
/// that the function retains.
struct declared_inputs {
    io::network const* net;
    auto operator()(io::network::vertex v) const -> bool { return net->node(v).op != "ReLU"; }
};
/// What Chainer retains when nothing is recomputed.
struct retained_inputs {
    io::network const* net;
    auto operator()(io::network::vertex v) const -> bool {
        return !is_one_of(net->node(v).op, {"ReLU", "Add", "MulConstant", "Concat", "GetItem", "Reshape", "ResizeImages",
                                            "Dropout"});
    }
};
struct retained_outputs {
    io::network const* net;
    auto operator()(io::network::vertex v) const -> bool {
        return is_one_of(net->node(v).op, {"ReLU", "MaxPooling2D", "AveragePooling2D", "LocalResponseNormalization"});
    }
};

/// Bytes that Chainer's functions hold beside their retained values: scales of local response normalisation, masks of
/// dropout, probabilities of the softmax. The published runs never drop a function, so that all of that stays, and so
/// does the output of local response normalisation, which the function refers to.
auto function_states(io::network const& net, bool recomputing) -> bytes {
    bytes sum = 0;
    for (std::size_t v = 0; v < net.nodes().size(); ++v) {
        auto const& node = net.node(v);
        if (node.op == "LocalResponseNormalization") sum += (recomputing ? 2 : 1) * node.memory;
        if (node.op == "Dropout") sum += node.memory;
        if (node.op == "SoftmaxCrossEntropy")
            for (auto const u : net.graph().predecessors(static_cast<std::uint32_t>(v))) sum += net.node(u).memory;
    }
    return sum;
}

// ---- the plans -----------------------------------------------------------------------------------------------------

using figures = std::array<bytes, column_count>;
/// Bytes of one network, a figure per column.
struct tables {
    figures with_liveness{};
    figures without_liveness{};
};

/// Budgets above the least one at which the approximate DP is asked again, and its columns there.
constexpr std::array<double, 4> more_budget{1.0, 1.05, 1.1, 1.2};
using at_more_budget = std::array<std::array<bytes, 2>, more_budget.size()>;

/// Of one network: ours on the published graph, the same counted as Chainer runs it, ours on the graph of the builder.
struct comparison {
    std::optional<tables> published{};
    std::optional<tables> as_run{};
    at_more_budget as_run_at_more{};
    tables built{};
    std::array<bytes, chen> gradients_as_they_come{};  ///< of the builder, with liveness
};

using sequences = std::array<lower_set_sequence, vanilla>;  ///< all columns but the last

/// At the least budget for which formula (2) has a solution, or so many times that: greatest overhead (MC), least
/// overhead (TC).
auto at_least_budget(lower_set_family<> const& family, double times = 1) -> std::array<lower_set_sequence, 2> {
    auto const time = solve_lower_sets(family, {.goal = objective::time});
    auto const budget = static_cast<bytes>(static_cast<double>(time.least_budget().value()) * times);
    auto const memory = solve_lower_sets(family, {.goal = objective::memory, .budget = budget});
    return {memory.sequence(family, memory.best_within(budget).value()),
            time.sequence(family, time.best_within(budget).value())};
}

/// Chen et al. 2016 as the published program has it: of the lower sets with one vertex on their boundary, as many as the
/// square root of their number, the first beyond every equal share of the bytes.
auto chen_by_bytes(lower_set_family<> const& all) -> lower_set_sequence {
    auto const& problem = all.problem();
    std::vector<std::pair<bytes, std::size_t>> candidates;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i == 0 || i == all.full() || boundary(problem.graph, all[i]).size() == 1)
            candidates.emplace_back(all[i].sum(problem.memory), i);
    std::ranges::sort(candidates);
    auto const parts = static_cast<bytes>(std::sqrt(static_cast<double>(candidates.size())));
    bytes const share = candidates.back().first / parts;
    std::vector<vertex_set> sets;
    for (bytes limit = share; auto const& [size, i] : candidates) {
        if (size <= limit && i != all.full()) continue;
        while (limit < size) limit += share;
        if (sets.empty() || sets.back().is_subset_of(all[i])) sets.push_back(all[i]);
    }
    return sequence_of(sets, problem.vertex_count());
}

auto sequences_of(lower_set_problem<> const& problem) -> sequences {
    auto const approximate = at_least_budget(lower_set_family<>::pruned(problem));
    auto const all = lower_set_family<>::all(problem, 100'000);
    auto const exact = at_least_budget(all);
    return {approximate[0], approximate[1], exact[0], exact[1], chen_by_bytes(all)};
}

/// Ours: gradients by the paper's convention; replay says what a plan needs.
auto measure(training_graph<> const& training, sequences const& plans, bytes beside) -> tables {
    planning_graph<> const graph(training);
    tables out;
    for (std::size_t k = 0; k < chen; ++k) {
        out.with_liveness[k] = beside + replay(graph.flow(), canonical(graph, plans[k])).peak;
        out.without_liveness[k] = beside + replay(graph.flow(), canonical_literal(graph, plans[k])).peak;
    }
    auto const segments = sqrt_segments(training);
    out.with_liveness[chen] = beside + segments.cost.peak;
    out.without_liveness[chen] = beside + segments.formula.value().peak;
    return out;
}

/// What a plan needs if the gradient of a parameter takes memory only from when it is computed.
auto peak_as_gradients_come(subject const& built, training_graph<> const& training, schedule<> const& plan) -> bytes {
    auto const profile = replay(training.flow, plan, {.profile = true}).profile;
    bytes beside = built.parameters + built.inputs;
    bytes peak = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        auto const& step = plan.steps[i];
        if (step.what == action::compute && training.origin[step.vertex].pass == pass::backward)
            beside += built.parameters_of[training.origin[step.vertex].vertex];
        peak = std::max(peak, beside + profile[i]);
    }
    return peak;
}

// ---- the plans as Chainer runs them ----------------------------------------------------------------------------------

/// The order of a schedule's computations, in which every addition of two gradients comes as soon as both are there.
auto additions_at_once(training_graph<> const& training, schedule<> const& plan) -> std::vector<operation_index> {
    auto const& flow = training.flow;
    auto const is_addition = [&](operation_index v) { return training.origin[v].pass == pass::accumulate; };
    std::vector<std::size_t> missing;
    for (operation_index v = 0; v < flow.operation_count(); ++v) missing.push_back(flow.reads(v).size());
    std::vector<operation_index> order;
    auto const run = [&](auto const& self, operation_index v) -> void {
        order.push_back(v);
        for (auto const value : flow.writes(v))
            for (auto const reader : flow.readers(value))
                if (is_addition(reader) && --missing[reader] == 0) self(self, reader);
    };
    for (auto const& step : plan.steps)
        if (step.what == action::compute && !is_addition(step.vertex)) run(run, step.vertex);
    return order;
}

/// Forward values that gradients read.
auto retained_values(training_graph<> const& training) -> std::vector<value_index> {
    auto const& flow = training.flow;
    auto const is_forward = [&](operation_index v) { return training.origin[v].pass == pass::forward; };
    std::vector<value_index> retained;
    for (value_index value = 0; value < flow.value_count(); ++value)
        if (is_forward(flow.producers(value).front()) &&
            std::ranges::any_of(flow.readers(value), [&](auto v) { return !is_forward(v); }))
            retained.push_back(value);
    return retained;
}

/// Nothing recomputed: what gradients read is retained to the end of the step, for Chainer's graph hangs on the loss.
auto peak_of_vanilla(io::network const& net) -> bytes {
    gradient_dependencies const retained{retained_inputs{&net}, retained_outputs{&net}};
    auto const training = make_training_graph(net, io::weights_of(net), retained, convention::executable);
    auto const order = additions_at_once(training, liveness(training.flow));
    return replay(training.flow, liveness(training.flow, order, retained_values(training))).peak;
}

void measure_as_run(subject const& published, training_graph<> const& by_formula, sequences const& plans,
                    comparison& out) {
    auto const& net = published.net;
    gradient_dependencies const declared{declared_inputs{&net}, retained_outputs{&net}};
    auto const training = make_training_graph(net, io::weights_of(net), declared, convention::executable);
    planning_graph<> const graph(training);
    planning_graph<> const literal(by_formula);
    bytes const beside = published.constant() + function_states(net, true);
    auto const peak = [&](lower_set_sequence const& plan) {
        auto const order = additions_at_once(training, graph.expand(canonical(graph, plan)));
        return beside + replay(training.flow, liveness(training.flow, order)).peak;
    };
    tables figures;
    for (std::size_t k = 0; k < plans.size(); ++k) {
        figures.with_liveness[k] = peak(plans[k]);
        figures.without_liveness[k] = beside + replay(literal.flow(), canonical_literal(literal, plans[k])).peak;
    }
    figures.with_liveness[vanilla] = published.constant() + function_states(net, false) + peak_of_vanilla(net);
    figures.without_liveness[vanilla] = figures.with_liveness[vanilla];
    out.as_run = figures;
    auto const pruned = lower_set_family<>::pruned(graph.problem());
    for (std::size_t i = 0; i < more_budget.size(); ++i) {
        auto const [memory_centric, time_centric] = at_least_budget(pruned, more_budget[i]);
        out.as_run_at_more[i] = {peak(memory_centric), peak(time_centric)};
    }
}

void compare_published(subject const& published, comparison& out) {
    auto const& net = published.net;
    auto const weights = io::weights_of(net);
    auto const training =
        make_training_graph(net, weights, gradient_dependencies{declared_inputs{&net}, retained_outputs{&net}});
    auto const plans = sequences_of(planning_graph<>(training).problem());
    out.published = measure(training, plans, published.constant());
    auto const kept =
        make_training_graph(net, weights, gradient_dependencies{retained_inputs{&net}, retained_outputs{&net}});
    out.published->with_liveness[vanilla] = published.constant() + keep_all(kept).cost.peak;
    out.published->without_liveness[vanilla] = out.published->with_liveness[vanilla];
    measure_as_run(published, training, plans, out);
}

void compare_built(subject const& built, comparison& out) {
    auto const training = io::training_graph_of(built.net);
    planning_graph<> const graph(training);
    auto const plans = sequences_of(graph.problem());
    out.built = measure(training, plans, built.constant());
    for (std::size_t k = 0; k < chen; ++k)
        out.gradients_as_they_come[k] =
            peak_as_gradients_come(built, training, graph.expand(canonical(graph, plans[k])));
    out.built.with_liveness[vanilla] = built.constant() + keep_all(training).cost.peak;
    out.built.without_liveness[vanilla] = out.built.with_liveness[vanilla];
}

// ---- Markdown ----------------------------------------------------------------------------------------------------

/// "4,718,166,016".
auto grouped(bytes value) -> std::string {
    auto digits = std::to_string(value);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

/// "4.72", with as many digits behind the point.
auto fixed(double value, int digits) -> std::string {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

/// "+4 %": how far off the paper's figure. Against ">= 11.4 GB" only less is off.
auto deviation(double gb, double paper_gb) -> std::string {
    if (paper_gb == device_memory && gb >= device_memory) return "agrees";
    auto const percent = std::lround(100 * (gb / paper_gb - 1));
    return (percent > 0 ? "+" : "") + std::to_string(percent) + " %";
}

auto gigabytes(bytes value) -> double { return static_cast<double>(value) / 1e9; }

/// Bytes, gigabytes, deviation; without the bytes where they are not the library's own figure.
auto cells(bytes ours, double paper_gb, bool exact = true) -> std::string {
    auto const gb = gigabytes(ours);
    return (exact ? ' ' + grouped(ours) + " |" : "") + ' ' + fixed(gb, 2) + " | " + deviation(gb, paper_gb) + " |";
}

void print_table(char const* title, std::array<comparison, paper.size()> const& all, bool liveness) {
    std::printf("\n### %s\n\n", title);
    std::printf("| network | strategy | paper, GB | published graph, bytes | GB | off by | as run, GB | off by | builder, "
                "bytes | GB | off by |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < paper.size(); ++i)
        for (std::size_t k = 0; k < column_count; ++k) {
            auto const figure = (liveness ? paper[i].with_liveness : paper[i].without_liveness)[k];
            auto const of = [&](tables const& t) { return (liveness ? t.with_liveness : t.without_liveness)[k]; };
            auto line = "| " + std::string(k == 0 ? paper[i].title : "") + " | " + columns[k] + " | " +
                        (figure == device_memory ? "≥ " : "") + fixed(figure, 1) + " |";
            line += all[i].published ? cells(of(*all[i].published), figure) : " – | – | – |";
            line += all[i].as_run ? cells(of(*all[i].as_run), figure, false) : " – | – |";
            line += cells(of(all[i].built), figure);
            std::puts(line.c_str());
        }
}

/// What lies in memory beside values and gradients, and which multiple of the parameters the vanilla column asks for.
void print_constants(std::array<std::optional<subject>, paper.size()> const& published,
                     std::array<subject, paper.size()> const& built, std::array<comparison, paper.size()> const& all) {
    std::printf("\n### What lies beside values and gradients\n\n");
    std::printf("| network | parameters of the published graph, bytes | of the builder | images and labels | states of "
                "functions, recomputing | vanilla as run, off by, with no parameters | once | twice | thrice |\n"
                "|---|---|---|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < paper.size(); ++i) {
        auto line = "| " + std::string(paper[i].title) + " |";
        if (auto const& p = published[i]; p && all[i].as_run) {
            for (auto const figure : {p->parameters, built[i].parameters, p->inputs, function_states(p->net, true)})
                line += ' ' + grouped(figure) + " |";
            for (bytes const times : {0, 1, 2, 3}) {
                auto const peak = all[i].as_run->with_liveness[vanilla] + (times - 2) * p->parameters;
                line += ' ' + deviation(gigabytes(peak), paper[i].with_liveness[vanilla]) + " |";
            }
        } else {
            line += " – | " + grouped(built[i].parameters) + " | " + grouped(built[i].inputs);
            line += " | – | – | – | – | – |";
        }
        std::puts(line.c_str());
    }
}

/// Two assumptions that are not certain: when gradients of parameters take memory, and at which budgets the paper
/// planned.
void print_assumptions(std::array<comparison, paper.size()> const& all) {
    std::printf("\n### Gradients of parameters counted as they come: builders' graphs, with liveness, GB\n\n");
    std::printf("| network |");
    for (std::size_t k = 0; k < chen; ++k) std::printf(" %s | off by |", columns[k]);
    std::printf("\n|---|---|---|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < paper.size(); ++i) {
        auto line = "| " + std::string(paper[i].title) + " |";
        for (std::size_t k = 0; k < chen; ++k)
            line += cells(all[i].gradients_as_they_come[k], paper[i].with_liveness[k], false);
        std::puts(line.c_str());
    }
    if (!all[0].as_run) return;
    std::printf("\n### ApproxDP with more than the least budget: published graphs as run, with liveness, GB, "
                "MC / TC\n\n");
    std::printf("| network | paper |");
    for (auto const times : more_budget) std::printf(" %s × least |", fixed(times, 2).c_str());
    std::printf("\n|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < paper.size(); ++i) {
        auto line = "| " + std::string(paper[i].title) + " | " + fixed(paper[i].with_liveness[0], 1) + " / " +
                    fixed(paper[i].with_liveness[1], 1) + " |";
        for (auto const& [mc, tc] : all[i].as_run_at_more)
            line += ' ' + fixed(gigabytes(mc), 2) + " / " + fixed(gigabytes(tc), 2) + " |";
        std::puts(line.c_str());
    }
}

}  // namespace

int main() {
    std::array<std::optional<subject>, paper.size()> published_graphs;
    std::array<subject, paper.size()> built_graphs;
    std::array<comparison, paper.size()> all;
    for (std::size_t i = 0; i < paper.size(); ++i) {
        published_graphs[i] = published(paper[i]);
        built_graphs[i] = built(paper[i]);
        if (published_graphs[i]) compare_published(*published_graphs[i], all[i]);
        compare_built(built_graphs[i], all[i]);
    }
    if (!published_graphs[0]) std::puts("The published graphs are not there: only the builders' are compared.");
    print_table("Table 1: with liveness", all, true);
    print_table("Table 2: without liveness", all, false);
    print_constants(published_graphs, built_graphs, all);
    print_assumptions(all);
    std::printf("\n%.0f s of CPU time\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
}
