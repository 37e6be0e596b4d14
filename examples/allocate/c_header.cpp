#include "c_header.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include <repebble/graph/error.hpp>

namespace allocate {

using namespace repebble;

namespace {

auto is_letter_or_digit(char c) -> bool {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

auto identifier(std::string_view file) -> std::string {
    std::string name(file.substr(0, file.find('.')));
    for (auto& c : name)
        if (!is_letter_or_digit(c)) c = '_';
    return name.empty() || !std::isalpha(static_cast<unsigned char>(name.front())) ? "graph_" + name : name;
}

auto upper(std::string text) -> std::string {
    for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

/// A literal. What is not plain ASCII is escaped, and so are question marks, of which two begin a trigraph.
auto literal(std::string_view text) -> std::string {
    std::string all = "\"";
    for (char const c : text) {
        bool const plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
        all += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return all + '"';
}

auto number(std::int64_t n) -> std::string {
    return n == std::numeric_limits<std::int64_t>::min() ? fmt::format("{} - 1", n + 1) : fmt::format("{}", n);
}

/// The alignment of a pool: its begin must be a multiple of that.
auto alignment_of(io::buffer_table const& table) -> bytes {
    bytes all = 1;
    for (auto const& b : table.buffers)
        if (__builtin_mul_overflow(all / std::gcd(all, b.alignment), b.alignment, &all))
            throw bad_buffer("--c: the alignments of all buffers have no common multiple of 64 bits");
    return all;
}

auto row_of(tensor_row const& row, placement const& at) -> std::string {
    auto const pool = row.buffer ? fmt::format("{}", at.pool_of[*row.buffer]) : "-1";
    auto const offset = row.buffer ? at.offsets[*row.buffer] : 0;
    return fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}}},\n", literal(row.name), literal(row.id), pool, offset,
                       row.size, row.storage, number(row.first), number(row.last));
}

/// The steps of a graph, or of a table those up to its last end.
auto step_count(contents const& placed) -> std::int64_t {
    if (!placed.steps.empty()) return static_cast<std::int64_t>(placed.steps.size());
    std::int64_t count = 0;
    for (auto const& row : placed.rows) count = std::max(count, row.last + 1);
    return count;
}

}  // namespace

auto c_header(std::string const& file, contents const& placed, placement const& at) -> std::string {
    auto const name = identifier(file), macro = upper(name);
    std::string text = fmt::format(
        "/* Where each tensor lies in memory. Made by the program allocate of repebble. */\n"
        "#ifndef {0}_OFFSETS_H\n#define {0}_OFFSETS_H\n\n#include <stddef.h>\n\n"
        "#define {0}_ALIGNMENT {1} /* of the begin of each pool */\n",
        macro, alignment_of(placed.table));
    for (std::size_t p = 0; p < at.pools.size(); ++p)
        text += fmt::format("#define {}_{}_SIZE {} /* bytes of pool {} */\n", macro, upper(at.pools[p].of.name),
                            at.pools[p].height, p);
    text += fmt::format("#define {0}_POOL_COUNT {1}\n#define {0}_TENSOR_COUNT {2}\n#define {0}_STEP_COUNT {3}\n\n",
                        macro, at.pools.size(), placed.rows.size(), step_count(placed));
    text += fmt::format(R"(struct {0}_tensor {{
    const char *name;
    const char *id;  /* in tables of buffers and schedule files */
    int pool;        /* -1: it lies in the caller's memory */
    size_t offset;   /* in the pool, of the storage; 0 in the caller's memory */
    size_t size;     /* bytes */
    int storage;     /* tensors with the same number share bytes: views, and what is written in place */
    long long first; /* step that makes it; -1: it is there before */
    long long last;  /* last step that reads it; {1}_STEP_COUNT: it stays */
}};

/* In the order in which they are made; behind them a row without a name. */
static const struct {0}_tensor {0}_tensors[] = {{
)",
                        name, macro);
    for (auto const& row : placed.rows) text += row_of(row, at);
    text += "    {0, 0, 0, 0, 0, 0, 0, 0},\n};\n";
    text += fmt::format(
        "\n/* The operations in the order in which they run; behind them 0. */\n"
        "static const char *const {}_steps[] = {{\n",
        name);
    for (auto const& step : placed.steps) text += fmt::format("    {},\n", literal(step));
    return text + fmt::format("    0,\n}};\n\n#endif /* {}_OFFSETS_H */\n", macro);
}

}  // namespace allocate
