// How good are the plans of the deep Q-network paper (Chen), beside random choice of as many plans, the systems that it
// compares itself with, and the automatic planner? Its networks and algorithms at two links and five limits: figure 5.
// Writes the page (offload_tables.md) to standard output.
//   benchmark_offload_tables [--cheap] [--quick] [--variants] [--picture=FILE] [NETWORK...]
// Networks and links are taken side by side, one to a core. A full run takes hours, one of --quick about half an hour;
// --variants adds other forms of the deep Q-network.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/detail/thread_clock.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/offload/fitted_q_iteration.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/kmeans_trace.hpp>
#include <repebble/offload/play_episode.hpp>
#include <repebble/traces/stochastic_depth.hpp>
#include <repebble/traces/swap_baselines.hpp>
#include <repebble/offload/swap_environment.hpp>
#include <repebble/traces/trace_of.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "measure/cheap.hpp"
#include "swaps/machine.hpp"
#include "swaps/shortened_iterations.hpp"
#include "swaps/swap_page.hpp"

namespace {

using namespace repebble;

struct offload_work {
    std::size_t episodes = 300;          ///< of traces of up to 1000 rows
    std::size_t episodes_of_long = 300;  ///< of longer ones
    std::size_t seeds = 3;               ///< of what is drawn at random
    std::size_t seeds_of_longest = 1;    ///< of traces of more than 2500 rows
    std::size_t learn_rows = 4000;       ///< of longer traces nothing is learnt
    std::size_t play_rows = 4000;        ///< longer ones are neither played at random nor planned greedily
    double seconds = 10;                 ///< of the automatic planner
    bool is_cheap = false;               ///< neither learns, nor plays at random, nor asks the automatic planner
};
constexpr offload_work quick{
    .episodes = 100, .episodes_of_long = 60, .seeds = 1, .learn_rows = 2500, .play_rows = 4000, .seconds = 3};
constexpr std::size_t long_rows = 1000, longest_rows = 2500;

/// What is planned, and the iterations without some blocks that the plan must serve, too.
struct subject {
    std::string name;
    std::optional<training_graph> training{};
    swap_problem problem;
    std::vector<std::vector<bool>> shortened{};  ///< of each iteration: the computations that are dropped
};

/// What a method is given: a trace within a limit.
struct question {
    swap_problem const& problem;
    swap_options options;
    std::size_t episodes;
    std::uint64_t seed = 1;
};
/// The plans that it found, one for each of its columns; nothing where none fits.
using plans = std::vector<std::optional<swap_plan>>;

struct method {
    std::vector<char const*> columns;
    std::size_t offload_work::*most_rows;  ///< of the traces that it is given; nullptr: of any
    std::function<plans(question const&)> run;
    bool is_drawn = false;  ///< by seed, and long
};

auto of(judged_swaps const& found) -> plans {
    return {found.result.feasible ? std::optional(found.plan) : std::nullopt};
}
auto of(swap_environment const& env, std::optional<planned_actions> const& found) -> std::optional<swap_plan> {
    return found ? std::optional(env.plan_of(found->nodes)) : std::nullopt;
}

/// Fitted Q-iteration: its best plan, and that of its last policy. An update every fourth step, as Mnih et al. 2015
/// have it: each transition is still learnt from four times.
auto learnt(q_form form, bool only_helpful) {
    return [=](question const& q) -> plans {
        swap_environment env(q.problem, q.options, {.only_helpful = only_helpful});
        auto const found = fitted_q_iteration(env, {.shape = {.width = 16, .form = form},
                                                    .episodes = q.episodes,
                                                    .steps_per_update = 4,
                                                    .rule = descent::adam,
                                                    .seed = q.seed});
        return {of(env, found.best), of(env, found.last)};
    };
}
auto random_choice(bool only_helpful) {
    return [=](question const& q) -> plans {
        swap_environment env(q.problem, q.options, {.only_helpful = only_helpful});
        return {of(env, best_random_actions(env, q.episodes, q.seed))};
    };
}
auto lru(superneurons_mode mode) {
    return [=](question const& q) { return of(superneurons_swaps(q.problem, q.options, mode)); };
}
auto vdnn(vdnn_mode mode) {
    return [=](question const& q) { return of(vdnn_swaps(q.problem, q.options, mode)); };
}

/// Another planner is one more line.
auto methods(bool variants) -> std::vector<method> {
    std::vector<method> all{
        {{"memonger"}, nullptr, [](question const& q) { return of(memonger_swaps(q.problem, q.options)); }},
        {{"SuperNeurons: swapping"}, nullptr, lru(superneurons_mode::swapping)},
        {{"SuperNeurons: recomputing"}, nullptr, lru(superneurons_mode::recomputing)},
        {{"SuperNeurons: both"}, nullptr, lru(superneurons_mode::both)},
        {{"TFLMS"}, nullptr, [](question const& q) { return of(tflms_swaps(q.problem, q.options)); }},
        {{"vDNN: all"}, nullptr, vdnn(vdnn_mode::all)},
        {{"vDNN: convolutions"}, nullptr, vdnn(vdnn_mode::convolutions)},
        {{"random"}, &offload_work::play_rows, random_choice(false), true},
        {{"DQN", "DQN, last policy"}, &offload_work::learn_rows, learnt(q_form::separable, false), true},
    };
    if (variants) {
        all.push_back(
            {{"joint DQN", "its last policy"}, &offload_work::learn_rows, learnt(q_form::joint, false), true});
        all.push_back({{"helpful: random"}, &offload_work::play_rows, random_choice(true), true});
        all.push_back(
            {{"helpful: DQN", "its last policy"}, &offload_work::learn_rows, learnt(q_form::separable, true), true});
        all.push_back(
            {{"helpful: joint DQN", "its last policy"}, &offload_work::learn_rows, learnt(q_form::joint, true), true});
    }
    all.push_back({{"greedy"}, &offload_work::play_rows, [](question const& q) {
                       return of(greedy_swaps(q.problem, q.options));
                   }});
    return all;
}

auto subject_of(std::string const& name) -> subject {
    if (name == "kmeans") return {.name = "k-means", .problem = swap_problem(kmeans_trace())};
    auto const model = name == "lstm4" ? networks::by_name("lstm", {.length = 4}) : networks::by_name(name);
    auto training = io::make_training_graph(networks::network_of(model, swaps::device));
    auto const kept = keep_all(training).schedule;
    subject s{.name = name, .problem = swap_problem(trace_of(training.flow, kept))};
    if (name.starts_with("resnet"))
        s.shortened = swaps::shortened_iterations(model, training, traced_operations(training.flow, kept), 1);
    s.training = std::move(training);
    return s;
}

auto in_percent(std::int64_t overhead, std::int64_t once) -> double {
    return 100 * static_cast<double>(overhead) / static_cast<double>(once);
}
/// The overhead of a plan, and of it in the mean of the shortened iterations.
auto overhead_of(question const& q, std::optional<swap_plan> const& plan) -> std::optional<double> {
    if (!plan) return std::nullopt;
    return in_percent(simulate_swaps(q.problem, *plan, q.options).overhead, q.problem.iteration().duration);
}
auto mean_overhead_of(question const& q, std::vector<std::vector<bool>> const& shortened,
                      std::optional<swap_plan> const& plan) -> std::optional<double> {
    if (!plan) return std::nullopt;
    double sum = 0;
    for (auto const& dropped : shortened) {
        auto const r = without_computations(q.problem, *plan, dropped, q.options);
        if (!r.result.feasible) return std::nullopt;
        sum += in_percent(r.result.overhead, r.trace.duration);
    }
    return sum / static_cast<double>(shortened.size());
}

/// One network over one link: its page and, where blocks may be dropped, a second one of these iterations.
auto pages_of(subject const& s, std::pair<char const*, host_link> const& link, std::vector<method> const& methods,
              offload_work const& by) -> std::vector<swaps::page> {
    auto const& [link_name, host] = link;
    auto const once = s.problem.iteration().duration;
    auto const rows = s.problem.row_count();
    auto const episodes = rows > long_rows ? by.episodes_of_long : by.episodes;
    auto const seeds = rows > longest_rows ? by.seeds_of_longest : by.seeds;
    auto const is_given = [&](method const& m) { return m.most_rows == nullptr || rows <= by.*m.most_rows; };
    std::string left_out;
    for (auto const& m : methods)
        if (!is_given(m)) left_out += (left_out.empty() ? "" : ", ") + std::string(m.columns.front());
    swaps::page whole{
        .network = s.name,
        .link = link_name,
        .rows = rows,
        .most = s.problem.peak(),
        .rho = static_cast<double>(host.copy_time(s.problem.peak())) / static_cast<double>(once),
        .limits = {50, 60, 70, 80, 90},
        .bounds = {},
        .note = std::to_string(episodes) + " episodes" + (seeds > 1 ? ", " + std::to_string(seeds) + " seeds." : ".")};
    if (!left_out.empty()) whole.note = "Left out, as it would simulate so long a trace too often: " + left_out + ".";
    auto const is_asked = [&](method const& m) { return !m.is_drawn || !by.is_cheap; };
    for (auto const& m : methods)
        for (auto const* name : m.columns) whole.all.push_back({.name = name, .is_asked = is_asked(m)});
    whole.all.push_back({.name = "plan", .is_asked = !by.is_cheap});
    auto shortened = whole;
    shortened.network = "SD-" + s.name;
    for (auto const percent : whole.limits) {
        question q{s.problem, {.limit = s.problem.peak() / 100 * percent, .link = host}, episodes};
        std::size_t next = 0;
        for (auto const& m : methods) {
            auto const begin = repebble::detail::thread_clock::now();
            std::vector<std::vector<std::optional<double>>> of_whole(m.columns.size()), of_shortened(m.columns.size());
            for (std::uint64_t seed = 1; seed <= (m.is_drawn ? seeds : 1); ++seed) {
                q.seed = seed;
                auto const found = is_given(m) && is_asked(m) ? m.run(q) : plans(m.columns.size());
                for (std::size_t k = 0; k < m.columns.size(); ++k) {
                    of_whole[k].push_back(overhead_of(q, found[k]));
                    of_shortened[k].push_back(mean_overhead_of(q, s.shortened, found[k]));
                }
            }
            for (std::size_t k = 0; k < m.columns.size(); ++k, ++next) {
                whole.all[next].add(std::move(of_whole[k]));
                shortened.all[next].add(std::move(of_shortened[k]));
            }
            std::fprintf(stderr, "%s %s %d %%: %s %.1f s\n", s.name.c_str(), link_name, percent, m.columns.front(),
                         (repebble::detail::thread_clock::now() - begin).count());
        }
        shortened.all.back().overheads.push_back(std::nullopt);
        std::optional<double> planned;
        if (s.training && by.is_cheap) whole.bounds.push_back(0);  // of the column that is not asked for
        if (s.training && !by.is_cheap) {
            auto const found = plan(*s.training, q.options.limit, {.limits = {.seconds = by.seconds}, .link = host});
            if (found.plan) planned = in_percent(found.plan->cost.overhead, once);
            whole.bounds.push_back(in_percent(found.lower_bound, once));
        }
        whole.all.back().overheads.push_back(planned);
    }
    std::vector<swaps::page> pages{std::move(whole)};
    if (!s.shortened.empty()) pages.push_back(std::move(shortened));
    return pages;
}

constexpr char const* introduction = R"(# Plans of a deep Q-network beside those of others

Made by `benchmark_offload_tables %s--picture=offload_tables.svg > offload_tables.md`: training graphs of the builders
at their default sizes, gradients by `value_grad`, times by the roofline of a GeForce GTX 1080 Ti (11.3 TFLOP/s,
484 GB/s), copies at 12 GB/s, and at 4 GB/s where three devices share the link, and 10 µs more. Limits are in per cent of
the peak of keep_all, figures overheads: the time above computing everything once, in per cent of that; – where no plan
fits, or none was made. ρ is the time of copying the peak over that of computing once: what swapping can do depends on
it more than on the network.

![overhead against memory saved](offload_tables.svg)

*plan* is the automatic planner over the link, in %g seconds, judged by lanes; no schedule has less overhead than *at
least*. All others are plans of one trace, that of keep_all, in the simulator of the paper. *DQN* is fitted Q-iteration
with T = 4, p = 16, Adam, batches of 16 at every fourth step: the best plan that it saw, and that of its last policy.
*random* is the best of as many episodes of random choice, *greedy* ours by simulated cost for each byte. Episodes: %zu,
of traces of more than 1000 rows %zu; of more than %zu rows nothing is learnt. Of several seeds the median is shown, and
in brackets the least and the most. Sums of floats depend on the processor: built for AVX2.

*lstm4* is the LSTM with 4 steps for 64, which is short enough to learn.

*SD-* is stochastic depth: the plan is that of the whole network, the figure the mean of 20 iterations in which of L
blocks the l-th is dropped with probability l / (2 L). What the automatic planner makes of these and of k-means is in
[iteration_tables](iteration_tables.md). A panel ends at twice the least overhead of its hardest limit, or at 10 %%.
)";

}  // namespace

int main(int argc, char** argv) {
    offload_work by;
    bool const is_cheap = measure::take_cheap(argc, argv);
    bool is_quick = false, variants = false;
    std::string picture;
    std::vector<std::string> names;
    for (std::string_view const argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
        constexpr std::string_view to = "--picture=";
        if (argument == "--quick")
            is_quick = true;
        else if (argument == "--variants")
            variants = true;
        else if (argument.starts_with(to))
            picture = argument.substr(to.size());
        else
            names.emplace_back(argument);
    }
    if (is_quick) by = quick;
    by.is_cheap = is_cheap;
    if (names.empty() && is_cheap) names = {"resnet18", "vgg19", "kmeans"};
    if (names.empty()) names = {"resnet18", "resnet50", "vgg19", "vgg19_bn", "unet", "gpt2", "lstm", "lstm4", "kmeans"};
    if (!is_cheap)
        std::printf(introduction, is_quick ? "--quick " : "", by.seconds, by.episodes, by.episodes_of_long,
                    by.learn_rows);
    auto const all = methods(variants);
    auto const pages = swaps::over_all_links(
        names, [&](std::string const& name, auto const& link) { return pages_of(subject_of(name), link, all, by); });
    std::vector<drawing::curve_panel> panels, of_shortened;
    for (auto const& some : pages)
        for (auto const& p : some) {
            swaps::print_page(p);
            (&p == &some.front() ? panels : of_shortened).push_back(swaps::panel_of(p));
        }
    panels.insert(panels.end(), of_shortened.begin(), of_shortened.end());
    if (!picture.empty()) io::write_file(picture, drawing::curves_picture("Overhead against memory saved", panels, 4));
    return 0;
}
