"""What is pinned of columns that leave as axes of parallel coordinates."""

from discreet.policy import Policy
from discreet.policy.resolve import diversity_of
from discreet.study.gate import diversity_pins, method_pins, pair_pins


def test_a_cluster_beside_a_secret_holds_two_values_or_what_the_policy_says() -> None:
    assert diversity_of(Policy()) == 2
    assert diversity_of(Policy.preset("standard", diversity=4)) == 4


def test_the_method_of_a_pair_is_pinned_in_the_order_of_names() -> None:
    assert method_pins([("b", "a")], "k-member-cells") == {
        "count method of 'a', 'b'": "k-member-cells"
    }


def test_pairs_are_pinned_and_which_may_be() -> None:
    assert pair_pins([("b", "a"), ("b", "c")], ()) == {
        "list of pairs": "those of one order",
        "pair 'a', 'b'": '["a", "b"]',
        "pair 'b', 'c'": '["b", "c"]',
    }
    assert pair_pins([], [("d", "c"), ("b", "a")]) == {"list of pairs": '[["a", "b"], ["c", "d"]]'}


def test_l_is_pinned_for_each_column_whether_sensitive_or_not() -> None:
    assert diversity_pins({"a": False, "s": True}, 3) == {
        "diversity of 'a'": "1",
        "diversity of 's'": "3",
    }
