import pytest

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.resolve import method_of, refuse_unused

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


def test_rows_are_none_of_the_ways_to_cluster_axes() -> None:
    with pytest.raises(
        InputError, match="a plot of parallel coordinates cannot be made by method 'deterministic'"
    ):
        method_of(RESEARCH, "parallel", "rows")


def test_a_number_without_use_is_refused() -> None:
    refuse_unused("scatter", "probabilistic", ["k", "q"])
    refuse_unused("parallel", "k-member", ["k", "pixels", "diversity", "limits"])
    for name in ("pixels", "diversity"):
        with pytest.raises(InputError, match=f"a heat map by 'none' has no use for {name}=; leave"):
            refuse_unused("heatmap", "none", [name])
