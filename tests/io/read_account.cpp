// Covers io/read_account.hpp.
#include <cstddef>
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/io/read_account.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using repebble::bad_option;
using repebble::limit_reached;
using repebble::io::read_account;
using support::throws;

namespace {

void spend(read_account const& account, std::size_t work, std::size_t memory) {
    account.spend(work, memory, [] { return std::string("line 7"); });
}

}  // namespace

TEST_CASE("read_account: memory and work are spent by all copies, and refused with source and place", "[io]") {
    read_account const account({.work = 100}, 1000);
    account.open("x.json", 10);
    account.open("another", 10);  // it is open already
    auto const copy = account;
    spend(account, 50, 600);
    CHECK(
        throws<limit_reached>([&] { spend(copy, 0, 401); }, {"x.json: line 7: takes more than the 1000 B of memory"}));
    spend(copy, 49, 400);
    CHECK(throws<limit_reached>([&] { spend(account, 1, 0); }, {"x.json: line 7: takes more than the 100 steps"}));
}

TEST_CASE("read_account: all steps may be spent, however many at a time", "[io]") {
    read_account const account({.work = 1 << 20});
    for (int k = 0; k < 26; ++k) spend(account, 40'000, 0);
    CHECK(throws<limit_reached>([&] { spend(account, 10'000, 0); }, {"steps of work"}));
}

TEST_CASE("read_account: memory that is free again may be spent again", "[io]") {
    read_account const account({}, 1000);
    for (int k = 0; k < 10; ++k) {
        auto const left = account.memory_left();
        spend(account, 1, 900);
        account.free_until(left);
    }
    CHECK(account.memory_left() == 1000);
}

TEST_CASE("read_account: a file may take more the longer it is, unless the caller says how much", "[io]") {
    read_account const usual;
    usual.open("x", 1000);
    CHECK(usual.memory_left() == read_account::usual_memory + 1000 * read_account::memory_of_byte);
    spend(usual, read_account::usual_work + 999 * read_account::work_of_byte, 0);
    CHECK(throws<limit_reached>([&] { spend(usual, 2 * read_account::work_of_byte, 0); }, {"steps of work"}));
    read_account const short_of_work({.work = 100});
    short_of_work.open("x", 1000);
    CHECK(throws<limit_reached>([&] { spend(short_of_work, 101, 0); }, {"the 100 steps"}));
    read_account const little({}, 10);
    little.open("x", 1000);
    CHECK(little.memory_left() == 10);
}

TEST_CASE("read_account: reading ends where it is to stop and where its time is over", "[io]") {
    bool stop = false;
    read_account const account({.stop = [&] { return stop; }});
    spend(account, 1 << 17, 0);
    stop = true;
    CHECK(throws<limit_reached>([&] { spend(account, 1 << 17, 0); }, {"line 7: reading was stopped"}));
    read_account const late({.seconds = 0});
    CHECK(throws<limit_reached>([&] { spend(late, 1, 0); }, {"line 7: the time to read it is over"}));
    CHECK(throws<bad_option>([] { return read_account({.seconds = -1}); }, {"seconds"}));
}
