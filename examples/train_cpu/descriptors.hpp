#ifndef TRAIN_CPU_DESCRIPTORS_HPP
#define TRAIN_CPU_DESCRIPTORS_HPP

#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include <repebble/training/layout.hpp>

/// Layouts as oneDNN has them.
namespace train_cpu {

[[nodiscard]] auto cpu_engine() -> dnnl::engine const&;

/// Scratchpads are the caller's; `add`: the result is added to what is there.
[[nodiscard]] auto attributes(bool add = false) -> dnnl::primitive_attr;

/// Same shape, and each element at the same distance from the first.
[[nodiscard]] auto lies_as(repebble::training::layout const& a, repebble::training::layout const& b) -> bool;

/// A scalar is a vector of one element.
[[nodiscard]] auto desc_of(repebble::training::layout const& l) -> dnnl::memory::desc;

/// The last dimension together in memory.
[[nodiscard]] auto row_major_desc(std::vector<repebble::networks::extent> const& shape) -> dnnl::memory::desc;

/// In whatever format an operation likes best.
[[nodiscard]] auto any_desc(std::vector<repebble::networks::extent> const& shape) -> dnnl::memory::desc;

/// Whether there is memory that belongs to no element.
[[nodiscard]] auto is_padded(dnnl::memory::desc const& d) -> bool;

}  // namespace train_cpu

#endif
