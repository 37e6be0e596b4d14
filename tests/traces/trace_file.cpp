// Covers traces/trace_file.hpp.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <rapidcheck.h>

#include <repebble/traces/trace_file.hpp>
#include <repebble/traces/swap_problem.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"
#include "traces/hand_traces.hpp"

using namespace repebble;

namespace {

/// A parameter, and two iterations, in the second of which a buffer of the first is freed.
constexpr char const* two_iterations = R"({"op":"header","name":"tiny","unit":"ns"}
{"t":1,"op":"malloc","buf":7,"bytes":100,"role":"param"}
{"t":10,"op":"mark","name":"step0"}
{"t":12,"op":"read","buf":7,"bytes":100,"kernel":"mul"}
{"t":13,"op":"malloc","buf":8,"bytes":50}
{"t":15,"op":"write","buf":8,"bytes":50,"kernel":"mul"}
{"t":16,"op":"read","buf":8,"bytes":50,"kernel":"mul"}
{"t":20,"op":"mark","name":"step1"}
{"t":23,"op":"free","buf":8,"bytes":50}
{"t":24,"op":"malloc","buf":9,"bytes":0}
{"t":25,"op":"read","buf":7,"bytes":100,"kernel":"dropout"}
{"t":26,"op":"write","buf":9,"bytes":0,"kernel":"dropout"}
)";

auto spoilt(std::string_view what, std::string const& instead) -> std::string {
    std::string text = two_iterations;
    auto const at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), instead);
}
auto refused_trace(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_trace(text, "t.jsonl"); }, words) &&
           support::throws<bad_file>([&] { return io::parse_trace(text, "t.jsonl"); }, {"t.jsonl: "});
}

}  // namespace

TEST_CASE("a trace file: an iteration lies between two marks", "[io][trace_file]") {
    auto const first = io::parse_trace(two_iterations, "t", 0);
    CHECK(first.name == "tiny");
    CHECK(first.buffers == std::vector<std::int64_t>{7, 8});
    CHECK(first.trace.sizes == std::vector<bytes>{100, 50});
    CHECK(first.trace.duration == 10);
    REQUIRE(first.trace.rows.size() == 4);
    CHECK(first.trace.rows[0] == trace_row{2, trace_action::read, 0, 0});
    CHECK(first.trace.rows[1] == trace_row{3, trace_action::malloc, 1});
    CHECK(first.trace.rows[2] == trace_row{5, trace_action::write, 1, 0});
    CHECK(first.trace.rows[3] == trace_row{6, trace_action::read, 1, 1});  // a read after a write: the next one
    CHECK(first.kernels == std::vector<std::string>{"mul", "mul"});
    auto const last = io::parse_trace(two_iterations);
    CHECK(last.buffers == std::vector<std::int64_t>{7, 8, 9});
    CHECK(last.trace.duration == 6);
    CHECK(last.trace.rows[0] == trace_row{3, trace_action::free, 1});
    CHECK(!last.trace.computations[0].recomputable);  // random numbers
    CHECK(peak_of(last.trace) == 100);
}

TEST_CASE("a wrong trace file is refused, and the message names line and field", "[io][trace_file]") {
    CHECK(refused_trace(spoilt("\"buf\":8", "\"b\":8"), {"line 5", "'buf'"}));
    CHECK(refused_trace(spoilt("\"free\",\"buf\":8,\"bytes\":50", "\"free\",\"buf\":8,\"bytes\":51"),
                        {"line 9", "bytes", "51"}));
    CHECK(refused_trace(spoilt("\"t\":13", "\"t\":11"), {"line 5", "t is 11"}));
    CHECK(refused_trace(spoilt("\"t\":13", "\"t\":-1"), {"line 5", "negative"}));
    CHECK(refused_trace(spoilt("\"t\":13", "\"t\":1.5"), {"line 5", "integer"}));
    CHECK(refused_trace(spoilt("\"op\":\"malloc\",\"buf\":8", "\"op\":\"new\",\"buf\":8"), {"line 5", "op", "new"}));
    CHECK(refused_trace(spoilt("\"free\",\"buf\":8", "\"malloc\",\"buf\":8"), {"line 9", "has memory"}));
    CHECK(refused_trace(spoilt("\"read\",\"buf\":8", "\"read\",\"buf\":9"), {"line 7", "buf 9", "no memory"}));
    CHECK(refused_trace(spoilt("\"unit\":\"ns\"", "\"unit\":\"ms\""), {"line 1", "unit"}));
    CHECK(refused_trace(spoilt("{\"t\":20", "[\"t\":20"), {"line 8", "not JSON"}));
    CHECK(refused_trace(std::string(two_iterations) + "[]\n", {"line 13", "object"}));
    CHECK(support::throws<bad_file>([&] { return io::parse_trace(two_iterations, "t", 2); }, {"no iteration 2", "2"}));
}

TEST_CASE("a trace is read back as it was written, also packed", "[io][trace_file][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        io::trace_document d{.name = "random", .trace = support::random_trace(random, 8)};
        auto const back = io::parse_trace(io::trace_text(d));
        RC_ASSERT(back.trace == d.trace);
        RC_ASSERT(back.name == d.name);
    }));
    repebble::testing::temporary_folder const folder;
    io::trace_document const d{.name = "figure 4", .trace = support::figure_4()};
    for (auto const* name : {"t.jsonl", "t.jsonl.gz"}) {
        io::write_trace(folder / name, d);
        CHECK(io::read_trace(folder / name).trace == d.trace);
    }
}

TEST_CASE("traces of PyTorch's training are read, and have reuse intervals", "[io][trace_file]") {
    for (auto const* name : {"cnn_cifar_b64", "gpt_mini_4x64_b4", "resnet18_cifar_b32"}) {
        auto const path = support::data_file("own/traces/" + std::string(name) + ".jsonl");
        if (!path) SKIP("no ../shared/data");
        auto const whole = io::read_trace(*path, 1);
        CHECK(whole.name == name);
        swap_problem const p(whole.trace);
        CHECK(p.peak() > 2 * p.persistent());
        CHECK(std::ranges::any_of(p.intervals(), &reuse_interval::is_removable));
        CHECK(std::ranges::any_of(p.intervals(), &reuse_interval::wraps));
        CHECK_NOTHROW(io::read_trace(*path, 0));
    }
}
