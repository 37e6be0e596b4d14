// Finds offsets for a table of buffers, or for what an ONNX model computes:  allocate FILE --minimise
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/io/write_file.hpp>

#include "arguments.hpp"
#include "command_line/cpu_seconds.hpp"
#include "command_line/onnx_arguments.hpp"
#include "command_line/run_program.hpp"
#include "drawing/offsets_picture.hpp"
#include "model_buffers.hpp"
#include "report.hpp"

namespace {

using namespace repebble;
using command_line::nothing_fits;
using command_line::user_seconds;
using clock = std::chrono::steady_clock;

/// The table with every alignment a multiple of that as well.  Throws bad_file, naming the buffer.
auto aligned(io::buffer_table table, allocate::arguments const& asked) -> io::buffer_table {
    bytes all = 0;
    for (std::size_t i = 0; i < table.buffers.size(); ++i) {
        auto& b = table.buffers[i];
        auto const common = std::gcd(b.alignment, asked.alignment);
        if (__builtin_mul_overflow(b.alignment / common, asked.alignment, &b.alignment))
            throw bad_file(asked.file,
                           fmt::format("buffer {}: its alignment does not fit in 64 bits with --alignment {}",
                                       table.names[i], asked.alignment));
        if (b.pinned && *b.pinned % b.alignment != 0)
            throw bad_file(asked.file, fmt::format("buffer {}: its offset {} is no multiple of --alignment {}",
                                                   table.names[i], *b.pinned, asked.alignment));
        if (!b.alias_of &&
            (__builtin_add_overflow(all, b.size, &all) || __builtin_add_overflow(all, b.alignment, &all)))
            throw bad_file(asked.file,
                           fmt::format("buffer {}: all sizes and alignments up to its {} bytes do not fit in 64 bits",
                                       table.names[i], b.size));
    }
    return table;
}

/// Throws bad_file, naming the buffers, where two must overlap.
void check_pinned(io::buffer_table const& table, std::string const& file) {
    io::buffer_table pinned;
    std::vector<bytes> offsets;
    for (std::size_t i = 0; i < table.buffers.size(); ++i) {
        auto const& b = table.buffers[i];
        if (!b.pinned || b.alias_of) continue;
        pinned.names.push_back(table.names[i]);
        pinned.buffers.push_back(b);
        offsets.push_back(*b.pinned);
    }
    auto const fault = verify_offsets(pinned.buffers, offsets).fault;
    if (fault && fault->second)
        throw bad_file(file, fmt::format("buffers {} and {}: they overlap at the offsets that they must have",
                                         pinned.names[fault->first], pinned.names[*fault->second]));
}

auto plan_for(io::buffer_table const& table, allocate::arguments const& asked, clock::time_point begin) -> offset_plan {
    std::chrono::duration<double> const spent = clock::now() - begin;
    auto const limit =
        asked.time_limit ? std::max(0.0, *asked.time_limit - spent.count()) : std::numeric_limits<double>::infinity();
    offset_options const options{
        .capacity = asked.capacity,
        .limits = {.seconds = limit,
                   .work = asked.time_limit ? std::numeric_limits<std::size_t>::max() : offset_options::default_work,
                   .stop = command_line::interrupted}};
    try {
        return assign_offsets(table.buffers, options);
    } catch (error const& e) {
        throw bad_file(asked.file, e.what());
    }
}

auto run(allocate::arguments const& asked, clock::time_point begin) -> int {
    std::optional<command_line::before_results> nothing_yet(asked.file);
    auto const table = aligned(command_line::names_onnx(asked.file)
                                   ? allocate::buffers_of_model(asked)
                                   : io::read_buffers(asked.file, asked.reading.account(asked.time_limit)),
                               asked);
    check_pinned(table, asked.file);
    nothing_yet.reset();
    auto const plan = plan_for(table, asked, begin);
    if (command_line::interrupted()) command_line::complain("interrupted; the best plan so far:");
    auto const name = std::filesystem::path(asked.file).filename().string();
    allocate::outcome const found{name,      table.buffers.size(), asked.capacity, plan.lower_bound, plan.height,
                                  plan.proof};
    return command_line::attempt_each(
        found.fits() ? 0 : nothing_fits,
        [&] {
            if (asked.out && found.fits()) io::write_buffers(*asked.out, table, plan.offsets);
        },
        [&] {
            if (asked.svg)
                io::write_file(*asked.svg,
                               drawing::offsets_picture(table, plan.offsets,
                                                        {.title = fmt::format("{}: {} buffers", name, found.buffers),
                                                         .lower_bound = plan.lower_bound,
                                                         .capacity = asked.capacity}));
        },
        [&] {
            asked.json ? allocate::print_json(found, user_seconds()) : allocate::print_words(found, user_seconds());
        });
}

}  // namespace

int main(int argc, char** argv) {
    auto const begin = clock::now();
    return command_line::run_program("allocate", [&]() -> int {
        allocate::arguments asked;
        if (auto const status = allocate::read_arguments(argc, argv, asked)) return *status;
        return run(asked, begin);
    });
}
