"""The columns of a study: those of the very copy that `anonymize` gives."""

from __future__ import annotations

import pytest

import discreet as dc
from tests.explore.test_summary import cohort, study


def test_figures_are_those_of_the_released_table() -> None:
    frame = study().anonymize().frame
    found = study().columns

    assert [*found] == [*cohort().columns]
    for name, column in frame.items():
        facts = found[str(name)]
        assert facts.in_copy
        assert facts.missing == pytest.approx(column.isna().mean())
        assert sum(facts.counts) == column.count()
        if facts.kind == "level":
            counted = dict(zip(facts.levels, facts.counts, strict=True))
            assert counted == column.value_counts().to_dict()
        elif facts.kind == "date":
            assert (facts.least, facts.most) == (str(column.min())[:10], str(column.max())[:10])
        else:
            assert (facts.least, facts.most) == (column.min(), column.max())
    assert (found["patient"].in_copy, found["patient"].levels) == (False, ())
    assert "P000" not in found.to_json() + found._repr_html_()


def test_looking_is_free_and_what_is_written_is_recorded() -> None:
    opened = dc.open(cohort(), study="columns recorded")
    found = opened.columns
    str(found), found._repr_html_(), found["age"]
    assert opened.session.register.history("columns recorded") == []
    found.to_json()
    (entry,) = opened.session.register.history("columns recorded")
    assert (entry["kind"], entry["form"]) == ("columns", "json")
    assert "patient" not in entry["columns"]


def test_parts_and_new_columns_have_their_own() -> None:
    found = study().where("age >= 50").assign(old="age >= 65", ratio="bmi / age").columns
    assert found["age"].least is not None
    assert float(found["age"].least) >= 50
    assert (found["old"].kind, {*found["old"].levels}) == ("level", {"no", "yes"})
    assert found["ratio"].kind == "number"
    assert sum(found["sex"].counts) < sum(study().columns["sex"].counts)
    assert any("where age >= 50; old is age >= 65" in note for note in found.notes)


def test_columns_that_the_policy_derives_are_among_them() -> None:
    policy = dc.Policy.preset("standard", derive={"band": "cut(age, 40, 60)", "no": "log(0 - age)"})
    found = dc.open(cohort(), policy, study="derived columns").columns
    assert found["band"].levels == ("under 40", "40 to under 60", "60 or more")
    assert "no" not in found
