#ifndef ALLOCATE_CONTENTS_HPP
#define ALLOCATE_CONTENTS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/allocate/pool_plan.hpp>
#include <repebble/io/buffer_table.hpp>

#include "arguments.hpp"
#include "plan/arenas.hpp"

namespace allocate {

/// A row of the table by tensor. Positions count the operations that run.
struct tensor_row {
    std::string name;                   ///< the graph's: of an ONNX model that of the value
    std::string id;                     ///< the buffer table's
    std::optional<std::size_t> buffer;  ///< in the table; nothing: it lies in the caller's memory
    std::size_t storage = 0;            ///< rows with the same number share bytes
    repebble::bytes size = 0;
    std::int64_t first = 0;  ///< position that makes it; -1: it is there before
    std::int64_t last = 0;   ///< last position that reads it; the number of positions: it stays
};

/// Buffers to place, and the tensors in them.
struct contents {
    repebble::io::buffer_table table{};
    std::vector<std::vector<repebble::pool_access>>
        accesses{};                       ///< of a graph's buffers: what operations write and read
    std::vector<plan::tensor> tensors{};  ///< of a graph: what lies in the buffers of the table
    std::vector<tensor_row> rows{};       ///< all tensors of a graph, those in the caller's memory too
    std::vector<std::string> steps{};     ///< names of a graph's operations, in the order in which they run
};

/// True of a word that names a graph file, an ONNX model or a network, and not a table.
[[nodiscard]] auto names_graph(std::string const& file) -> bool;

/// Reads the table, or makes it of a graph: each operation runs once, in the order that is asked for, and each value
/// stays until its last use, in the memory of what is read where that is asked for and allowed. Inputs and results are
/// the caller's, and not in the table.  Throws repebble::error, naming the file.
[[nodiscard]] auto contents_of(arguments const& asked) -> contents;

}  // namespace allocate

#endif
