// Covers command_line/check_files.hpp, command_line/run_program.hpp, command_line/one_line.hpp.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "command_line/one_line.hpp"
#include "run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// A program and how it runs for a moment without files to write.
struct usual_run {
    std::string command;
    std::vector<std::string> arguments;
    std::vector<std::string> outputs;  ///< options that take a file to write
    std::string input;                 ///< a file that it reads; empty: none
};
auto usual_runs() -> std::vector<usual_run> {
    return {{program_file("plan"),
             {residual, "--strategy", "keep_all", "--budget", "100%"},
             {"--write", "--schedule", "--arena-out", "--arena-svg", "--html"},
             residual},
            {program_file("allocate"), {lstm_buffers, "--minimise"}, {"--out", "--svg", "--c"}, lstm_buffers},
            {program_file("treewidth"), {residual}, {"--td", "--dot", "--svg"}, residual},
            {program_file("pipeline"), {v_pipeline, "--budget", "100%", "--tries", "0"}, {"--svg"}, v_pipeline},
            {program_file("chain"), {"--uniform", "10", "--snapshots", "3"}, {}, {}}};
}
auto with(std::vector<std::string> all, std::vector<std::string> const& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}
auto lines_of(std::string const& text) { return std::ranges::count(text, '\n'); }

}  // namespace

TEST_CASE("programs: an output that is read, or written twice, is refused", "[plan][allocate][treewidth]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs()) {
        temporary_folder const folder;
        auto const own = (folder / std::filesystem::path(input).filename()).string();
        if (!input.empty()) write(own, text_of(input));
        auto to_own = arguments;
        std::ranges::replace(to_own, input, own);
        auto const path = (folder / "out").string();
        write(path, "old");
        for (auto const& option : outputs) {
            auto const overwritten = run_program(command, with(to_own, {option, own}));
            CHECK(overwritten.status == 2);
            CHECK(overwritten.says(option));
            CHECK(lines_of(overwritten.err) == 1);
            CHECK(text_of(own) == text_of(input));
            if (option == outputs.front()) continue;
            auto const twice =
                run_program(command, with(to_own, {outputs.front(), path, option, (folder / "." / "out").string()}));
            CHECK(twice.status == 2);
            CHECK(twice.says(outputs.front()));
            CHECK(text_of(path) == "old");
        }
    }
}

TEST_CASE("programs: two spellings of a path that is not there yet are one file", "[plan][allocate][treewidth]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs()) {
        if (outputs.size() < 2) continue;
        temporary_folder const folder;
        auto const here = folder / "";
        std::filesystem::create_directory(folder / "f");
        std::filesystem::create_symlink("out", folder / "link");
        std::filesystem::create_symlink("link", folder / "link_of_link");
        std::filesystem::create_directory_symlink("..", folder / "f" / "up");
        for (std::string const other : {"./out", "f/../out", "f/up/out", "link", "./link_of_link", "/out"}) {
            auto const second = other == "/out" ? (here / "out").string() : other;
            auto const done = run_program("cd '" + here.string() + "' && " + command,
                                          with(arguments, {outputs[0], "out", outputs[1], second}));
            CHECK(done.status == 2);
            CHECK(done.says(outputs[0]));
            CHECK(lines_of(done.err) == 1);
            CHECK(!std::filesystem::exists(folder / "out"));
        }
    }
}

TEST_CASE("programs: what standard output was redirected to is not replaced", "[plan][allocate][treewidth]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs())
        for (auto const& option : outputs) {
            temporary_folder const folder;
            auto const path = (folder / "out").string();
            auto all = std::string("set -- ");
            for (auto const& a : with(arguments, {option, path})) all += "'" + a + "' ";
            auto const done = run_program("sh -c", {all + "; " + command + " \"$@\" >" + path});
            CHECK(done.status == 2);
            CHECK(done.says("standard output"));
            CHECK(text_of(path).empty());
            // Two outputs to one place that is written as it is would be one after the other.
            if (option == outputs.front()) continue;
            CHECK(run_program(command, with(arguments, {outputs[0], "/dev/stdout", option, "/dev/fd/1"})).status == 2);
            CHECK(run_program(command, with(arguments, {outputs[0], "/dev/null", option, "/dev/null"})).status == 0);
        }
}

TEST_CASE("programs: an output that fails does not lose the others", "[plan][allocate][treewidth]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs()) {
        temporary_folder const folder;
        auto all = arguments;
        for (auto const& failing : outputs) {
            if (failing == "--write") continue;  // is written before there is anything to lose, and ends the program
            all = arguments;
            for (auto const& option : outputs)
                all.insert(all.end(), {option, option == failing ? "/dev/full" : (folder / option).string()});
            auto const done = run_program(command, all);
            CHECK(done.status == 2);
            CHECK(done.says("/dev/full: cannot be written"));
            CHECK(!done.out.empty());
            CHECK(lines_of(done.err) == 1);
            for (auto const& option : outputs) {
                if (option != failing) CHECK(std::filesystem::file_size(folder / option) > 0);
                std::filesystem::remove(folder / option);
            }
        }
        // Nor does a reader of standard output that goes away, which ends the program as usual.
        if (outputs.empty()) continue;
        all = arguments;
        for (auto const& option : outputs) all.insert(all.end(), {option, (folder / option).string()});
        auto quoted = std::string("set -- ");
        for (auto const& a : all) quoted += "'" + a + "' ";
        auto const done =
            run_program("bash -c", {quoted + "; " + command + " \"$@\" | sleep 0; exit ${PIPESTATUS[0]}"});
        CHECK((done.status == 141 || done.status == 0));  // 128 + SIGPIPE
        CHECK(done.err.empty());
        for (auto const& option : outputs) CHECK(std::filesystem::exists(folder / option));
    }
}

TEST_CASE("programs: an output that cannot be written is refused before any work", "[plan][allocate][treewidth]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs())
        for (auto const& option : outputs) {
            auto const done = run_program(command, with(arguments, {option, "/nowhere/out"}));
            CHECK(done.status == 2);
            CHECK(done.says("/nowhere/out: cannot be opened for writing"));
            CHECK(done.out.empty());
            CHECK(lines_of(done.err) == 1);
        }
}

TEST_CASE("programs: a file is the old or the new one, and nothing stays beside it", "[plan][allocate][treewidth]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs())
        for (auto const& option : outputs) {
            temporary_folder const folder;
            auto const path = (folder / "out").string();
            write(path, "old");
            // No file may become longer than a block, as on a full disk.
            auto const full = run_program("ulimit -f 0; trap '' XFSZ; " + command, with(arguments, {option, path}));
            CHECK(full.status == 2);
            CHECK(text_of(path) == "old");
            CHECK(run_program(command, with(arguments, {option, path})).status == 0);
            CHECK(text_of(path) != "old");
            auto const left = std::filesystem::directory_iterator(folder / "");
            CHECK(std::distance(begin(left), end(left)) == 1);
        }
}

TEST_CASE("programs: standard output that is full or closed is an error", "[plan][allocate][treewidth][chain]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs())
        for (std::string const to : {"/dev/full", "&-"}) {
            if (to == "/dev/full" && !std::filesystem::exists(to)) continue;
            auto all = std::string("set -- ");
            for (auto const& a : arguments) all += "'" + a + "' ";
            auto const done = run_program("sh -c", {all + "; " + command + " \"$@\" >" + to});
            CHECK(done.status == 2);
            CHECK(done.says("standard output"));
            CHECK(lines_of(done.err) == 1);
        }
}

TEST_CASE("programs: a wrong command line is told in one line", "[plan][allocate][treewidth][chain]") {
    for (auto const& [command, arguments, outputs, input] : usual_runs()) {
        for (auto const& wrong : {with(arguments, {"--no-such-option"}), with(arguments, {"\x1b[2Jone\ntwo"}), {}}) {
            auto const done = run_program(command, wrong);
            CHECK(done.status == 2);
            CHECK(done.out.empty());
            CHECK(lines_of(done.err) == 1);
            CHECK(done.err.find('\x1b') == std::string::npos);
        }
    }
}

TEST_CASE("plan: names of a file are escaped in messages", "[plan]") {
    temporary_folder const folder;
    auto const path = (folder / "graph.json").string();
    write(path, R"({"nodes": [{"name": "a\n\u001b[31m", "time": 1, "memory": 1}], "edges": [["a\n\u001b[31m", "b"]]})");
    auto const done = run({path});
    CHECK(done.status == 2);
    CHECK(lines_of(done.err) == 1);
    CHECK(done.err.find('\x1b') == std::string::npos);
}

TEST_CASE("programs: names of files are escaped in what is printed and drawn", "[plan][allocate][treewidth][chain]") {
    temporary_folder const folder;
    std::string const name = "net\x1b[2J\x7f\xc2\x9b\xff";
    auto const graph = (folder / (name + ".json")).string(), buffers = (folder / (name + ".csv")).string(),
               chain = (folder / (name + "_chain.json")).string();
    auto named = json::parse(text_of(residual));
    named["name"] = "net\x1b[2J\x7f\xc2\x9b";
    write(graph, named.dump());
    named.erase("name");
    auto const by_file = (folder / ("file" + name + ".json")).string();
    write(by_file, named.dump());
    write(buffers, text_of(lstm_buffers));
    write(chain, text_of(resnet_chain));
    auto const svg = (folder / "picture.svg").string(), schedule = (folder / "schedule.json").string();
    auto const is_clean = [](std::string const& text) {
        return std::ranges::none_of(text, [](char c) { return (c < ' ' && c >= 0 && c != '\n') || c == 0x7f; }) &&
               text.find("\xc2\x9b") == text.npos && text.find('\xff') == text.npos;
    };
    auto const is_quiet = [&](outcome const& done) {
        INFO(done.err);
        CHECK(done.status == 0);
        CHECK(!done.out.empty());
        return is_clean(done.out) && is_clean(done.err);
    };
    std::vector<std::vector<std::string>> const ways{
        {"--budget", "100%", "--strategy", "keep_all", "--arena-svg", svg, "--schedule", schedule},
        {"--curve", "2", "--time-limit", "0.1", "--curve-svg", svg},
        {"--budget", "100%", "--time-limit", "0.1", "--links", "pcie4"},
        {"--budget", "100%", "--time-limit", "0.1", "--link", "pcie4", "--strategy", "automatic"}};
    for (auto const& file : {graph, by_file})
        for (auto const& how : ways) {
            CHECK(is_quiet(run(with({file}, how))));
            CHECK(is_quiet(run(with({file, "--json"}, how))));
            CHECK(is_clean(text_of(svg)));
            CHECK(is_well_formed(text_of(svg)));
        }
    CHECK(is_quiet(run({residual, "--replay", schedule})));  // says that it is of another graph
    CHECK(is_quiet(run_allocate({buffers, "--minimise", "--svg", svg})));
    CHECK(is_clean(text_of(svg)));
    CHECK(is_quiet(run_treewidth({graph, "--svg", svg})));
    CHECK(is_clean(text_of(svg)));
    CHECK(is_quiet(run_treewidth({graph, "--json"})));
    CHECK(is_quiet(run_chain({chain, "--budget", "60%"})));
    CHECK(is_quiet(run_chain({chain, "--budget", "60%", "--json"})));
}

TEST_CASE("what is no character of UTF-8, and what controls a terminal, is escaped", "[plan]") {
    using command_line::one_line;
    CHECK(one_line("é \xe2\x82\xac \xf0\x9f\xaa\xa8") == "é \xe2\x82\xac \xf0\x9f\xaa\xa8");
    CHECK(one_line("\xff\xfe \xc3") == "\\xff\\xfe \\xc3");
    CHECK(one_line("\xc2\x9b\x1b[2J\x7f\t\r\n") == "\\xc2\\x9b\\x1b[2J\\x7f\\t\\r\\n");
}

TEST_CASE("plan: a signal ends the search, and the best so far is printed and written", "[plan][long]") {
    for (auto const& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}}) {
        temporary_folder const folder;
        auto const schedule = (folder / "schedule.json").string();
        auto const done =
            // It sends the signal twice at once, to the program and to its group.
            run_program(std::string("timeout --preserve-status -s ") + signal + " 2 " + program_file("plan"),
                        {"gpt2", "--budget", "60%", "--time-limit", "600", "--strategy", "automatic,forget_all",
                         "--schedule", schedule});
        CHECK(done.status == status);
        CHECK(done.says("interrupted"));
        CHECK(done.out.find("automatic") != std::string::npos);
        CHECK(run({"gpt2", "--budget", "60%", "--replay", schedule}).status == 0);
    }
}
