#include "uniform.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/level_table.hpp>
#include <repebble/chains/online_snapshots.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/chains/storage_level.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>

#include "command_line/print_json.hpp"

namespace chain_program {

using namespace repebble;

namespace {

constexpr auto most_online_steps = std::uint64_t{std::numeric_limits<std::uint32_t>::max()};  // their advances fit

/// Passes over a line of the standard input, at which a step runs; false where there is none.
auto has_next_step() -> bool {
    auto c = std::getchar();
    bool const found = c != EOF;
    while (c != '\n' && c != EOF) c = std::getchar();
    if (std::ferror(stdin) != 0) throw bad_file("standard input", "cannot be read");
    return found;
}

/// As for_each_action, of steps that are not counted before they run.
template <class F>
void for_each_online_action(std::uint32_t slots, F const& f) {
    using kind = revolve_action::kind;
    online_snapshots online(slots);
    while (has_next_step()) {
        auto const state = online.steps();
        if (state == most_online_steps)
            throw bad_weight(fmt::format("--online: more than {} steps", most_online_steps));
        if (auto const slot = online.before_step()) f(level_action{{kind::snapshot, *slot, state, state}, 0});
        f(level_action{{kind::advance, 0, state, state + 1}, 0});
    }
    for (auto const& a : online.reversal()) f(level_action{a, 0});
}

/// Calls f(action) for each action of the reversal.  Returns its cost, where there is a disk.
template <class F>
auto for_each_action(arguments const& asked, F const& f) -> std::optional<std::int64_t> {
    if (asked.online) {
        for_each_online_action(asked.snapshots, f);
        return std::nullopt;
    }
    if (!asked.disk) {
        for (auto const& a : revolve(*asked.uniform, asked.snapshots, asked.first)) f(level_action{a, 0});
        return std::nullopt;
    }
    level_table const table(*asked.uniform, {{asked.snapshots}, *asked.disk});
    for (auto const& a : table.schedule()) f(a);
    return table.least_cost();
}

/// Lines for the standard output, written in large pieces.
class line_writer {
  public:
    void put(std::string_view word) { text_ += word; }
    void put(std::uint64_t number) {
        std::array<char, 20> digits{};
        text_.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
    }
    void end_line() {
        text_ += '\n';
        if (text_.size() >= piece) flush();
    }
    void flush() {
        if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size() || std::fflush(stdout) != 0)
            throw bad_file("standard output", "cannot be written");
        text_.clear();
    }

  private:
    static constexpr std::size_t piece = std::size_t{1} << 18;
    std::string text_;
};

}  // namespace

void print_reversal(arguments const& asked) {
    line_writer out;
    static_cast<void>(for_each_action(asked, [&](level_action const& a) {
        switch (a.what) {
            case revolve_action::kind::advance:
                out.put("advance ");
                out.put(a.begin);
                out.put(" ");
                out.put(a.end);
                break;
            case revolve_action::kind::reverse:
                out.put("reverse ");
                out.put(a.begin);
                break;
            case revolve_action::kind::snapshot:
            case revolve_action::kind::restore:
                out.put(a.what == revolve_action::kind::snapshot ? "snapshot " : "restore ");
                out.put(a.begin);
                out.put(" ");
                out.put(std::uint64_t{a.slot});
                if (asked.disk) out.put(a.level == 0 ? " memory" : " disk");
                break;
        }
        out.end_line();
        if (asked.online && a.what == revolve_action::kind::advance) out.flush();  // somebody waits to run the step
    }));
    out.flush();
}

auto count_reversal(arguments const& asked) -> reversal_counts {
    auto const slots = std::uint64_t{asked.snapshots} + (asked.first == initial_state::free ? 1 : 0);
    if (asked.uniform && !asked.disk &&
        binomial_bounds::least_advances(*asked.uniform, slots) == binomial_bounds::unlimited)
        throw bad_weight(fmt::format("--uniform: with {} snapshots {} steps need more advances than fit in 64 bits",
                                     asked.snapshots, *asked.uniform));
    reversal_counts found;
    found.cost = for_each_action(asked, [&](level_action const& a) {
        ++found.actions;
        found.advances += a.end - a.begin;
        found.steps += a.what == revolve_action::kind::reverse ? 1 : 0;
        if (a.what == revolve_action::kind::snapshot) ++(a.level == 0 ? found.taken : found.taken_on_disk);
    });
    return found;
}

void print_words(arguments const& asked, reversal_counts const& found, double seconds) {
    fmt::print("{} steps, {} snapshots{}: {} actions, {} advances, {} snapshots taken, ", found.steps, asked.snapshots,
               asked.first == initial_state::free ? " beside the initial state" : "", found.actions, found.advances,
               found.taken);
    if (found.cost) fmt::print("{} on disk, cost {}, ", found.taken_on_disk, *found.cost);
    fmt::print("{:.3f} CPU s\n", seconds);
}

void print_json(arguments const& asked, reversal_counts const& found, double seconds) {
    nlohmann::ordered_json all{{"steps", found.steps},     {"snapshots", asked.snapshots}, {"advances", found.advances},
                               {"actions", found.actions}, {"taken", found.taken},         {"seconds", seconds}};
    if (found.cost) all.update({{"taken_on_disk", found.taken_on_disk}, {"cost", *found.cost}});
    command_line::print_json(all);
}

}  // namespace chain_program
