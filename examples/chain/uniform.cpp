#include "uniform.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>

namespace chain_program {

using namespace repebble;

namespace {

auto reversal(arguments const& asked) -> revolve_schedule {
    return revolve(*asked.uniform, asked.snapshots, asked.first);
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
    for (auto const& a : reversal(asked)) {
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
                break;
        }
        out.end_line();
    }
    out.flush();
}

auto count_reversal(arguments const& asked) -> reversal_counts {
    auto const slots = std::uint64_t{asked.snapshots} + (asked.first == initial_state::free ? 1 : 0);
    if (binomial_bounds::least_advances(*asked.uniform, slots) == binomial_bounds::unlimited)
        throw bad_weight(fmt::format("--uniform: with {} snapshots {} steps need more advances than fit in 64 bits",
                                     asked.snapshots, *asked.uniform));
    reversal_counts found;
    for (auto const& a : reversal(asked)) {
        ++found.actions;
        found.advances += a.end - a.begin;
        if (a.what == revolve_action::kind::snapshot) ++found.taken;
    }
    return found;
}

void print_words(arguments const& asked, reversal_counts const& found, double seconds) {
    fmt::print("{} steps, {} snapshots{}: {} actions, {} advances, {} snapshots taken, {:.3f} CPU s\n", *asked.uniform,
               asked.snapshots, asked.first == initial_state::free ? " beside the initial state" : "", found.actions,
               found.advances, found.taken, seconds);
}

void print_json(arguments const& asked, reversal_counts const& found, double seconds) {
    nlohmann::ordered_json const all{{"steps", *asked.uniform},    {"snapshots", asked.snapshots},
                                     {"advances", found.advances}, {"actions", found.actions},
                                     {"taken", found.taken},       {"seconds", seconds}};
    fmt::print("{}\n", all.dump());
}

}  // namespace chain_program
