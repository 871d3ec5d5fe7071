import pytest

from discreet.cli.plots import refuse_unused
from discreet.errors import InputError, RefusedError
from discreet.policy import Policy
from discreet.policy.resolve import method_of

STANDARD, RESEARCH = Policy.preset("standard"), Policy.preset("research")

CHOSEN: dict[str, tuple[Policy, str, str | None, str]] = {
    "of a copy": (STANDARD, "histogram", None, "whole"),
    "of a copy, as rows": (STANDARD, "parallel", "rows", "whole"),
    "of a copy, named": (STANDARD, "bars", "whole", "whole"),
    "the plot's own, under research": (RESEARCH, "histogram", None, "suppression"),
    "none, under research": (RESEARCH, "bars", None, "none"),
    "rows, under research": (RESEARCH, "scatter", "rows", "deterministic"),
    "a contour is a heat map": (RESEARCH, "contour", None, "generalization"),
    "named": (RESEARCH, "scatter", "microaggregation", "microaggregation"),
    "rounded, under research": (RESEARCH, "box", "rounding", "rounding"),
    "rows that are rounded": (
        RESEARCH.changed(papers={"method": "rounding"}),
        "qq",
        "rows",
        "rounding",
    ),
    "raw, under research": (RESEARCH, "histogram", "none", "none"),
    "clusters of records, under research": (RESEARCH, "parallel", None, "k-member"),
    "clusters over all axes": (RESEARCH, "parallel", "k-member-joint", "k-member-joint"),
}


@pytest.mark.parametrize(("policy", "picture", "named", "method"), CHOSEN.values(), ids=CHOSEN)
def test_the_method_of_a_picture(
    policy: Policy, picture: str, named: str | None, method: str
) -> None:
    assert method_of(policy, picture, named) == method


def test_what_there_is_not_is_an_error_and_what_may_not_be_is_refused() -> None:
    with pytest.raises(InputError, match="there is no plot 'pie'"):
        method_of(RESEARCH, "pie", None)
    with pytest.raises(InputError, match="a box plot cannot be made by method 'k-member'"):
        method_of(RESEARCH, "box", "k-member")
    with pytest.raises(InputError, match="a box plot cannot be made by method 'whole'"):
        method_of(RESEARCH, "box", "whole")
    for picture in ("histogram", "parallel", "bars", "survival"):
        for method in ("none", "suppression", "microaggregation", "k-member", "pie"):
            with pytest.raises(RefusedError, match="are drawn from its protected copy alone; leav"):
                method_of(STANDARD, picture, method)
    with pytest.raises(
        InputError, match="a plot of parallel coordinates cannot be made by method 'deterministic'"
    ):
        method_of(RESEARCH, "parallel", "rows")
    for method in ("k-member", "k-member-joint"):
        with pytest.raises(InputError, match="a heat map cannot be made by method"):
            method_of(RESEARCH, "heatmap", method)


def test_a_number_without_use_is_refused() -> None:
    refuse_unused("scatter", "probabilistic", ["k", "q"])
    refuse_unused("parallel", "k-member", ["k", "pixels", "diversity", "limits"])
    for name in ("q", "bins", "grid", "edges"):
        with pytest.raises(
            InputError,
            match=f"a plot of parallel coordinates by 'k-member' has no use for {name}=;",
        ):
            refuse_unused("parallel", "k-member", [name])
    for name in ("pixels", "diversity"):
        with pytest.raises(InputError, match=f"a heat map by 'none' has no use for {name}=; leave"):
            refuse_unused("heatmap", "none", [name])
    with pytest.raises(InputError, match="a scatter plot by 'deterministic' has no use for q="):
        refuse_unused("scatter", "deterministic", ["q"])
