#ifndef TREEWIDTH_REPORT_HPP
#define TREEWIDTH_REPORT_HPP

#include <string>

#include <repebble/treewidth/treewidth.hpp>

#include "graph_file.hpp"

namespace treewidth_program {

/// `seconds` are those of `timed_bounds`.
void print_json(named_graph const& read, repebble::treewidth_bounds const& found, double seconds);
void print_words(std::string const& name, named_graph const& read, repebble::treewidth_bounds const& found,
                 double seconds);

}  // namespace treewidth_program

#endif
