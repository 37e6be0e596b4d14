#include "methods.hpp"

#include <algorithm>
#include <cmath>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <repebble/io/byte_size.hpp>
#include <repebble/offload/fitted_q_iteration.hpp>
#include <repebble/offload/swap_environment.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/swap_baselines.hpp>
#include <repebble/traces/swap_schedule.hpp>

#include "command_line/cpu_seconds.hpp"
#include "command_line/interruption.hpp"

namespace swap_program {

using namespace repebble;

namespace {

/// A plan in the simulator, and how it was meant: when copies in begin, and whether computing waits for those out.
struct candidate {
    swap_plan plan;
    swap_options options;
};
using candidates = std::vector<candidate>;

struct method {
    std::string_view name;
    candidates (*find)(swap_problem const&, swap_options const&, arguments const&);  ///< none: `automatic`
    bool usual = true;
};

auto memonger(swap_problem const& p, swap_options const& o, arguments const&) -> candidates {
    return {{memonger_swaps(p, o).plan, o}};
}
auto greedy(swap_problem const& p, swap_options const& o, arguments const&) -> candidates {
    return {{greedy_swaps(p, o).plan, o}};
}
auto lru(swap_problem const& p, swap_options const& o, arguments const&) -> candidates {
    return {{superneurons_swaps(p, o, superneurons_mode::swapping).plan, o}};
}
auto superneurons(swap_problem const& p, swap_options const& o, arguments const&) -> candidates {
    return {{superneurons_swaps(p, o, superneurons_mode::both).plan, o},
            {superneurons_swaps(p, o, superneurons_mode::recomputing).plan, o}};
}
auto tflms(swap_problem const& p, swap_options const& o, arguments const&) -> candidates {
    candidates all;
    auto const found = tflms_swaps(p, o);
    for (auto const lookahead : std::array<std::size_t, 4>{1, 4, 16, 64}) {
        all.push_back({found.plan, o});
        all.back().options.lookahead = lookahead;
    }
    return all;
}
auto vdnn(swap_problem const& p, swap_options const& o, arguments const&) -> candidates {
    candidates all;
    for (auto const mode : {vdnn_mode::all, vdnn_mode::convolutions}) {
        all.push_back({vdnn_swaps(p, o, mode).plan, o});
        all.back().options.lookahead = 1;
        all.back().options.wait_after_use = true;
    }
    return all;
}

/// Ends learning where the user asks for it.
struct interruptible {
    [[nodiscard]] static auto cancelled() -> bool { return command_line::interrupted(); }
};

auto dqn(swap_problem const& p, swap_options const& o, arguments const& asked) -> candidates {
    swap_environment env(p, o);
    // An update every fourth step, as Mnih et al. 2015 have it.
    auto const found = fitted_q_iteration(env,
                                          {.shape = {.width = 16},
                                           .episodes = asked.episodes,
                                           .steps_per_update = 4,
                                           .rule = descent::adam,
                                           .seed = asked.seed,
                                           .time_limit = asked.time_limit},
                                          interruptible());
    if (!found.best) return {};
    return {{env.plan_of(found.best->nodes), o}};
}

constexpr std::array methods{method{"automatic", nullptr},
                             method{"greedy", greedy},
                             method{"lru", lru},
                             method{"tflms", tflms},
                             method{"vdnn", vdnn},
                             method{"memonger", memonger},
                             method{"superneurons", superneurons},
                             method{"dqn", dqn, false}};

/// Judges a schedule; what breaks a rule is a note.
void judge(outcome& to, schedule<> steps, subject const& about, host_link const& via) {
    auto verdict = verify_schedule(about.traced.flow, steps, {}, lanes_clock(via));
    if (verdict.broken) {
        if (!to.plan) to.note = "illegal: " + verdict.message();
        return;
    }
    recompute_plan<> found{.schedule = std::move(steps), .cost = std::move(verdict.result)};
    auto const key = [&](recompute_plan<> const& of) {
        bool const fits = of.cost.peak <= about.limit;
        return std::tuple(!fits, fits ? of.cost.time : 0, of.cost.peak);
    };
    if (to.plan && key(*to.plan) <= key(found)) return;
    to.note.clear();
    to.fits = found.cost.peak <= about.limit;
    to.plan = std::move(found);
}

/// What the automatic planner says of its plan, or of there being none.
auto claim_of(automatic_plan<> const& found) -> std::string {
    if (found.time_least()) return "time least";
    if (found.plan && !std::isfinite(found.gap())) return "the least time may be 0";
    if (found.plan) return fmt::format("time at most {:.2f}% above the least", 100 * found.gap());
    return found.none_exists() ? "none exists: " + io::format_bytes(found.floor.size) + " are needed"
                               : "none was found";
}

void run_automatic(outcome& to, subject const& about, arguments const& asked) {
    plan_options options{.seed = asked.seed, .link = asked.via, .threads = plan_options::threads_here()};
    options.limits.seconds = asked.time_limit;
    options.limits.stop = command_line::interrupted;
    auto found = repebble::plan(about.traced.flow, about.limit, options);
    to.note = claim_of(found);
    if (!found.plan) return;
    to.plan = std::move(*found.plan);
    to.fits = true;
}

/// A plan that does not fit in the simulator is judged within what it needs there.
void run_in_simulator(outcome& to, method const& m, subject const& about, arguments const& asked) {
    auto const all = m.find(about.problem, {.limit = about.limit, .link = asked.via}, asked);
    to.note = all.empty() ? "none was found" : "";
    for (auto const& [choices, options] : all) {
        auto within = options;
        within.limit = std::max(options.limit, simulate_swaps(about.problem, choices, options).least_limit);
        judge(to, make_swap_schedule(about.problem, about.traced, choices, within), about, asked.via);
    }
    if (to.plan && !to.fits) to.note = "misses by " + io::format_bytes(to.plan->cost.peak - about.limit);
}

auto find_method(std::string_view name) { return std::ranges::find(methods, name, &method::name); }

}  // namespace

auto method_names() -> std::string {
    std::string all;
    for (auto const& m : methods) all += (all.empty() ? "" : ", ") + std::string(m.name);
    return all;
}

auto is_method(std::string_view name) -> bool { return find_method(name) != methods.end(); }

auto run_method(std::string const& name, subject const& about, arguments const& asked) -> outcome {
    auto const& m = *find_method(name);
    auto const begin = command_line::cpu_seconds();
    outcome row{.method = name};
    m.find == nullptr ? run_automatic(row, about, asked) : run_in_simulator(row, m, about, asked);
    row.seconds = command_line::cpu_seconds() - begin;
    return row;
}

auto run_methods(subject const& about, arguments const& asked) -> std::vector<outcome> {
    auto names = asked.methods;
    if (names.empty())
        for (auto const& m : methods)
            if (m.usual) names.emplace_back(m.name);
    std::vector<outcome> rows;
    for (auto const& name : names) {
        if (!rows.empty() && command_line::interrupted()) break;
        rows.push_back(run_method(name, about, asked));
    }
    return rows;
}

}  // namespace swap_program
