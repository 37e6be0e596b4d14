#ifndef CHAIN_REPORT_HPP
#define CHAIN_REPORT_HPP

#include <string>

#include <repebble/io/json_chain.hpp>

#include "arguments.hpp"
#include "solution.hpp"

namespace chain_program {

/// A table for people. `file` is the name where the document has none.
void print_words(repebble::io::chain_document const& of, std::string const& file, solution const& found,
                 double seconds);
/// One line of JSON.
void print_json(repebble::io::chain_document const& of, std::string const& file, arguments const& asked,
                solution const& found, double seconds);

}  // namespace chain_program

#endif
