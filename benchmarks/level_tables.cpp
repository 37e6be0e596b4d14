// What do levels of memory cost and bring? Least costs of H-Revolve from convex kinks beside a full scan, long chains
// on two levels, mixed snapshots, and chains of stages whose values may wait in host memory. Writes the page
// (level_tables.md) to standard output; with --cases rows for level_package.py instead.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/level_table.hpp>
#include <repebble/chains/mixed_table.hpp>
#include <repebble/chains/periodic_disk_revolve.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/io/json_chain.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>

#include "measure/cheap.hpp"

namespace {

using namespace repebble;

class stopwatch {
  public:
    [[nodiscard]] auto seconds() const -> double { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

  private:
    std::clock_t begin_ = std::clock();  // of the processor, which others use, too
};

[[nodiscard]] auto megabytes() -> double {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
}

struct level_case {
    std::uint64_t steps;
    std::uint32_t ram, disk;
    std::int64_t write, read, advance = 1, reverse = 1;

    [[nodiscard]] auto levels() const -> std::vector<storage_level> { return {{ram}, {disk, write, read}}; }
    [[nodiscard]] auto table() const -> level_table { return {steps, levels(), {advance, reverse}}; }
};

constexpr level_case published[]{{50, 3, 2, 2, 2},   {50, 3, 5, 2, 2},         {100, 5, 5, 5, 5},
                                 {100, 5, 10, 1, 3}, {200, 5, 10, 5, 5, 1, 2}, {100, 5, 10, 10, 1, 1, 5},
                                 {500, 10, 10, 5, 5}};
constexpr level_case large[]{{10'000, 10, 50, 5, 5},     {10'000, 10, 50, 1, 1}, {10'000, 10, 50, 20, 10},
                             {10'000, 10, 50, 100, 300}, {10'000, 3, 50, 50, 5}, {10'000, 1, 50, 5, 5}};

/// The same costs by trying every place of the next snapshot.
[[nodiscard]] auto full_scan(level_case const& c) -> std::int64_t {
    auto const size = static_cast<std::size_t>(c.steps) + 1;
    std::vector<std::int64_t> lower(size), least(size);
    for (std::size_t n = 1; n < size; ++n)
        lower[n] = static_cast<std::int64_t>(binomial_bounds::least_advances(n, c.ram)) * c.advance;
    auto later = lower;
    for (std::uint32_t s = 0; s < c.disk; ++s) {
        for (std::size_t n = 2; n < size; ++n) {
            auto best = std::numeric_limits<std::int64_t>::max();
            for (std::size_t j = 1; j < n; ++j)
                best = std::min(best, static_cast<std::int64_t>(j) * c.advance + later[n - j] + least[j]);
            least[n] = std::min(lower[n], best + c.read);
        }
        for (std::size_t n = 2; n < size; ++n) later[n] = std::min(lower[n], c.write + least[n]);
    }
    return later.back() + static_cast<std::int64_t>(c.steps) * c.reverse;
}

template <class Actions>
[[nodiscard]] auto played(Actions&& actions, std::vector<storage_level> const& levels, step_costs const& step) {
    struct {
        std::int64_t cost = 0;
        std::uint64_t actions = 0, written = 0;
    } all;
    for (auto const& a : actions) {
        all.cost += a.cost(levels, step);
        all.written += a.what == revolve_action::kind::snapshot && a.level > 0 ? 1 : 0;
        ++all.actions;
    }
    return all;
}

void print_cases() {
    for (auto const& c : published) {
        stopwatch const watch;
        auto const cost = c.table().least_cost();
        std::printf("levels %llu %u %u %lld %lld %lld %lld %lld %.9f\n", static_cast<unsigned long long>(c.steps),
                    c.ram, c.disk, static_cast<long long>(c.write), static_cast<long long>(c.read),
                    static_cast<long long>(c.advance), static_cast<long long>(c.reverse), static_cast<long long>(cost),
                    watch.seconds());
    }
    for (std::uint64_t const steps : {50U, 200U, 400U})
        for (std::uint32_t const slots : {3U, 10U}) {
            stopwatch const watch;
            auto const advances = mixed_table(steps, slots).least_advances();
            std::printf("mixed %llu %u %lld %.9f\n", static_cast<unsigned long long>(steps), slots,
                        static_cast<long long>(advances), watch.seconds());
        }
}

void print_tables(bool cheap) {
    std::printf(
        "\n| steps | RAM + disk slots | write, read | least cost | by kinks, s | by a full scan, s | its schedule "
        "|\n|--:|--:|--:|--:|--:|--:|--:|\n");
    for (auto const& c : large) {
        if (cheap && (c.ram == 1 || c.write < 10)) continue;
        stopwatch const watch;
        auto const table = c.table();
        auto const seconds = watch.seconds();
        stopwatch const scan;
        auto const scanned = cheap ? table.least_cost() : full_scan(c);
        auto const scan_seconds = scan.seconds();
        auto const found = played(table.schedule(), table.levels(), table.step());
        std::printf("| %llu | %u + %u | %lld, %lld | %lld%s | %.3f | %.2f | %lld |\n",
                    static_cast<unsigned long long>(c.steps), c.ram, c.disk, static_cast<long long>(c.write),
                    static_cast<long long>(c.read), static_cast<long long>(table.least_cost()),
                    scanned == table.least_cost() ? "" : " DIFFERS", seconds, scan_seconds,
                    static_cast<long long>(found.cost));
    }
}

void print_long_chains(bool cheap) {
    std::printf(
        "\n| steps | RAM slots | disk slots | write = read | snapshots on disk | period | cost / steps | actions "
        "| ns an action | MB |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    constexpr auto unlimited = storage_level::unlimited;
    constexpr level_case all[]{{1'000'000, 10, unlimited, 1000, 1000},
                               {1'000'000'000, 10, unlimited, 1000, 1000},
                               {1'000'000'000, 10, 1000, 10'000, 10'000},
                               {1'000'000'000, 100, unlimited, 5000, 5000}};
    for (auto const& c : all) {
        if (cheap && c.steps > 1'000'000) break;
        auto actions = periodic_disk_revolve(c.steps, c.ram, {c.disk, c.write, c.read});
        auto const cost = actions.least_cost();
        auto const snapshots = actions.disk_snapshots();
        stopwatch const watch;
        auto const found = played(actions, c.levels(), {});
        auto const seconds = watch.seconds();
        std::printf("| %llu | %u | ", static_cast<unsigned long long>(c.steps), c.ram);
        c.disk == unlimited ? std::printf("any") : std::printf("%u", c.disk);
        std::printf(" | %lld | %llu | %llu | %.4f%s | %llu | %.1f | %.0f |\n", static_cast<long long>(c.write),
                    static_cast<unsigned long long>(snapshots), static_cast<unsigned long long>(actions.period()),
                    static_cast<double>(cost) / static_cast<double>(c.steps),
                    found.cost == cost && found.written == snapshots ? "" : " DIFFERS",
                    static_cast<unsigned long long>(found.actions), 1e9 * seconds / static_cast<double>(found.actions),
                    megabytes());
    }
}

void print_mixed(bool cheap) {
    std::printf("\n| steps | slots | REVOLVE | mixed, tape of 1 slot | of 2 | of 4 |\n|--:|--:|--:|--:|--:|--:|\n");
    for (std::uint64_t const steps : {100U, 1000U, 10'000U}) {
        if (cheap && steps > 1000) break;
        for (std::uint32_t const slots : {5U, 20U, 50U}) {
            std::printf("| %llu | %u | %llu |", static_cast<unsigned long long>(steps), slots,
                        static_cast<unsigned long long>(binomial_bounds::least_advances(steps, slots)));
            for (std::uint32_t const tape : {1U, 2U, 4U})
                std::printf(" %lld |", static_cast<long long>(mixed_table(steps, slots, tape).least_advances()));
            std::printf("\n");
        }
    }
}

void print_offloaded(std::string const& name, bytes gigabytes) {
    host_link const via{.size = 1000 * gigabytes, .time = 1};  // times in microseconds
    auto const of = io::read_chain(std::string(REPEBBLE_SOURCE_DIR) + "/tests/data/chain/net_" + name + ".json").chain;
    auto const once = static_cast<double>(detail::chain_sums(of).time_once());
    auto const print = [&](std::int64_t time) {
        std::printf(" %.2f %% |", 100 * (static_cast<double>(time) / once - 1));
    };
    for (int const percent : {60, 40, 25}) {
        auto const budget = bytes_to_keep_all(of) / 100 * percent;
        std::printf("| %s | %zu | %lld GB/s | %d %% |", name.c_str(), of.stages.size(),
                    static_cast<long long>(gigabytes), percent);
        if (auto const alone = solve_chain(of, budget, {.slots = 500}))
            print(alone->time);
        else
            std::printf(" no plan |");
        stopwatch const watch;
        auto const both = solve_chain(of, budget, {.slots = 200, .link = via});
        auto const seconds = watch.seconds();
        if (!both) {
            std::printf(" no plan | no plan | | %.2f |\n", seconds);
            continue;
        }
        print(both->copies->serial_time);
        print(both->time);
        chain_dataflow const flow(of);
        auto const out =
            replay(flow.flow(), both->copies->plan, {.resident_at_end = {flow.gradient(0)}}, lanes_clock(via));
        std::printf(" %.2f | %.2f |\n", static_cast<double>(out.bytes_out) / 1e9, seconds);
    }
}

void print_all_offloaded(bool cheap) {
    std::printf(
        "\n| chain | stages | link | budget | recomputation alone | and copies, one by one | and copies beside | out, "
        "GB | s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (auto const* name : {"resnet50_b32", "gpt2_12x768_b8", "gpt2_48x1600_b4"}) {
        if (cheap && name == std::string_view("gpt2_48x1600_b4")) break;
        for (bytes const gigabytes : {12, 3}) print_offloaded(name, gigabytes);
    }
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    if (argc > 1 && std::string_view(argv[1]) == "--cases") {
        print_cases();
        return 0;
    }
    std::printf("# Levels of memory\n\nMade by `benchmark_level_tables`, one thread.\n\n## H-Revolve\n");
    print_tables(cheap);
    std::printf("\n## Long chains on two levels\n");
    print_long_chains(cheap);
    std::printf("\n## Mixed snapshots\n");
    print_mixed(cheap);
    std::printf("\n## Chains of stages and host memory\n");
    print_all_offloaded(cheap);
    return 0;
}
