// What does each technique of the automatic planner bring? All curves of plan_curves and chain_curves with each
// technique switched off, by several seeds, against those with all of them. Writes the page (technique_tables.md) to
// standard output. Arguments: the number of seeds (3), and networks (all).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/gpt2.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "curves/curve_page.hpp"

namespace {

using namespace repebble;

struct subject {
    std::string name;
    training_graph training;
    std::vector<bytes> budgets;
};

struct results {
    std::vector<double> overheads, bounds;  ///< means over the seeds, by budget, in % of everything once
    std::vector<bool> found;                ///< by every seed
    double seconds = 0;
};

auto subject_of(std::string const& name) -> subject {
    auto const model = name == "transformer96"
                           ? networks::gpt2({.batch = 1, .layers = 96, .features = 1600, .heads = 25})
                           : networks::by_name(name.c_str());
    subject s{name, io::make_training_graph(networks::network_of(model)), {}};
    auto const most = keep_all(s.training).cost.peak;
    s.budgets = curves::budgets_from(find_memory_floor(s.training).size, most);
    return s;
}

auto measure(subject const& of, technique_set without, int seeds) -> results {
    auto const count = of.budgets.size();
    results all{std::vector<double>(count, 0), std::vector<double>(count, 0), std::vector<bool>(count, true), 0};
    auto const percent = 100 / static_cast<double>(of.training.flow.time_once());
    auto const start = curves::cpu_seconds();
    for (int seed = 1; seed <= seeds; ++seed) {
        auto const curve =
            plan(of.training, of.budgets, {.seed = static_cast<std::uint64_t>(seed), .without = without});
        for (std::size_t k = 0; k < count; ++k) {
            all.bounds[k] += percent * static_cast<double>(curve[k].lower_bound) / seeds;
            if (!curve[k].plan)
                all.found[k] = false;
            else
                all.overheads[k] += percent * static_cast<double>(curve[k].plan->cost.overhead) / seeds;
        }
    }
    all.seconds = (curves::cpu_seconds() - start) / seeds;
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    auto const seeds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
    std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
    if (names.empty())
        names = {"resnet50",    "vgg19",     "unet",       "gpt2",         "googlenet",
                 "densenet161", "resnet101", "resnet1001", "transformer96"};
    std::vector<subject> subjects;
    std::vector<results> whole;
    for (auto const& name : names) {
        subjects.push_back(subject_of(name));
        whole.push_back(measure(subjects.back(), {}, seeds));
    }
    std::printf(
        "| without | plan worse at most | on average | plans lost | bound lower at most | on average | CPU s |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n");
    double seconds = 0;
    for (auto const& w : whole) seconds += w.seconds;
    std::printf("| nothing | | | | | | %.0f |\n", seconds);
    for (std::size_t t = 0; t < technique_count; ++t) {
        technique_set without;
        without.insert(static_cast<technique>(t));
        double worst_plan = 0, worst_bound = 0, sum_plan = 0, sum_bound = 0, spent = 0;
        int lost = 0, count = 0;
        for (std::size_t s = 0; s < subjects.size(); ++s) {
            auto const less = measure(subjects[s], without, seeds);
            spent += less.seconds;
            for (std::size_t k = 0; k < less.bounds.size(); ++k) {
                ++count;
                auto const bound = whole[s].bounds[k] - less.bounds[k];
                worst_bound = std::max(worst_bound, bound);
                sum_bound += bound;
                if (!less.found[k] || !whole[s].found[k]) {
                    if (whole[s].found[k]) ++lost;
                    continue;
                }
                auto const plan = less.overheads[k] - whole[s].overheads[k];
                worst_plan = std::max(worst_plan, plan);
                sum_plan += plan;
            }
        }
        std::printf("| %s | %.2f | %.3f | %d | %.2f | %.3f | %.0f |\n",
                    std::string(to_string(static_cast<technique>(t))).c_str(), worst_plan, sum_plan / count, lost,
                    worst_bound, sum_bound / count, spent);
        std::fflush(stdout);
    }
}
