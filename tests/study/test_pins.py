"""What is pinned of columns that leave as axes of parallel coordinates."""

import json

from discreet.policy import Policy
from discreet.study.pins import diversity_of, diversity_pins, method_pins, pair_pins


def test_a_cluster_beside_a_secret_holds_two_values_or_what_the_policy_says() -> None:
    assert diversity_of(Policy()) == 2
    assert diversity_of(Policy.preset("standard", diversity=4)) == 4


def test_the_method_of_a_pair_is_pinned_in_the_order_of_names() -> None:
    assert method_pins([("b", "a")], "k-member-cells") == {
        "count method of 'a', 'b'": "k-member-cells"
    }


def test_each_column_is_pinned_to_its_pairs() -> None:
    pins = pair_pins(["a", "b", "d"], [("b", "a"), ("c", "b")])

    assert {name: json.loads(value) for name, value in pins.items()} == {
        "pairing of 'a'": [["a", "b"]],
        "pairing of 'b'": [["a", "b"], ["b", "c"]],
        "pairing of 'd'": [],
    }


def test_l_is_pinned_for_each_column_whether_sensitive_or_not() -> None:
    assert diversity_pins({"a": False, "s": True}, 3) == {
        "diversity of 'a'": "1",
        "diversity of 's'": "3",
    }
