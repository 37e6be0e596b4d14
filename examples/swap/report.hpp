#ifndef SWAP_REPORT_HPP
#define SWAP_REPORT_HPP

#include <vector>

#include "methods.hpp"

namespace swap_program {

void print_table(subject const& about, arguments const& asked, std::vector<outcome> const& rows);
void print_json(subject const& about, arguments const& asked, std::vector<outcome> const& rows);

}  // namespace swap_program

#endif
