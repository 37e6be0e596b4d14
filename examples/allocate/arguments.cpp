#include "arguments.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>

#include "command_line/check_files.hpp"
#include "command_line/onnx_arguments.hpp"
#include "command_line/parse_number.hpp"
#include "command_line/run_program.hpp"
#include "contents.hpp"

namespace allocate {

using namespace repebble;

namespace {

constexpr char const* examples = R"(
Examples:
  allocate lstm_buffers.csv
  allocate lstm_buffers.csv --capacity 30MiB --out placed.csv --svg placed.svg
  allocate lstm_buffers.csv --time-limit 60 --json
  allocate model.onnx --batch 8 --order least --alignment 16 --c offsets.h
  allocate model.onnx --pools sram=256KiB,dram=64MiB --c offsets.h
Exit status: 0, 2 for bad input, 3 when no plan that fits was found.)";

auto parse_bytes_of(char const* option, std::string const& text) -> bytes {
    try {
        return io::parse_bytes(text);
    } catch (error const& e) {
        throw CLI::ValidationError(option, e.what());
    }
}

auto is_letter(char c) -> bool { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
auto is_identifier(std::string_view text) -> bool {
    return !text.empty() && is_letter(text.front()) &&
           std::ranges::all_of(text, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}
auto same_letters(std::string_view a, std::string_view b) -> bool {
    return std::ranges::equal(
        a, b, {}, [](unsigned char c) { return std::tolower(c); }, [](unsigned char c) { return std::tolower(c); });
}

/// Adds the pool that NAME=SIZE says.
void add_pool(std::string const& text, std::vector<memory>& pools) {
    auto const equals = std::min(text.find('='), text.size());
    auto const name = text.substr(0, equals);
    if (equals == text.size() || !is_identifier(name))
        throw CLI::ValidationError("--pools", text + " is not NAME=SIZE, with letters, digits and _ in the name");
    if (std::ranges::any_of(pools, [&](auto const& p) { return same_letters(p.name, name); }))
        throw CLI::ValidationError("--pools", "two pools are called " + name);
    pools.push_back({name, parse_bytes_of("--pools", text.substr(equals + 1))});
}

/// A word with a dot or a slash names a schedule file.
void read_order(std::string const& word, arguments& result) {
    if (word == "file" || word == "least") {
        result.order = word == "least" ? order::least : order::file;
    } else if (word.find_first_of("./") != word.npos) {
        result.order = order::schedule;
        result.schedule_in = word;
    } else {
        throw CLI::ValidationError("--order", word + " is not file, least or the name of a schedule file");
    }
}

/// Refuses what does not go with the file.
void check_source(arguments const& asked, bool order_given) {
    if (names_graph(asked.file)) return;
    auto const refuse = [&](bool given, char const* options, char const* what) {
        if (given)
            throw CLI::ValidationError(options, std::string("are for ") + what + ", but " + asked.file + " is a table");
    };
    refuse(!asked.dimensions.empty() || asked.batch, "--dimension, --batch", "ONNX models");
    refuse(order_given, "--order, --in-place", "graphs");
    refuse(asked.copies, "--copies", "graphs, whose accesses are known");
}

}  // namespace

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    CLI::App app(
        "Finds offsets for buffers with lifetimes, or for what a graph computes, so that none overlap and the highest "
        "ends low.",
        "allocate");
    app.footer(examples);
    app.failure_message(
        [](CLI::App const*, CLI::Error const& e) { return "allocate: " + std::string(e.what()) + "\n"; });
    auto const group = [&app](char const* name) { app.option_defaults()->group(name); };
    app.add_option("file", result.file,
                   "table of buffers (.csv), graph file (.json) or ONNX model (.onnx), also packed (.gz); or a network "
                   "by name, such as resnet50")
        ->required();
    group("Graph");
    command_line::add_dimensions(app, result.dimensions);
    app.add_option("--batch", result.batch, "of an ONNX model: the first extent of its inputs; of a network its batch")
        ->check(CLI::PositiveNumber.description(""));
    auto* order_option = app.add_option_function<std::string>(
        "--order", [&](std::string const& word) { read_order(word, result); },
        "of a graph: operations run in the order of the file (file, default), in the one of least peak that a search "
        "finds (least), or as the schedule in this file says, runs again included");
    auto* in_place = app.add_flag("--in-place,!--no-in-place", result.in_place,
                                  "of a graph: operations write over what they read last, where it allows (default)");
    group("Memory");
    auto* capacity = app.add_option_function<std::string>(
        "--capacity", [&](std::string const& text) { result.capacity = parse_bytes_of("--capacity", text); },
        "stop at the first plan within so many bytes: 1MiB, 1.5 GB, 2000");
    bool minimise = true;
    auto* least = app.add_flag("--minimise,--minimize", minimise, "as low as can be (default)")->excludes(capacity);
    auto* pools = app.add_option_function<std::vector<std::string>>(
                         "--pools",
                         [&](std::vector<std::string> const& all) {
                             for (auto const& one : all) add_pool(one, result.pools);
                         },
                         "several memories instead of one block, the fastest first: sram=256KiB,dram=64MiB")
                      ->type_name("NAME=SIZE")
                      ->delimiter(',')
                      ->allow_extra_args(false)
                      ->excludes(capacity)
                      ->excludes(least);
    app.add_flag("--copies", result.copies,
                 "of a graph, with --pools: buffers may be copied from one memory to another and back")
        ->needs(pools);
    group("Search and reading");
    app.add_option_function<std::string>(
           "--time-limit",
           [&](std::string const& text) { result.time_limit = command_line::parse_seconds("--time-limit", text); },
           "go on for so many seconds, reading included (default: about a second after the first plans)")
        ->type_name("S");
    group("Memory");
    app.add_option_function<std::string>(
           "--alignment",
           [&](std::string const& text) {
               result.alignment = parse_bytes_of("--alignment", text);
               if (result.alignment < 1) throw CLI::ValidationError("--alignment", text + " is not at least 1");
           },
           "every offset is a multiple of that, beside what the table says: 256, 4KiB")
        ->type_name("A");
    group("Search and reading");
    command_line::add_read_limits(app, result.reading);
    group("Output");
    app.add_option("--out", result.out, "write the table with an offset for each buffer (packed for .gz)");
    app.add_option("--c", result.c_header, "write a C header: each tensor with its memory, offset and steps");
    app.add_option("--svg", result.svg, "draw the plan: time against address");
    app.add_flag("--json", result.json, "print JSON instead of words");
    try {
        app.parse(argc, argv);
        check_source(result, order_option->count() + in_place->count() > 0);
        if (result.copies && result.c_header)
            throw CLI::ValidationError("--c", "a header has one place for each tensor, and --copies gives several");
        if (result.order == order::schedule && in_place->count() > 0)
            throw CLI::ValidationError("--in-place", "what is in place is said by the schedule " + result.schedule_in);
        std::optional<std::string> schedule;
        if (result.order == order::schedule) schedule = result.schedule_in;
        command_line::check_files({{"the table", result.file}, {"--order", schedule}},
                                  {{"--out", result.out}, {"--c", result.c_header}, {"--svg", result.svg}});
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace allocate
