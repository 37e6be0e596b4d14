#ifndef GPU_TABLES_PAGE_HPP
#define GPU_TABLES_PAGE_HPP

#include <string>

#include <nlohmann/json.hpp>

namespace gpu_tables {

/// The page of what was measured, in Markdown.
[[nodiscard]] auto page_of(nlohmann::json const& measured) -> std::string;

}  // namespace gpu_tables

#endif
