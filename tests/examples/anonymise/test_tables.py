"""Tables 2 to 4 as they are printed."""

from __future__ import annotations

import pytest

from discreet.render.scene import Intervals
from examples.anonymise import cohort_figures, tables
from examples.anonymise.compare import Compared
from examples.anonymise.run import table_3, table_4


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1e-20, "<2e-16"),
        (8.004e-16, "8.00e-16"),
        (0.000190, "0.0002"),
        (0.0844, "0.084"),
        (0.64118, "0.641"),
    ],
)
def test_p_values_are_written_as_r_does(p: float, text: str) -> None:
    assert tables.chance(p) == text


def test_table_2_says_that_it_is_the_papers(passengers: Compared) -> None:
    table = tables.table_2(passengers.original)
    assert len(table.rows) == 12
    assert "Every number is the paper's." in table.caption


def test_the_original_model_is_that_of_table_3_to_every_digit(passengers: Compared) -> None:
    table = table_3(passengers)
    assert {row[0]: row[1:5] for row in table.rows} == tables.PAPER_3
    assert [row[9:13] for row in table.rows] == list(tables.PAPER_3.values())


# The right half of the paper's Table 3: of the anonymised passengers, and how far they moved.
ANONYMISED_3 = {
    "Intercept": ("3.615", "0.454", "7.972", "1.56e-15", "0.220"),
    "Pclass (2nd)": ("-1.112", "0.300", "-3.707", "0.0002", "0.159"),
    "Pclass (3rd)": ("-2.343", "0.300", "-7.822", "5.21e-15", "0.216"),
    "Sex (male)": ("-2.625", "0.194", "-13.508", "<2e-16", "0.012"),
    "Age": ("-0.035", "0.008", "-4.586", "4.53e-06", "0.205"),
    "Fare": ("0.001", "0.002", "0.217", "0.829", "0.223"),
    "Family (yes)": ("-0.089", "0.197", "-0.452", "0.651", "0.010"),
}


def test_the_anonymised_model_is_that_of_table_3_to_every_digit(passengers: Compared) -> None:
    table = table_3(passengers)
    assert {row[0]: (*row[5:9], row[13]) for row in table.rows} == ANONYMISED_3
    assert [row[13] for row in table.rows] == [row[14] for row in table.rows]


def test_the_stand_in_has_a_model_like_that_of_table_4(stand_in: Compared) -> None:
    found = stand_in.coefficients
    assert found.model == "linear"
    printed = {label: float(numbers[0]) for label, numbers in tables.PAPER_4.items()}
    # The stand-in is drawn from moments that give the paper's slopes on average: within four
    # standard errors of them. The intercept is its own.
    for term, label in list(cohort_figures.TERMS.items())[1:]:
        place = found.terms.index(term)
        assert abs(found.original[place] - printed[label]) < 4 * found.original_se[place]
    table = table_4(stand_in)
    assert [row[0] for row in table.rows] == list(tables.PAPER_4)
    assert "not public" in table.caption


def test_intervals_stand_the_first_on_top_and_the_intercept_is_left_out(stand_in: Compared) -> None:
    terms = cohort_figures.TERMS
    scale = {term: 2.0 for term in terms if term != "Intercept"}
    panel = tables.intervals(stand_in.coefficients, terms, scale, "twice")
    assert panel.y.ticks == ("Weight", "Height", "HDL", "Smoker (yes)", "Sex (female)")
    mark = panel.marks[0]
    assert isinstance(mark, Intervals)
    found = stand_in.coefficients
    place = found.terms.index("Weight")
    low, middle, high = mark.ends[0][0] or (0.0, 0.0, 0.0)
    assert middle == pytest.approx(2 * found.original[place])
    t = 1.9619346  # the 97.5 % point of Student's distribution, 1211 - 6 degrees of freedom
    assert high - low == pytest.approx(2 * 2 * t * found.original_se[place], rel=1e-6)
