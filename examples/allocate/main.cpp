// Finds offsets for a table of buffers, or for what a graph computes:  allocate FILE
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/io/write_file.hpp>

#include "arguments.hpp"
#include "c_header.hpp"
#include "command_line/cpu_seconds.hpp"
#include "command_line/naming.hpp"
#include "command_line/run_program.hpp"
#include "contents.hpp"
#include "drawing/offsets_picture.hpp"
#include "plan/arenas.hpp"
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

auto options_for(allocate::arguments const& asked, clock::time_point begin) -> offset_options {
    std::chrono::duration<double> const spent = clock::now() - begin;
    auto const limit =
        asked.time_limit ? std::max(0.0, *asked.time_limit - spent.count()) : std::numeric_limits<double>::infinity();
    return {
        .capacity = asked.capacity,
        .limits = {.seconds = limit,
                   .work = asked.time_limit ? std::numeric_limits<std::size_t>::max() : offset_options::default_work,
                   .stop = command_line::interrupted}};
}

auto shown_name(std::string const& file) -> std::string { return std::filesystem::path(file).filename().string(); }

/// Of each buffer the pool that the table names.  Throws bad_file, naming the buffer, where nobody says how large it
/// is.
auto required_pools(io::buffer_table const& table, allocate::arguments const& asked)
    -> std::vector<std::optional<std::size_t>> {
    std::vector<std::optional<std::size_t>> required(table.pools.size());
    for (std::size_t i = 0; i < required.size(); ++i) {
        if (table.pools[i].empty()) continue;
        auto const at = std::ranges::find(asked.pools, table.pools[i], &allocate::memory::name);
        if (at == asked.pools.end())
            throw bad_file(asked.file,
                           fmt::format("buffer {}: it must lie in the pool {}, of which --pools does not say "
                                       "the size",
                                       table.names[i], table.pools[i]));
        required[i] = static_cast<std::size_t>(at - asked.pools.begin());
    }
    return required;
}

/// Pools one above the other, as the picture shows them.  Throws repebble::error where that does not fit in 64 bits.
auto stacked(allocate::placement const& at) -> std::vector<bytes> {
    std::vector<bytes> base;
    bytes below = 0;
    for (auto const& pool : at.pools) {
        base.push_back(below);
        if (__builtin_add_overflow(below, pool.height, &below))
            throw bad_weight("--svg: the pools together do not fit in 64 bits");
    }
    auto offsets = at.offsets;
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] += base[at.pool_of[i]];
    return offsets;
}

void write_table(std::string const& path, allocate::arguments const& asked, allocate::contents const& from,
                 allocate::placement const& at) {
    auto table = from.table;
    auto offsets = at.offsets;
    plan::add_aliases(table, offsets, from.tensors);
    if (!asked.pools.empty()) {
        table.pools.clear();
        for (auto const& b : table.buffers)
            table.pools.push_back(asked.pools[at.pool_of[b.alias_of ? *b.alias_of : table.pools.size()]].name);
    }
    io::write_buffers(path, table, offsets);
}

/// Writes and prints all that is asked for. Returns the exit status.
template <class Outcome>
auto tell(allocate::arguments const& asked, allocate::contents const& from, allocate::placement const& at,
          Outcome const& found, bool fits, bool drawn, drawing::offsets_picture_options const& levels) -> int {
    if (command_line::interrupted()) command_line::complain("interrupted; the best plan so far:");
    return command_line::attempt_each(
        fits ? 0 : nothing_fits,
        [&] {
            if (asked.out && fits) write_table(*asked.out, asked, from, at);
        },
        [&] {
            if (asked.c_header && fits) io::write_file(*asked.c_header, allocate::c_header(found.file, from, at));
        },
        [&] {
            if (asked.svg && drawn)
                io::write_file(*asked.svg, drawing::offsets_picture(from.table, stacked(at), levels));
        },
        [&] {
            asked.json ? allocate::print_json(found, user_seconds()) : allocate::print_words(found, user_seconds());
        });
}

auto run_in_one(allocate::arguments const& asked, allocate::contents const& from, offset_options const& options)
    -> int {
    auto const plan = command_line::naming(asked.file, [&] { return assign_offsets(from.table.buffers, options); });
    auto const count = from.table.buffers.size();
    allocate::outcome const found{shown_name(asked.file), count,       asked.capacity,
                                  plan.lower_bound,       plan.height, plan.proof};
    allocate::placement const at{{{{"arena"}, plan.height, count}}, std::vector<std::size_t>(count, 0), plan.offsets};
    return tell(asked, from, at, found, found.fits(), true,
                {.title = fmt::format("{}: {} buffers", found.file, count),
                 .lower_bound = plan.lower_bound,
                 .capacity = asked.capacity});
}

/// The bytes that are moved of each buffer of a graph; none of a table's.
auto traffic_of(allocate::contents const& from) -> std::vector<std::int64_t> {
    std::vector<std::int64_t> traffic(from.accesses.size(), 0);
    for (std::size_t i = 0; i < traffic.size(); ++i)
        for (auto const& a : from.accesses[i]) traffic[i] = checked_add(traffic[i], a.traffic, "traffic");
    return traffic;
}

/// The table with a buffer for each stay, and where these lie.
auto stays_of(allocate::contents const& from, pool_plan const& plan, allocate::placement& at) -> allocate::contents {
    allocate::contents stays;
    at.pool_of.clear();
    at.offsets.clear();
    for (std::size_t i = 0; i < plan.stays.size(); ++i)
        for (auto const& stay : plan.stays[i]) {
            auto const& name = from.table.names[i];
            bool const is_first = &stay == &plan.stays[i].front();
            stays.table.names.push_back(is_first ? name : fmt::format("{} from {}", name, stay.lifetime.lower));
            stays.table.buffers.push_back(from.table.buffers[i]);
            stays.table.buffers.back().lifetime = stay.lifetime;
            at.pool_of.push_back(stay.pool);
            at.offsets.push_back(stay.offset);
        }
    return stays;
}

auto copies_of(allocate::contents const& from, pool_plan const& plan) -> std::vector<allocate::copy> {
    std::vector<allocate::copy> copies;
    for (auto const& [time, buffer, stay] : plan.copies)
        copies.push_back({time, from.table.names[buffer], from.table.buffers[buffer].size,
                          plan.stays[buffer][stay].pool, plan.stays[buffer][stay + 1].pool});
    return copies;
}

auto run_in_pools(allocate::arguments const& asked, allocate::contents const& from, offset_options const& options)
    -> int {
    auto const required = required_pools(from.table, asked);
    std::vector<bytes> capacities;
    allocate::pools_outcome found{.file = shown_name(asked.file), .buffers = from.table.buffers.size(), .pools = {}};
    for (auto const& pool : asked.pools) {
        capacities.push_back(*pool.capacity);
        found.pools.push_back({pool});
    }
    auto const result = command_line::naming(asked.file, [&] {
        auto const traffic = traffic_of(from);
        pool_options pools{.required = required, .offsets = options};
        if (asked.copies)
            pools.accesses = from.accesses;
        else
            pools.traffic = traffic;
        return assign_pools(from.table.buffers, capacities, pools);
    });
    found.fits = result.plan.has_value();
    found.none_exists = result.none_exists;
    allocate::placement at;
    std::optional<allocate::contents> stays;
    if (result.plan) {
        for (std::size_t p = 0; p < found.pools.size(); ++p) found.pools[p].height = result.plan->heights[p];
        at = {{}, result.plan->pool_of, result.plan->offsets};
        if (asked.copies) {
            stays = stays_of(from, *result.plan, at);
            found.copies = copies_of(from, *result.plan);
        }
        for (auto const p : at.pool_of) ++found.pools[p].buffers;
        at.pools = found.pools;
        if (!from.accesses.empty()) found.traffic = result.traffic;
        found.traffic_bound = result.traffic_bound;
    }
    std::string title = found.file + ": from below";
    for (auto const& pool : asked.pools) title += " " + pool.name;
    return tell(asked, stays ? *stays : from, at, found, found.fits, found.fits, {.title = title});
}

auto run(allocate::arguments const& asked, clock::time_point begin) -> int {
    std::optional<command_line::before_results> nothing_yet(asked.file);
    auto from = allocate::contents_of(asked);
    from.table = aligned(std::move(from.table), asked);
    if (asked.pools.empty()) {
        static_cast<void>(required_pools(from.table, asked));
        check_pinned(from.table, asked.file);
    }
    nothing_yet.reset();
    auto const options = options_for(asked, begin);
    return asked.pools.empty() ? run_in_one(asked, from, options) : run_in_pools(asked, from, options);
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
