// What is a plan worth on a GPU? Networks trained by every plan, in every precision: peaks, gradients, times and
// copies, measured beside planned. It stops by itself; what was measured so far is always in its file.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>

#include "card.hpp"
#include "command_line/check_files.hpp"
#include "command_line/run_program.hpp"
#include "page.hpp"
#include "settings.hpp"
#include "subject_run.hpp"

namespace gpu_tables {
namespace {

using nlohmann::json;
using train::precision;

#ifdef REPEBBLE_CUDA_ON_CPU
constexpr bool is_on_gpu = false;
#else
constexpr bool is_on_gpu = true;
#endif

constexpr char const* program = "benchmark_gpu_tables";
constexpr int skipped = 77;
constexpr int promise_broken = 4;
constexpr precision precisions[] = {precision::fp32, precision::tf32, precision::bf16};

[[nodiscard]] auto has_gpu() -> bool {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

[[nodiscard]] auto is_among(std::string_view name, std::vector<std::string> const& all) -> bool {
    return all.empty() || std::ranges::find(all, name) != all.end();
}

class measurements {
  public:
    explicit measurements(settings const& how) : how_(how), clock_(how.seconds), trace_(how.trace) {}

    [[nodiscard]] auto run() -> json const& {
        made_ = {{"dry", how_.dry},
                 {"rows", json::array()},
                 {"classes", json::array()},
                 {"largest", json::array()},
                 {"left_out", json::array()}};
        {
            auto const gpu = made_for(precision::fp32);
            card_ = measured_card(*gpu, how_.copied_bytes());
            made_["card"] = card_.json();
        }
        std::vector<task> tasks;
        auto const all = subjects(how_.dry);
        for (auto const p : precisions) {
            if (!is_among(to_string(p), how_.precisions)) continue;
            for (auto const& s : all)
                if (is_among(s.name, how_.networks))
                    tasks.push_back(
                        {s.name + ", " + std::string(to_string(p)), [&, p](double until) { train(s, p, until); }});
            if (p == precision::tf32)
                for (auto const& s : all)
                    if (is_among(s.name, how_.networks))
                        tasks.push_back({s.name + ", largest batch", [&, p](double) { enlarge(s, p); }});
        }
        for (std::size_t k = 0; k < tasks.size(); ++k) run(tasks[k], static_cast<double>(tasks.size() - k));
        return made_;
    }

  private:
    struct task {
        std::string name;
        std::function<void(double)> run;  ///< until a second of the clock
    };

    [[nodiscard]] static auto made_for(precision p) -> std::unique_ptr<device> {
        train_cuda::device_options options;
        if (p == precision::tf32) options.math = train_cuda::precision::tf32;
        if (!is_on_gpu) options.matrix_workspace = 1024;  // they look at every byte of it
        return std::make_unique<device>(options);
    }
    void leave_out(std::string const& what) {
        made_["left_out"].push_back(what);
        write();
    }
    /// Each has its part of the time that is left.
    void run(task const& t, double tasks_left) {
        if (clock_.left() <= 0 || command_line::interrupted()) {
            leave_out(t.name);
            return;
        }
        fmt::print(stderr, "{:.0f} s: {}\n", clock_.spent(), t.name);
        try {
            t.run(clock_.spent() + clock_.left() / tasks_left);
        } catch (std::exception const& e) {
            leave_out(t.name + ": " + e.what());
        }
    }
    void train(subject const& s, precision p, double until) {
        auto const gpu = made_for(p);
        subject_run run(how_, card_, s, p, *gpu);
        for (auto const& c : run.classes()) made_["classes"].push_back(c);
        write();
        for (auto const& w : ways()) {
            if (clock_.spent() >= until || command_line::interrupted()) {
                leave_out(fmt::format("{}, {}: {} {}", s.name, to_string(p), w.name, w.budget));
                continue;
            }
            auto const trace = is_traced(w) ? trace_ : std::nullopt;
            for (auto const& row : run.rows(w, trace)) {
                if (trace && row.contains("measured")) trace_.reset();  // else there was no plan
                made_["rows"].push_back(row);
            }
            write();
        }
    }
    [[nodiscard]] static auto is_traced(way const& w) -> bool { return w.copies && w.budget == std::string("60%"); }
    void enlarge(subject const& s, precision p) {
        auto const gpu = made_for(p);
        for (auto const& row : largest_batches(how_, card_, s, p, *gpu)) made_["largest"].push_back(row);
        write();
    }
    /// Whatever comes, this is not lost.
    void write() const { repebble::io::write_file(how_.out, made_.dump(1) + "\n"); }

    settings const& how_;
    stopwatch clock_;
    card card_{};
    json made_{};
    std::optional<std::string> trace_;  ///< not yet written
};

[[nodiscard]] auto read_settings(int argc, char const* const* argv, settings& how) -> std::optional<int> {
    CLI::App app(
        "Trains networks on a GPU by every plan, and measures what the plans promised: a page of Markdown on "
        "standard output.",
        program);
    app.add_option("--seconds", how.seconds, "after which nothing more is begun")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--networks", how.networks, "some of resnet50 (with --dry: resnet11), unet, gpt2, lstm");
    app.add_option("--precisions", how.precisions, "some of fp32, tf32, bf16")
        ->check(CLI::IsMember({"fp32", "tf32", "bf16"}));
    app.add_option("--out", how.out, "what was measured, in JSON: written after every row")->capture_default_str();
    app.add_option("--trace", how.trace,
                   "one iteration at 60 % of the memory, for Chrome's or Perfetto's trace viewer");
    app.add_option("--page", how.page, "only prints the page of such a JSON file");
    app.add_flag("--dry", how.dry, "networks as small as can be, once each: to see whether everything runs");
    try {
        app.parse(argc, argv);
        how.dry = how.dry || !is_on_gpu;
        auto const all = subjects(how.dry);
        for (auto const& name : how.networks)
            if (std::ranges::find(all, name, &subject::name) == all.end())
                throw CLI::ValidationError("--networks", "there is no " + name);
        if (!how.page) command_line::check_files({}, {{"--out", how.out}, {"--trace", how.trace}});
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

/// Whether something was measured, and all of it as it was planned: libraries need not fill a workspace that lies
/// behind all values.
[[nodiscard]] auto holds(json const& made) -> bool {
    std::size_t measured = 0;
    for (auto const& row : made["rows"]) {
        if (!row.contains("gradients_equal")) continue;
        ++measured;
        if (!row["gradients_equal"].get<bool>() || row["measured_peak"] > row["planned_peak"] ||
            row["measured_peak"] < row["end_of_values"])
            return false;
    }
    return measured > 0;
}

[[nodiscard]] auto run(settings const& how) -> int {
    if (how.page) {
        fmt::print("{}", page_of(json::parse(repebble::io::read_file(*how.page))));
        return 0;
    }
    if (!has_gpu()) {
        fmt::print(stderr, "{}: there is no GPU here\n", program);
        return skipped;
    }
    measurements all(how);
    auto const& made = all.run();
    fmt::print("{}", page_of(made));
    return holds(made) ? 0 : promise_broken;
}

}  // namespace
}  // namespace gpu_tables

int main(int argc, char** argv) {
    gpu_tables::settings how;
    return command_line::run_program(gpu_tables::program, [&] {
        if (auto const status = gpu_tables::read_settings(argc, argv, how)) return *status;
        return gpu_tables::run(how);
    });
}
