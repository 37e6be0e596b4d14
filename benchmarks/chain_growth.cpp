// How do time and memory of planning a chain grow with its stages? Random chains in 500 slots, recorded networks
// exactly for all budgets, and one budget within 1 %. Writes the page (chain_growth.md) to standard output; chains in
// files that arguments name are added to the networks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/io/json_chain.hpp>

#include "measure/cheap.hpp"

namespace {

using namespace repebble;

[[nodiscard]] auto user_seconds() -> double {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

/// Most that the process ever held: rows are by size, so each row's is its own.
[[nodiscard]] auto megabytes() -> double {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
}

[[nodiscard]] auto random_chain_of(std::size_t stages) -> chain {
    std::mt19937_64 random(stages);
    auto const pick = [&](std::int64_t most) {
        return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    chain c{.input = 1000, .input_gradient = 1000};
    for (std::size_t i = 0; i < stages; ++i) {
        bytes const output = 100 * pick(10);
        c.stages.push_back({pick(50), pick(100), output, output, 0, {stage_tape{.saved = output + 100 * pick(12)}}});
    }
    c.stages.push_back({0, pick(20), 0, 0, 0, {stage_tape{}}});
    return c;
}

void print_slots(bool cheap) {
    std::printf("\n| stages | budget | user s | MB so far | stages run |\n|--:|--:|--:|--:|--:|\n");
    for (std::size_t const stages : {100U, 339U, 500U, 1000U})
        for (int const percent : {5, 30, 100}) {
            if (cheap && stages > 100) break;
            auto const c = random_chain_of(stages);
            auto const budget = bytes_to_keep_all(c) / 100 * percent;
            auto const start = user_seconds();
            auto const solved = solve_chain(c, {.slots = 500, .last_budget = budget});
            auto const seconds = user_seconds() - start;
            auto const actions = solved.actions_within(budget);
            std::printf("| %zu | %d %% | %.3f | %.0f | %zu |\n", stages, percent, seconds, megabytes(),
                        actions ? actions->size() : 0);
        }
}

void print_exact(std::vector<std::string> const& files, bool cheap) {
    std::printf(
        "\n| chain | stages | points | user s | with inputs dropped: user s | one budget within 1 %%: user s | proven "
        "within "
        "|\n|---|--:|--:|--:|--:|--:|--:|\n");
    for (auto const& file : files) {
        auto const read = io::read_chain(file);
        if (cheap && read.chain.stages.size() > 30) continue;
        auto start = user_seconds();
        auto const curve = solve_chain(read.chain).curve();
        auto const exact = user_seconds() - start;
        start = user_seconds();
        bool const few = read.chain.stages.size() < 200;
        if (few) static_cast<void>(solve_chain(read.chain, {.drop_saved_inputs = true}));
        auto const dropped = few ? std::to_string(user_seconds() - start).substr(0, 6) : std::string("–");
        auto const budget = curve.front().budget + (curve.back().budget - curve.front().budget) / 4;
        start = user_seconds();
        auto const within = solve_chain(read.chain, budget, {.epsilon = 0.01, .slots = 500});
        auto const bounded = user_seconds() - start;
        std::printf("| %s | %zu | %zu | %.4f | %s | %.3f | %.3f %% |\n", read.name.c_str(),
                    read.chain.stages.size() - 1, curve.size(), exact, dropped.c_str(), bounded,
                    within ? 100 * *within->epsilon() : -1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    std::printf(
        "# Planning chains: time and memory\n\nMade by `benchmark_chain_growth`, one thread.\n\nRandom chains in 500 "
        "slots of several shares of what keeping all needs:\n");
    print_slots(cheap);
    std::printf(
        "\nRecorded networks, exactly and for all budgets at once; and the budget a quarter of the way from the least "
        "to that of keeping all, bounded in slots:\n");
    std::vector<std::string> files;
    for (auto const* folder : {"/tests/data/chain", "/examples/data"})
        for (auto const& entry : std::filesystem::directory_iterator(std::string(REPEBBLE_SOURCE_DIR) + folder))
            if (entry.path().filename().string().starts_with("net_")) files.push_back(entry.path().string());
    std::ranges::sort(files, {}, [](auto const& file) { return std::filesystem::path(file).filename(); });
    files.insert(files.end(), argv + 1, argv + argc);
    print_exact(files, cheap);
    return 0;
}
