"""The largest size that has a plan within a budget."""

import pytest
import repebble


def chain(size):
    """Eight operations in a row whose values have so many bytes, and their gradients."""
    return repebble.make_training_graph(
        {
            "values": [{"size": size} for _ in range(8)],
            "operations": [{"time": 1, "reads": [k - 1] if k else [], "writes": [k]} for k in range(8)],
        }
    )


def test_the_largest_size_has_a_plan_and_the_next_one_has_none():
    largest = repebble.find_largest_size(chain, 1000)
    assert largest.impossible == largest.found + 1
    assert largest.plan.peak <= 1000
    assert largest.kept == 1000 // repebble.keep_all(chain(1)).peak
    assert repebble.plan(chain(largest.found), 1000).peak <= 1000
    with pytest.raises(repebble.NoPlan):
        repebble.plan(chain(largest.found + 1), 1000)


def test_within_an_overhead_it_is_smaller():
    kept = repebble.find_largest_size(chain, 1000, overhead=0)
    assert kept.plan.overhead == 0
    assert kept.found == 1000 // repebble.keep_all(chain(1)).peak
    assert kept.found < repebble.find_largest_size(chain, "1kB", overhead=0.5).found


def test_sizes_that_are_asked_about():
    some = repebble.find_largest_size(chain, 1000, least=2, most=5)
    assert (some.found, some.kept, some.impossible) == (5, 5, None)
    assert repebble.find_largest_size(chain, 1) == repebble.LargestSize(0, 0, 1, None)
    assert repebble.find_largest_size(chain, 1000, seconds=0).plan.peak <= 1000


def test_what_counts_in_the_sizes():
    def reads_an_input(size):
        graph = chain(size)
        graph["values"].append({"size": 10 * size})
        graph["operations"][0]["reads"] = [len(graph["values"]) - 1]
        return graph

    free, counted = (repebble.find_largest_size(reads_an_input, 1000, inputs=inputs) for inputs in (False, True))
    assert free == repebble.find_largest_size(chain, 1000)
    assert counted.found < free.found and 10 * counted.found < counted.plan.peak <= 1000
    rounded = repebble.find_largest_size(chain, 1000, alignment=64)
    assert rounded.found % 64 == rounded.plan.peak % 64 == 0 and rounded.plan.peak <= 1000


def test_networks_by_name():
    def training(batch):
        return repebble.make_training_graph(repebble.network("resnet18", batch=batch))

    largest = repebble.find_largest_size(training, "100MiB", work=1000)
    assert 0 < largest.kept < largest.found < largest.impossible


def test_parameters_and_what_training_needs_of_them_are_counted():
    def training(batch):
        return repebble.make_training_graph(repebble.network("resnet18", batch=batch))

    words = ("parameters", "gradients", "optimizer", "inputs")
    trained, statistics, image = 4 * 11_689_512, 4 * 2 * 4800, 4 * 3 * 224 * 224 + 8  # and a label
    largest = repebble.find_largest_size(training, "400MiB", include=words, optimizer_states=1, work=1000)
    assert largest.beside == 3 * trained + statistics + largest.found * image
    assert largest.plan.peak + largest.beside <= 400 << 20
    for words_, copies in ((["gradients"], 1), (["optimizer"], 2), (("parameters",), 1)):
        beside = repebble.find_largest_size(training, "400MiB", include=words_, most=1, work=0).beside
        assert beside == copies * trained + ("parameters" in words_) * statistics
    least = repebble.find_largest_size(training, "400MiB", include=words, work=1000)
    assert least.found < largest.found < repebble.find_largest_size(training, "400MiB", work=1000).found
    assert repebble.find_largest_size(training, "150MiB", include=words) == repebble.LargestSize(0, 0, 1, None)
    for wrong in ({"include": ["weights"]}, {"include": words, "optimizer_states": -1}):
        with pytest.raises(repebble.BadOption, match="weights|optimizer_states"):
            repebble.find_largest_size(training, "400MiB", **wrong)
    with pytest.raises(repebble.BadWeight, match="64 bits"):
        repebble.find_largest_size(training, "400MiB", include=words, optimizer_states=10**12)
    with pytest.raises(repebble.BadOption, match="says nothing of its parameters"):
        repebble.find_largest_size(chain, 1000, include=["parameters"])


def test_what_cannot_be_is_refused_by_name():
    for wrong, what in (
        ({"least": 0}, "least"),
        ({"least": 5, "most": 4}, "most"),
        ({"overhead": -1}, "overhead"),
        ({"overhead": float("inf")}, "overhead"),
    ):
        with pytest.raises(repebble.BadOption, match=what):
            repebble.find_largest_size(chain, 1000, **wrong)
    with pytest.raises(repebble.BadOption, match="make"):
        repebble.find_largest_size(None, 1000)
    with pytest.raises(repebble.BadWeight, match="in bytes"):
        repebble.find_largest_size(chain, "60%")

    def refuses(size):
        if size > 3:
            raise KeyError("four")
        return chain(size)

    with pytest.raises(KeyError, match="four"):
        repebble.find_largest_size(refuses, 1000)
