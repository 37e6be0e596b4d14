#ifndef REPEBBLE_IMPL_IO_PARSE_JSON_IPP
#define REPEBBLE_IMPL_IO_PARSE_JSON_IPP

#include <repebble/io/parse_json.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/detail/json_reader.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_json(std::string_view text, std::string const& source, read_account account)
    -> nlohmann::json {
    account.open(source, text.size());
    return detail::parse_json(text, source, account);
}

}  // namespace repebble::inline v0::io

#endif
