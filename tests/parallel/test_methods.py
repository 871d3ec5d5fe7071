"""Each way to cluster says who it is, what it promises and what it leaves open."""

import pytest

from discreet.arguments import Described
from discreet.methods import METHODS
from discreet.parallel.clusters import KMember, KMemberJoint

WAYS: dict[str, type[Described]] = {"k-member": KMember, "k-member-joint": KMemberJoint}


@pytest.mark.parametrize("name", WAYS)
def test_a_way_is_known_by_its_name(name: str) -> None:
    assert METHODS[name] is WAYS[name]
    assert WAYS[name].name == name


@pytest.mark.parametrize("way", WAYS.values())
def test_a_way_says_what_it_promises_in_sentences(way: type[Described]) -> None:
    assert "at least k" in way.promises
    for text in (way.promises, way.leaves_open):
        assert text[0].isupper()
        assert text.endswith(".")
