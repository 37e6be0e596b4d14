#include "arguments.hpp"

#include <string>

#include <CLI/CLI.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>

#include "command_line/check_files.hpp"
#include "command_line/onnx_arguments.hpp"
#include "command_line/parse_number.hpp"
#include "command_line/run_program.hpp"

namespace allocate {

using namespace repebble;

namespace {

constexpr char const* examples = R"(
Examples:
  allocate lstm_buffers.csv --minimise
  allocate lstm_buffers.csv --capacity 30MiB --out placed.csv --svg placed.svg
  allocate lstm_buffers.csv --minimise --time-limit 60 --json
  allocate model.onnx --batch 8
Exit status: 0, 2 for bad input, 3 when no plan that fits was found.)";

auto parse_bytes_of(char const* option, std::string const& text) -> bytes {
    try {
        return io::parse_bytes(text);
    } catch (error const& e) {
        throw CLI::ValidationError(option, e.what());
    }
}

}  // namespace

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    CLI::App app("Finds offsets for buffers with lifetimes, so that none overlap and the highest ends low.",
                 "allocate");
    app.footer(examples);
    app.failure_message(
        [](CLI::App const*, CLI::Error const& e) { return "allocate: " + std::string(e.what()) + "\n"; });
    bool minimise = false;
    app.add_option("file", result.file, "table of buffers (.csv), or ONNX model (.onnx); also packed (.gz)")
        ->required();
    command_line::add_dimensions(app, result.dimensions);
    app.add_option("--batch", result.batch, "of an ONNX model: the first extent of its inputs")
        ->check(CLI::PositiveNumber.description(""));
    auto* capacity = app.add_option_function<std::string>(
        "--capacity", [&](std::string const& text) { result.capacity = parse_bytes_of("--capacity", text); },
        "stop at the first plan within so many bytes: 1MiB, 1.5 GB, 2000");
    auto* least = app.add_flag("--minimise,--minimize", minimise, "as low as can be")->excludes(capacity);
    app.add_option_function<std::string>(
           "--time-limit",
           [&](std::string const& text) { result.time_limit = command_line::parse_seconds("--time-limit", text); },
           "go on for so many seconds, reading included (default: about a second after the first plans)")
        ->type_name("S");
    app.add_option_function<std::string>(
           "--alignment",
           [&](std::string const& text) {
               result.alignment = parse_bytes_of("--alignment", text);
               if (result.alignment < 1) throw CLI::ValidationError("--alignment", text + " is not at least 1");
           },
           "every offset is a multiple of that, beside what the table says: 256, 4KiB")
        ->type_name("A");
    command_line::add_read_limits(app, result.reading);
    app.add_option("--out", result.out, "write the table with an offset for each buffer (packed for .gz)");
    app.add_option("--svg", result.svg, "draw the plan: time against address");
    app.add_flag("--json", result.json, "print JSON instead of words");
    try {
        app.parse(argc, argv);
        bool const onnx = command_line::names_onnx(result.file);
        if (!onnx && (!result.dimensions.empty() || result.batch))
            throw CLI::ValidationError("--dimension, --batch",
                                       "are for ONNX models, but " + result.file + " is a table");
        if (!onnx && capacity->count() + least->count() == 0)
            throw CLI::RequiredError("one of --capacity and --minimise");
        command_line::check_files({{"the table", result.file}}, {{"--out", result.out}, {"--svg", result.svg}});
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace allocate
