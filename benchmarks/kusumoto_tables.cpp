// How much memory do the paper's plans need? Tables 1 and 2 of Kusumoto et al. 2019 beside what this library says of
// the same networks at the same batch sizes, as Markdown. The page kusumoto_tables.md explains the differences.
//
// Two sources of graphs: the builders of examples/networks, and the graphs that the authors published, which are read
// in place where they lie beside the project.
#include <array>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>

#include <repebble/graph/quantity.hpp>

#include "kusumoto/cells.hpp"
#include "kusumoto/comparison.hpp"
#include "kusumoto/subjects.hpp"
#include "measure/cheap.hpp"

namespace {

using namespace repebble::kusumoto;
using repebble::bytes;

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
            line += cells(all[i].published ? of(*all[i].published) : 0, figure);
            line += cells(all[i].as_run ? of(*all[i].as_run) : 0, figure, false);
            line += cells(of(all[i].built), figure);
            std::puts(line.c_str());
            if (!liveness || k + 1 < column_count || all[i].built_least.peak == 0) continue;
            auto const least = [](bytes ours) { return ' ' + grouped(ours) + " | " + fixed(gigabytes(ours), 2) + " | |"; };
            line = "|  | **fourth objective** | |";
            line += all[i].published_least ? least(all[i].published_least->peak) : " … | … | |";
            line += all[i].as_run ? ' ' + fixed(gigabytes(all[i].as_run_least), 2) + " | |" : " … | |";
            std::puts((line + least(all[i].built_least.peak)).c_str());
        }
}

/// The least peak that any sequence of lower sets reaches, beside the least of the others.
void print_least(std::array<comparison, paper.size()> const& all) {
    std::printf("\n### The fourth objective: the real schedule, exact\n\n");
    std::printf("| network | graph | the others' least peak, GB | of | its overhead, %% | fourth objective within that peak, "
                "%% | its least peak, GB | overhead there, %% |\n|---|---|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < paper.size(); ++i) {
        auto const print = [&](char const* title, char const* graph, least_real const& least) {
            auto const percent = [&](auto overhead) {
                return fixed(100.0 * static_cast<double>(overhead) / static_cast<double>(least.keep_all_time), 2);
            };
            auto const proven = [](std::string figure, bool is) { return is ? figure : "≤ " + figure; };
            std::printf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", title, graph,
                        fixed(gigabytes(least.other_peak), 3).c_str(), columns[least.other],
                        percent(least.other_overhead).c_str(),
                        proven(percent(least.overhead_there), least.overhead_there_proven).c_str(),
                        proven(fixed(gigabytes(least.peak), 3), least.peak_proven).c_str(),
                        proven(percent(least.overhead), least.overhead_proven).c_str());
        };
        if (all[i].published_least) print(paper[i].title, "published", *all[i].published_least);
        print(all[i].published_least ? "" : paper[i].title, "builder", all[i].built_least);
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
            line += " … | " + grouped(built[i].parameters) + " | … | … | … | … | … | … |";
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

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    std::array<std::optional<subject>, paper.size()> published_graphs;
    std::array<subject, paper.size()> built_graphs;
    std::array<comparison, paper.size()> all;
    for (std::size_t i = 0; i < paper.size(); ++i) {
        if (!cheap) published_graphs[i] = published(paper[i]);
        built_graphs[i] = built(paper[i]);
        if (published_graphs[i]) compare_published(*published_graphs[i], all[i]);
        compare_built(built_graphs[i], all[i], cheap);
    }
    if (!cheap && !published_graphs[0])
        std::puts("The published graphs are not there: only the builders' are compared.");
    print_table("Table 1: with liveness", all, true);
    print_table("Table 2: without liveness", all, false);
    if (!cheap) print_least(all);
    print_constants(published_graphs, built_graphs, all);
    print_assumptions(all);
    std::printf("\n%.0f s of CPU time\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    return 0;
}
