#ifndef REPEBBLE_IO_JSON_SCHEDULE_HPP
#define REPEBBLE_IO_JSON_SCHEDULE_HPP

// Schedules as JSON, in terms of the forward graph, with every field that the judge checks: for runtimes outside this
// library.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/io/detail/json_reader.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::io {

/// A schedule of a network in terms of its forward graph.
using training_schedule = schedule<training_vertex<std::uint32_t>>;

/// The header of a schedule file: names for its reader; none of them is checked.
struct schedule_header {
    std::string graph{};                              ///< the graph's name
    std::string convention{};                         ///< the convention by which the training graph was made
    std::string strategy{};                           ///< the strategy that made the schedule
    nlohmann::json extra = nlohmann::json::object();  ///< all other fields of the file, by name

    friend auto operator==(schedule_header const&, schedule_header const&) -> bool = default;
};

/// A value in a schedule: output `output` of `vertex`, as it was computed for the `repetition`-th time from 0.
struct schedule_value {
    training_vertex<std::uint32_t> vertex{};  ///< who computes it
    std::uint32_t output = 0;                 ///< its number
    std::uint32_t repetition = 0;             ///< earlier computations of it

    friend auto operator==(schedule_value const&, schedule_value const&) -> bool = default;
};

/// What the steps of a schedule read, and what it leaves: for who emits code and does not have the graph.
struct schedule_reads {
    std::vector<std::vector<schedule_value>> operands{};  ///< of every step, in their order; of none where it is empty
    std::vector<schedule_value> results{};                ///< resident at the end

    friend auto operator==(schedule_reads const&, schedule_reads const&) -> bool = default;
};

/// The content of a schedule file.
struct schedule_document {
    schedule_header header{};      ///< what the file says of the schedule
    training_schedule schedule{};  ///< its steps
    schedule_reads reads{};        ///< what they read, where the file says it

    friend auto operator==(schedule_document const&, schedule_document const&) -> bool = default;
};

namespace detail {

/// The enumerator whose name is in `names` at its position.
template <class Enum, std::size_t N>
[[nodiscard]] auto named(json_reader const& in, nlohmann::json const& value, std::array<char const*, N> const& names,
                         char const* what) -> Enum {
    auto const& name = in.text(value, what);
    for (std::size_t i = 0; i < N; ++i)
        if (name == names[i]) return static_cast<Enum>(i);
    in.fail("unknown " + std::string(what) + " " + shown(value));
}

[[nodiscard]] auto to_json(std::span<schedule_value const> values) -> nlohmann::json;

}  // namespace detail

/// Parses a schedule from JSON:
///   {"format": "repebble-schedule", "version": 1, "graph": "…", "convention": "…", "strategy": "…", "steps": [
///   ["compute", vertex, pass, repetition],
///   ["discard", vertex, pass, output, repetition],   likewise "offload" and "prefetch"
///   …]}
/// `pass` is "forward", "backward", "accumulate" or "parameter", `repetition` as in `step`: the file has every field
/// that the judge checks. A step may end with an object: {"part": k}, the number of the addition or parameter; {"from":
/// "host"}, a discard from the host pool; {"in_place": output, "over": [vertex, pass, output, part]}, a computation
/// that writes its output over another's; {"operands": [[vertex, pass, output, repetition], …]}, what a computation
/// reads, in the order of its arguments, with the part behind where it is not 0. The field "results" is such a list,
/// too. Version 1 has neither. Unknown fields beside "steps" are kept; "graph", "convention" and "strategy" may be
/// missing. In steps that are not in place, the member `over` is the step's own vertex, as `map_vertices` leaves it.
/// O(characters) time.  Throws bad_file, naming `source` and the step, or line and byte, where the text has another
/// form; limit_reached where the account is spent.
[[nodiscard]] auto parse_schedule(std::string_view text, std::string const& source = "schedule",
                                  read_account account = read_account()) -> schedule_document;

/// The schedule in a file, which may be gzip data.  Throws as `read_file` and `parse_schedule` do.
[[nodiscard]] inline auto read_schedule(std::filesystem::path const& path, read_account account = read_account())
    -> schedule_document {
    return parse_schedule(read_file(path, account), path.string(), account);
}

/// What the steps of a schedule read, in the order of the operands, and the results that it leaves, in terms of the
/// forward graph.  O(steps + operands).  Requires: the schedule is one of the training graph.
[[nodiscard]] auto find_reads(schedule<> const& of, training_graph const& training) -> schedule_reads;

/// The text that `parse_schedule` reads, one step per line. Unused members of a step are not written; of version 1
/// where no `reads` are given.
/// O(steps + operands).  Throws bad_file where a name in the header is not UTF-8, or an extra field has the name of
/// another.  Requires: operands of every step or of none.
[[nodiscard]] auto to_text(schedule_header const& header, training_schedule const& schedule,
                           schedule_reads const& reads = {}) -> std::string;

/// Writes a schedule file.  Throws as `to_text` does, and bad_file where the file cannot be written.
inline void write_schedule(std::filesystem::path const& path, schedule_header const& header,
                           training_schedule const& schedule, schedule_reads const& reads = {}) {
    write_file(path, to_text(header, schedule, reads));
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/json_schedule.ipp>
#endif

#endif
