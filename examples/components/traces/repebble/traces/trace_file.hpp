#ifndef REPEBBLE_TRACES_TRACE_FILE_HPP
#define REPEBBLE_TRACES_TRACE_FILE_HPP

// Traces of iterations as JSON lines: one object for each malloc, free, read and write, with marks between iterations.
// The reader takes one iteration out of a file; the writer writes files that it reads back to the same trace.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/io/detail/json_reader.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/traces/trace.hpp>

namespace repebble::inline v0::io {

/// One iteration of a trace file.
struct trace_document {
    std::string name{};                  ///< of the trace; empty where the file has none
    std::string convention{};            ///< by which the training graph of `vertices` was made, where the file says it
    repebble::trace trace{};             ///< times in nanoseconds since the mark
    std::vector<std::string> kernels{};  ///< of every computation; empty strings where the file has none
    std::vector<std::int64_t> buffers{};  ///< of every variable: its number in the file, ascending
    /// Of every computation: the operation of a training graph that it is; empty where the file does not say it.
    std::vector<training_vertex<std::uint32_t>> vertices{};

    friend auto operator==(trace_document const&, trace_document const&) -> bool = default;
};

/// The last iteration of a file.
inline constexpr std::size_t last_iteration = std::numeric_limits<std::size_t>::max();

namespace detail {

class trace_lines {
  public:
    trace_lines(std::string_view text, read_account const& account, std::size_t iteration)
        : text_(text), account_(account), source_(account.source()), iteration_(iteration) {}

    [[nodiscard]] auto read() && -> trace_document;

  private:
    struct buffer {
        bytes size = 0;
        bool has_memory = false, is_used = false;  // used: part of the iteration
    };

    template <class F>
    void for_each_line(F const& take_line) {
        line_ = 0;
        for (std::size_t at = 0; at < text_.size();) {
            auto const end = std::min(text_.find('\n', at), text_.size());
            ++line_;
            auto const line = text_.substr(at, end - at);
            at = end + 1;
            if (line.find_first_not_of(" \t\r") == line.npos) continue;
            auto const where = "line " + std::to_string(line_);
            account_.spend(1 + line.size(), row_bytes, [&] { return where; });
            auto const left = account_.memory_left();
            auto const object = detail::parse_json(line, source_ + ": " + where, account_);
            account_.free_until(left);
            json_reader const in{source_, where};
            if (!object.is_object()) in.fail("must be an object, not " + shown(object));
            take_line(object, in);
        }
    }
    [[nodiscard]] static auto field(nlohmann::json const& line, json_reader const& in, char const* name)
        -> nlohmann::json const&;
    [[nodiscard]] static auto natural(nlohmann::json const& line, json_reader const& in, char const* name)
        -> std::int64_t;
    void count_marks(nlohmann::json const& line, json_reader const& in);
    void take(nlohmann::json const& line, json_reader const& in);
    /// Buffers with memory at the mark belong to the iteration.
    void begin_iteration() {
        for (auto& [number, b] : buffers_) b.is_used = b.has_memory;
    }
    /// Rows of one kernel are one computation, up to the next read after a write; where they say their run, of one run.
    [[nodiscard]] auto computation_of(nlohmann::json const& line, json_reader const& in, trace_action what)
        -> computation_index;
    [[nodiscard]] static auto vertex_of(nlohmann::json const& value, json_reader const& in)
        -> training_vertex<std::uint32_t>;
    /// All computations name their vertex, or none does.
    void check_vertices(json_reader const& in) const;
    [[nodiscard]] auto finish() -> trace_document;

    static constexpr std::size_t row_bytes = 512;  // of what is kept of a line
    static constexpr std::array actions{trace_action::malloc, trace_action::free, trace_action::read,
                                        trace_action::write};

    std::string_view text_;
    read_account const& account_;
    std::string const& source_;
    std::size_t iteration_;
    std::size_t line_ = 0, marks_passed_ = 0;
    std::vector<std::int64_t> marks_{};
    std::optional<std::int64_t> duration_{};
    std::int64_t first_time_ = -1, last_time_ = -1, begin_ = 0, run_ = -1;
    bool wrote_ = false;
    std::map<std::int64_t, buffer> buffers_{};
    std::vector<std::int64_t> buffer_of_row_{};
    trace_document out_{};
};

}  // namespace detail

/// Parses one iteration of a trace from JSON lines:
///   {"op": "header", "name": …, "unit": "ns", "duration": …, "convention": …}
///   {"t": …, "op": "malloc" | "free" | "read" | "write", "buf": …, "bytes": …, "kernel": …}
///   {"t": …, "op": "mark", "name": …}
/// Times are nanoseconds and ascend. Each mark begins an iteration, which ends at the next mark, or after the header's
/// `duration`, or at the last line; a file without marks is one iteration. Buffers with memory at the mark are
/// variables that have it from the beginning. Successive reads and writes of one kernel are a computation, up to the
/// next read after a write, or those with the same number `run`; in its first line a computation may say its
/// `workspace`, whether it is `recomputable` (kernels of random numbers are not), and, if all do, its `vertex`:
/// [number, pass], with the part behind, as schedule files name operations. A buffer is as large as its malloc says.
/// Other fields are ignored.  O(characters).  Throws bad_file, naming `source` and the line and its field, or the row,
/// where the text is not such lines or the iteration is not there; limit_reached where the account is spent.
[[nodiscard]] inline auto parse_trace(std::string_view text, std::string const& source = "trace",
                                      std::size_t iteration = last_iteration, read_account account = read_account())
    -> trace_document {
    account.open(source, text.size());
    return detail::trace_lines(text, account, iteration).read();
}

/// The trace in a file of JSON lines, which may be gzip data.  Throws as `read_file` and `parse_trace` do.
[[nodiscard]] inline auto read_trace(std::filesystem::path const& path, std::size_t iteration = last_iteration,
                                     read_account account = read_account()) -> trace_document {
    return parse_trace(read_file(path, account), path.string(), iteration, account);
}

/// A trace as JSON lines, which `parse_trace` reads back to the same.  O(rows).  Throws bad_trace where it is none.
[[nodiscard]] auto trace_text(trace_document const& d) -> std::string;

/// Writes a trace to a file, as gzip data where its name ends in .gz.  Throws as `trace_text` and `write_file` do.
inline void write_trace(std::filesystem::path const& path, trace_document const& d) { write_file(path, trace_text(d)); }

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/trace_file.ipp>
#endif

#endif
