#ifndef REPEBBLE_TESTS_SUPPORT_EQUAL_VALUES_HPP
#define REPEBBLE_TESTS_SUPPORT_EQUAL_VALUES_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>

namespace support {

struct equal_values {
    repebble::operation_index wide;
    repebble::dataflow flow;
};

/// Five values of 3 bytes, each of which takes `time`, are read after `wide`, which has a workspace of 10.
[[nodiscard]] inline auto make_equal_values(std::int64_t time) -> equal_values {
    repebble::dataflow_builder builder;
    std::vector<repebble::operation_index> made;
    for (int k = 0; k < 5; ++k) made.push_back(builder.add_operation(time));
    auto const wide = builder.add_operation(1, 10), last = builder.add_operation(1);
    builder.add_read(last, builder.add_value(wide, 0));
    for (auto const v : made) {
        builder.add_read(last, builder.add_value(v, 3));
        builder.add_read(wide, builder.add_value(v, 0));
    }
    return {wide, std::move(builder).build()};
}

}  // namespace support

#endif
