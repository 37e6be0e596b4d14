// How much memory do the plans of Chen et al. 2016 need? "Chen's" of Tables 1 and 2 of Kusumoto et al. 2019, beside all
// that it can mean: √n segments, Algorithm 3 and its search in the configuration of the paper's appendix B, and what
// the authors published. Markdown; the page chen_tables.md explains the differences.
#include <array>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>

#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "kusumoto/cells.hpp"
#include "kusumoto/chainer.hpp"
#include "kusumoto/chen.hpp"
#include "kusumoto/subjects.hpp"
#include "measure/cheap.hpp"

namespace {

using namespace repebble::kusumoto;
using repebble::bytes;
using repebble::convention;
using repebble::schedule;

struct row {
    std::optional<chens_figures> published{}, as_run{};
    chens_figures built{};
};

auto measured(paper_row const& network, bool cheap) -> row {
    row out;
    auto const replayed = [](auto const& training) {
        return [&training](schedule<> const& plan) { return repebble::replay(training.flow, plan).peak; };
    };
    if (auto const graph = cheap ? std::nullopt : published(network)) {
        auto const training = declared_training(graph->net, convention::value_grad);
        out.published = measure_chens(training, training, graph->constant(), replayed(training));
        auto const run = declared_training(graph->net, convention::executable);
        auto const as_run = [&](schedule<> const& plan) { return peak_with_additions_at_once(run, plan); };
        auto const forward = repebble::make_dataflow(graph->net, graph->net.weights());
        repebble::gradient_dependencies const declared{declared_inputs{&graph->net}, retained_outputs{&graph->net}};
        auto const needs = repebble::detail::find_gradient_needs(graph->net, forward, declared);
        auto const literal =
            repebble::make_training_graph(forward, needs, convention::value_grad, gradient_sizes(graph->net));
        out.as_run = measure_chens(run, literal, graph->constant() + function_states(graph->net, true), as_run);
    }
    auto const graph = built(network);
    auto const training = repebble::io::make_training_graph(graph.net);
    out.built = measure_chens(training, training, graph.constant(), replayed(training));
    return out;
}

void print_table(char const* title, std::array<row, paper.size()> const& all, bool liveness) {
    std::printf("\n### %s\n\n", title);
    std::printf(
        "| network | version | paper, GB | published graph, bytes | GB | off by | as run, GB | off by | builder, "
        "bytes | GB | off by |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < paper.size(); ++i)
        for (std::size_t k = 0; k < chens_count; ++k) {
            auto const of = [&](chens_figures const& f) {
                return liveness ? std::optional(f.with_liveness[k]) : f.without_liveness[k];
            };
            if (!of(all[i].built)) continue;
            auto const figure = (liveness ? paper[i].with_liveness : paper[i].without_liveness)[chen];
            auto line = "| " + std::string(k == 0 ? paper[i].title : "") + " | " + chens_names[k] + " | " +
                        (figure == device_memory ? "≥ " : "") + fixed(figure, 1) + " |";
            line += cells(all[i].published ? *of(*all[i].published) : 0, figure);
            line += cells(all[i].as_run ? *of(*all[i].as_run) : 0, figure, false);
            std::puts((line + cells(*of(all[i].built), figure)).c_str());
        }
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    std::array<row, paper.size()> all;
    for (std::size_t i = 0; i < paper.size(); ++i) all[i] = measured(paper[i], cheap);
    if (!cheap && !all[0].published) std::puts("The published graphs are not there: only the builders' are compared.");
    print_table("With liveness", all, true);
    print_table("Without liveness", all, false);
    std::printf("\n%.0f s of CPU time\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    return 0;
}
