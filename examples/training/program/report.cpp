#include "report.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/io/byte_size.hpp>

#include "command_line/print_json.hpp"

namespace train {

using namespace repebble;

namespace {

auto milliseconds(std::int64_t nanoseconds) -> double { return static_cast<double>(nanoseconds) / 1e6; }

auto share(bytes part, bytes whole) -> double {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// What is proven of the plan.
auto remark(report const& r) -> std::string {
    if (!r.proof) return "";
    return ", " + r.proof->time_claim();
}

}  // namespace

void print_text(report const& r) {
    auto const line = [](char const* what, std::string const& value) { fmt::print("{:<18}{}\n", what, value); };
    line("network", fmt::format("{}, batch {}, {}", r.network, r.batch, r.precision));
    line("strategy", fmt::format("{}, {} recomputations{}", r.strategy, r.recomputations, remark(r)));
    line("planned peak",
         fmt::format("{} bytes ({}), {:.1f} % of keep_all's {}", r.planned_peak, io::format_bytes(r.planned_peak),
                     share(r.planned_peak, r.keep_all_peak), io::format_bytes(r.keep_all_peak)));
    line("measured peak", fmt::format("{} bytes: {}", r.measured_peak,
                                      r.measured_peak == r.planned_peak ? "as planned" : "not as planned"));
    if (auto const& c = r.copied) {
        line("host memory",
             fmt::format("{} bytes ({}) planned, {} measured: {}", c->planned_host, io::format_bytes(c->planned_host),
                         c->measured_host, c->measured_host == c->planned_host ? "as planned" : "not as planned"));
        line("copies", fmt::format("{} out, {} in", io::format_bytes(c->out), io::format_bytes(c->in)));
    }
    line("beside it", fmt::format("{} of parameters, {}velocities and inputs{}", io::format_bytes(r.resident),
                                  r.planned_gradients ? "" : "gradients, ",
                                  r.planned_gradients ? "; gradients of parameters are results, in the arena" : ""));
    if (r.budget_of_all) {
        auto const all = r.planned_peak + r.resident;
        auto const left = r.of_program > 0
                              ? fmt::format(", in which {} were left for the library", io::format_bytes(r.of_program))
                              : "";
        line("all together", fmt::format("{} bytes ({}) of a budget of {}{}", all, io::format_bytes(all),
                                         io::format_bytes(*r.budget_of_all), left));
    }
    if (r.system_peak)
        line("by the system", fmt::format("{} bytes ({}) at most in training beyond those before{}", *r.system_peak,
                                          io::format_bytes(*r.system_peak),
                                          !r.budget_of_all                     ? ""
                                          : *r.system_peak <= *r.budget_of_all ? ": within the budget"
                                                                               : ": above the budget"));
    if (r.process_peak > 0) line("process", io::format_bytes(r.process_peak));
    line("planned time", fmt::format("{:.2f} ms, {:.1f} % above keep_all", milliseconds(r.planned_time),
                                     share(r.planned_time - r.keep_all_time, r.keep_all_time)));
    line("measured time", r.measured_time ? fmt::format("{:.2f} ms", milliseconds(*r.measured_time))
                                          : "none: the first two iterations measure the memory");
    if (r.captured) line("CUDA graph", *r.captured ? "launched as one after the first iterations" : "not used");
    if (r.allocations)
        line("allocations", fmt::format("{} in an iteration, beside a reserve of which {} were used", *r.allocations,
                                        io::format_bytes(r.reserve_used)));
    if (auto const& c = r.compared) {
        line("gradients", c->gradients_equal ? fmt::format("all {} equal keep_all's, to the last bit", c->gradients)
                                             : "differ from keep_all's: " + c->first_difference);
        line("overhead", fmt::format("{:.1f} % measured, {:.1f} % predicted", 100 * c->measured_overhead,
                                     100 * c->predicted_overhead));
    }
    if (!r.reordered.empty())
        line("note", "the gradient of " + r.reordered + " is added up in another order than keep_all's");
    std::string losses;
    auto const shown = std::min<std::size_t>(r.losses.size(), 12);
    for (std::size_t i = 0; i < shown; ++i)
        losses += fmt::format("{}{:.4f}", i == 0 ? "" : " ",
                              r.losses[i * (r.losses.size() - 1) / std::max<std::size_t>(shown - 1, 1)]);
    line("losses", losses);
    if (r.test_accuracy) line("test accuracy", fmt::format("{:.2f} %", 100 * *r.test_accuracy));
}

void print_json(report const& r) {
    nlohmann::ordered_json j{{"network", r.network},
                             {"batch", r.batch},
                             {"precision", r.precision},
                             {"strategy", r.strategy},
                             {"planned_peak", r.planned_peak},
                             {"measured_peak", r.measured_peak},
                             {"planned_time", r.planned_time},
                             {"measured_time", nullptr},
                             {"allocations", nullptr},
                             {"gradients_equal", nullptr},
                             {"losses", r.losses},
                             {"replayed_peak", r.replayed_peak},
                             {"keep_all_peak", r.keep_all_peak},
                             {"keep_all_time", r.keep_all_time},
                             {"recomputations", r.recomputations},
                             {"resident", r.resident},
                             {"planned_gradients", r.planned_gradients},
                             {"process_peak", r.process_peak},
                             {"reserve_used", r.reserve_used}};
    if (r.proof) {
        j["lower_bound"] = r.proof->lower_bound;
        j["gap"] = r.proof->gap;
        j["time_least"] = r.proof->time_least;
        j["floor"] = r.proof->floor;
    }
    if (r.copied) {
        j["planned_host_peak"] = r.copied->planned_host;
        j["measured_host_peak"] = r.copied->measured_host;
        j["bytes_out"] = r.copied->out;
        j["bytes_in"] = r.copied->in;
    }
    if (r.budget_of_all) {
        j["budget_of_all"] = *r.budget_of_all;
        j["of_program"] = r.of_program;
    }
    if (r.system_peak) j["system_peak"] = *r.system_peak;
    if (r.allocations) j["allocations"] = *r.allocations;
    if (r.measured_time) j["measured_time"] = *r.measured_time;
    if (r.captured) j["captured"] = *r.captured;
    if (r.compared) {
        j["gradients_equal"] = r.compared->gradients_equal;
        j["predicted_overhead"] = r.compared->predicted_overhead;
        j["measured_overhead"] = r.compared->measured_overhead;
    }
    if (!r.reordered.empty()) j["reordered"] = r.reordered;
    if (r.test_accuracy) j["test_accuracy"] = *r.test_accuracy;
    command_line::print_json(j);
}

}  // namespace train
