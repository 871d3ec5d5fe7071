import pytest

from discreet.errors import InputError, RefusedError
from discreet.plots import PLOTS
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
    assert method_of(policy, PLOTS[picture], named) == method


def test_what_there_is_not_is_an_error_and_what_may_not_be_is_refused() -> None:
    with pytest.raises(InputError, match="a box plot cannot be made by method 'k-member'"):
        method_of(RESEARCH, PLOTS["box"], "k-member")
    with pytest.raises(InputError, match="a box plot cannot be made by method 'whole'"):
        method_of(RESEARCH, PLOTS["box"], "whole")
    for picture in ("histogram", "parallel", "bars", "survival"):
        for method in ("none", "suppression", "microaggregation", "k-member", "pie"):
            with pytest.raises(RefusedError, match="are drawn only from its protected copy; leav"):
                method_of(STANDARD, PLOTS[picture], method)
    with pytest.raises(
        InputError, match="a plot of parallel coordinates cannot be made by method 'deterministic'"
    ):
        method_of(RESEARCH, PLOTS["parallel"], "rows")
    for method in ("k-member", "k-member-joint"):
        with pytest.raises(InputError, match="a heat map cannot be made by method"):
            method_of(RESEARCH, PLOTS["heatmap"], method)
