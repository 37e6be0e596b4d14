// Covers training/index_bound.hpp.
#include <repebble/networks/model.hpp>
#include <repebble/training/index_bound.hpp>

#include "support/catch.hpp"

using namespace repebble::networks;
using repebble::training::index_bound;

TEST_CASE("indices are rows of the smallest table, labels are classes, and other integers have no bound",
          "[training]") {
    model m("tables");
    auto const words = m.add_input("words", {{4}, element::int64});
    auto const labels = m.add_input("labels", {{4}, element::int64});
    auto const others = m.add_input("others", {{4}, element::int64});
    auto const scores = m.append("wide", embedding{9, 5}, {words});
    m.append("narrow", embedding{7, 5}, {words});
    m.append("loss", nll_loss{}, {scores, labels});
    CHECK(index_bound(m, words.index) == 7);
    CHECK(index_bound(m, labels.index) == 5);
    CHECK_FALSE(index_bound(m, others.index));
}
