"""Which brackets behind a name hold a unit, and which hold only more words."""

from __future__ import annotations

import pytest

from discreet.estimates.units import unit_in

UNITS = """
kg|cm|h|d|s|%|°C|USD|EUR|€|k€|$1000|1000 USD|thousand USD
kg/m²|kg/m2|kg/m^2|W/m²|µm|ms|min-1|1/min|/min
mmHg|mmol/l|mmol/L|µg/dl|ug/mL|10^9/l|x10^9/L|10⁹/L|10E9/l|IU/l|kU/l|mIU/L|U/L|mg/kg|mL/min/1.73 m²
nmol/mg creatinine|ml/kg/min|pg|fl|bpm|beats/min|m/s|km/h|dB|Hz|kPa|kWh|kcal/day|Gy·cm²
years|months|days|Jahre|ans|años|pack-years|inches|lb|points
cigarettes/day|cigarettes per day|per 1000|per 100 000|EUR per month
""".replace("\n", "|").strip("|")
WORDS = """
physician|first|second|other|baseline|left|mother|missing|German|at visit|in hospital|self-reported
yes/no|m/f|f/m|male/female|day/night|first/second|true/false|age/sex|1=yes|0-10|1|2019|T1|t0|m1|of 3
A|B|C|K|V|N|n|z|SD|log|log10|ICD-10|WHO|NYHA|USA|MS|PC|us|pm|am|at|as|the|and|per|YYYY-MM-DD
1 year|30 days|2 h|100 days|visit 2|kg first|kg or lb?
""".replace("\n", "|").strip("|")


@pytest.mark.parametrize("unit", UNITS.split("|"))
def test_a_known_unit_is_one(unit: str) -> None:
    for name in (
        f"name ({unit})",
        f"name[ {unit} ]",
        f"a name (b) ({unit}) ",
        f"体重\uff08{unit}\uff09",
    ):
        assert unit_in(name) == unit, name


@pytest.mark.parametrize("words", WORDS.split("|"))
def test_other_words_are_none_unless_they_are_declared(words: str) -> None:
    assert unit_in(f"outpatient ({words})") is None
    assert unit_in(f"outpatient [{words}]") is None
    assert unit_in(f"outpatient ({words})", declared=True) is None
    assert unit_in(f"outpatient [{words}]", declared=True) == words


@pytest.mark.parametrize(
    "name", ["", "kg", "(kg)", "w (kg) b", "w ( )", "w []", "w (kg", "w ((kg))"]
)
def test_a_unit_stands_in_brackets_behind_a_name(name: str) -> None:
    assert unit_in(name) is None
    assert unit_in(name, declared=True) is None
