"""Titles, lists and tables as text: within 88 columns, words wrapped and numbers in full."""

from discreet.measure.report import Listing, bullets, columns, headed


def test_a_title_stands_over_a_rule_as_wide() -> None:
    assert headed("Risks") == ["Risks", "-----"]
    assert headed("Risks", "=") == ["Risks", "====="]


def test_a_long_title_is_wrapped_over_a_rule_as_wide_as_its_widest_line() -> None:
    *lines, rule = headed("word " * 30)

    assert len(lines) == 2
    assert len(rule) == max(map(len, lines)) <= 88


def test_sentences_hang_below_their_dash() -> None:
    first, second, third = bullets(["word " * 20, "short"])

    assert first.startswith("- word")
    assert second.startswith("  word")
    assert third == "- short"


def test_words_stand_left_and_numbers_right() -> None:
    listing = Listing("t", ("method", "share"), (("mdav", "1.5"), ("vmdav", "10.25")), words=(0,))

    assert columns(listing) == ["method  share", "mdav      1.5", "vmdav   10.25"]


def test_words_too_long_for_a_line_are_wrapped_and_numbers_are_not() -> None:
    listing = Listing("t", ("why", "n"), (("word " * 40, "1234567"),), words=(0,))

    lines = columns(listing)

    assert len(lines) > 2
    assert max(map(len, lines)) <= 88
    assert lines[1].endswith("1234567")
