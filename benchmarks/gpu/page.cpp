#include "page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace gpu_tables {

using nlohmann::json;

namespace {

constexpr char const* introduction = R"(# Plans on a GPU: memory, gradients and times

{}

{}

Every operation is measured first, in a captured iteration, and plans are made with these times; the overheads of plain
launches are predicted with times of plain launches, but for copies. A budget is a share of the peak of keep_all.
*measured peak*: behind the highest byte that was written in the arena, a little less than planned where a workspace lies
there that cuDNN or cuBLAS did not fill; *taken*: what the card has less of free memory (cudaMemGetInfo) once the arena
is there, or the graph of a capture, too. *gradients*: whether all of them, the running statistics and the loss are those
of keep_all, bit by bit. *time*: of an iteration without the step of the optimizer, the median; *overhead*: above
keep_all's, as predicted and as measured. *hidden*: how much of the time of copies does not make the iteration longer than
its computations. *captured*: the iteration is one CUDA graph.

```
cmake --preset release -DREPEBBLE_BUILD_BENCHMARKS=ON && cmake --build --preset release --target benchmark_gpu_tables
build/release/benchmarks/gpu/benchmark_gpu_tables --seconds 540 --trace trace.json > benchmarks/gpu_tables.md
```

makes this page, within nine minutes on one card; `--networks` and `--precisions` take some of them. What was measured is in
`gpu_tables.json`, written after every row, and `--page gpu_tables.json` makes the page again. Rows for which no time is
left are listed. `gpu/torch_rows.py gpu_tables.json` adds torch, eager and compiled, and `repebble.torch`. `--dry` takes
networks as small as can be, once each, and `benchmark_gpu_tables_dry`, a target of the preset `debug`, does so on the
processor, on the stand-ins of [tests/training/cuda](../tests/training/cuda/README.md): they look at every byte, and their
times mean nothing.
)";

[[nodiscard]] auto number(json const& row, char const* key) -> std::optional<double> {
    if (!row.contains(key)) return std::nullopt;
    return row[key].get<double>();
}
/// "–" where it is not there.
[[nodiscard]] auto cell(std::optional<double> value, double unit, int digits = 1) -> std::string {
    return value ? fmt::format("{:.{}f}", *value / unit, digits) : "–";
}
[[nodiscard]] auto text(json const& row, char const* key) -> std::string { return row.value(key, ""); }
[[nodiscard]] auto line(std::vector<std::string> const& cells) -> std::string {
    std::string made = "|";
    for (auto const& c : cells) made += " " + c + " |";
    return made + "\n";
}
[[nodiscard]] auto head(std::vector<std::string> const& cells) -> std::string {
    auto made = "\n" + line(cells) + "|";
    for (std::size_t k = 0; k < cells.size(); ++k) made += "---|";
    return made + "\n";
}

constexpr double mebi = 1 << 20U;
constexpr double milli = 1e6;

/// The time of keep_all with the same network, precision and launch.
[[nodiscard]] auto of_keep_all(json const& rows, json const& row) -> std::optional<double> {
    for (auto const& r : rows)
        if (r["plan"] == "keep_all" && r["network"] == row["network"] && r["precision"] == row["precision"] &&
            text(r, "launch") == text(row, "launch"))
            return number(r, "measured");
    return std::nullopt;
}

[[nodiscard]] auto overhead(std::optional<double> time, std::optional<double> base) -> std::string {
    return time && base && *base > 0 ? fmt::format("{:.1f}", 100 * (*time / *base - 1)) : "–";
}

/// How far what was measured is from what was promised.
[[nodiscard]] auto summary(json const& rows) -> std::string {
    std::size_t measured = 0, equal = 0, higher = 0, predicted = 0;
    double sum = 0, most = 0;
    for (auto const& row : rows) {
        if (!row.contains("gradients_equal")) continue;
        ++measured;
        equal += row["gradients_equal"].get<bool>() ? 1U : 0U;
        higher += row["measured_peak"] > row["planned_peak"] ? 1U : 0U;
        auto const base = of_keep_all(rows, row);
        if (text(row, "launch") != "captured" || text(row, "plan") == "keep_all" || row.value("copied", 0.0) > 0 ||
            !base)
            continue;
        auto const found = *number(row, "measured") / *base;
        auto const off = 100 * std::abs(*number(row, "predicted") / *number(row, "keep_all_predicted") - found);
        ++predicted;
        sum += off;
        most = std::max(most, off);
    }
    auto made = fmt::format(
        "{} iterations were measured: {} with the gradients of keep_all, bit by bit, {} with a peak above the "
        "planned one.",
        measured, equal, higher);
    if (predicted > 0)
        made += fmt::format(
            " The overheads of {} captured plans without copies are {:.1f} points off what was predicted, "
            "in the mean, and {:.1f} at most.",
            predicted, sum / static_cast<double>(predicted), most);
    return made;
}

[[nodiscard]] auto samples_a_second(json const& row) -> std::string {
    auto const time = number(row, "measured");
    auto const batch = number(row, "batch");
    return time && batch && *time > 0 ? fmt::format("{:.0f}", 1e9 * *batch / *time) : "–";
}

[[nodiscard]] auto row_of_plan(json const& rows, json const& row) -> std::string {
    auto const planned = number(row, "planned_peak");
    auto const measured = number(row, "measured_peak");
    auto peaks = cell(measured, mebi);
    if (planned && planned == measured) peaks = "equal";
    auto const gradients = !row.contains("gradients_equal")     ? "–"
                           : row["gradients_equal"].get<bool>() ? "equal"
                                                                : "DIFFERENT";
    return line({text(row, "plan"), text(row, "budget"), text(row, "launch"), cell(planned, mebi), peaks,
                 cell(number(row, "taken"), mebi), gradients, cell(number(row, "measured"), milli, 2),
                 overhead(number(row, "predicted"), number(row, "keep_all_predicted")) + " / " +
                     overhead(number(row, "measured"), of_keep_all(rows, row)),
                 samples_a_second(row), cell(number(row, "hidden"), 0.01, 0), text(row, "note")});
}

[[nodiscard]] auto tables_of_plans(json const& rows) -> std::string {
    std::string made, before;
    for (auto const& row : rows) {
        auto const title = fmt::format("{}, {}, batch {}", text(row, "network"), text(row, "precision"),
                                       row["batch"].get<std::int64_t>());
        if (title != before) {
            made += "\n## " + title + "\n";
            made += head({"plan", "budget", "launch", "planned MiB", "measured peak", "taken MiB", "gradients",
                          "time ms", "overhead %, predicted / measured", "samples/s", "hidden %", "note"});
        }
        before = title;
        made += row_of_plan(rows, row);
    }
    return made;
}

[[nodiscard]] auto table_of_classes(json const& classes) -> std::string {
    std::string made =
        "\n## Operations beside the roofline\n\nOf each kind: its time in an iteration that keeps "
        "everything, the arithmetic and the bytes that it needs at least, and the least time by the "
        "card's peaks as a share of that which it took. What is nearer to the peak of arithmetic than "
        "to that of memory is limited by it.\n";
    made += head({"network", "precision", "kind", "ms", "TFLOP/s", "GB/s", "% of the roofline", "limit"});
    for (auto const& c : classes) {
        auto const time = *number(c, "time");
        auto const least = *number(c, "least");
        if (time <= 0) continue;
        bool const by_arithmetic = 2 * *number(c, "least_of_arithmetic") > least;
        made += line({text(c, "network"), text(c, "precision"), text(c, "class"), cell(time, milli, 3),
                      cell(*number(c, "flops") / time, 1e3, 2), cell(*number(c, "traffic") / time, 1, 1),
                      cell(100 * least / time, 1), by_arithmetic ? "arithmetic" : "memory"});
    }
    return made;
}

[[nodiscard]] auto table_of_largest(json const& rows) -> std::string {
    std::string made =
        "\n## The largest batch\n\nWhat fits in the card's memory, without a plan and with one for all "
        "of it; the overhead is the predicted one.\n";
    made += head({"network", "precision", "plan", "batch", "arena MiB", "beside it MiB", "time ms", "samples/s",
                  "overhead %", "note"});
    for (auto const& row : rows)
        made += line({text(row, "network"), text(row, "precision"), text(row, "plan"), cell(number(row, "batch"), 1, 0),
                      cell(number(row, "planned_peak"), mebi), cell(number(row, "resident"), mebi),
                      cell(number(row, "measured"), milli, 2), samples_a_second(row),
                      cell(number(row, "predicted_overhead"), 0.01),
                      row.contains("note") ? text(row, "note") : text(row, "limit")});
    return made;
}

[[nodiscard]] auto table_of_torch(json const& rows) -> std::string {
    std::string made =
        "\n## torch\n\nBy `gpu/torch_rows.py`, with networks of the same depth and width; the peak is "
        "what an iteration allocates, beside parameters and their gradients, but with gradients where "
        "`repebble.torch` planned it.\n";
    made += head({"network", "precision", "plan", "batch", "planned MiB", "peak MiB", "overhead %, predicted",
                  "time ms", "samples/s"});
    for (auto const& row : rows)
        made += line({text(row, "network"), text(row, "precision"), text(row, "plan"), cell(number(row, "batch"), 1, 0),
                      cell(number(row, "planned_peak"), mebi), cell(number(row, "peak"), mebi),
                      cell(number(row, "predicted_overhead"), 0.01), cell(number(row, "measured"), milli, 2),
                      samples_a_second(row)});
    return made;
}

[[nodiscard]] auto description(json const& measured) -> std::string {
    auto const& card = measured["card"];
    auto made = fmt::format("On {}, {} multiprocessors at {:.2f} GHz, {:.0f} GB/s, {:.0f} MiB", text(card, "name"),
                            card["multiprocessors"].get<int>(), *number(card, "clock") / 1e9,
                            *number(card, "bytes_per_second") / 1e9, *number(card, "memory") / mebi);
    if (card.contains("flops_per_second"))
        for (auto const& [precision, rate] : card["flops_per_second"].items())
            made += fmt::format(", {:.0f} TFLOP/s in {}", rate.get<double>() / 1e12, precision);
    made += fmt::format(".\nCopies of pinned memory: {:.1f} GB/s out, {:.1f} in, {:.1f} both ways at once.",
                        *number(card, "copies_out") / 1e9, *number(card, "copies_in") / 1e9,
                        *number(card, "copies_both") / 1e9);
    if (measured.value("dry", false))
        made += "\nThis was a dry run, of networks too small to say anything about a GPU.";
    return made;
}

}  // namespace

auto page_of(json const& measured) -> std::string {
    auto made = fmt::format(introduction, summary(measured["rows"]), description(measured));
    made += tables_of_plans(measured["rows"]);
    if (!measured["largest"].empty()) made += table_of_largest(measured["largest"]);
    if (measured.contains("torch") && !measured["torch"].empty()) made += table_of_torch(measured["torch"]);
    if (!measured["classes"].empty()) made += table_of_classes(measured["classes"]);
    if (!measured["left_out"].empty()) {
        made += "\n## Left out, as no time was left or it failed\n\n";
        for (auto const& what : measured["left_out"]) made += "- " + what.get<std::string>() + "\n";
    }
    return made;
}

}  // namespace gpu_tables
