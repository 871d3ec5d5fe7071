"""A table that is read part after part for answers: the same rows and keys as at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.policy import Policy
from discreet.table import open_table
from discreet.vault.vault import raw_in_one, raw_in_parts
from discreet.vault.whole_columns import RawWhole, choose_columns
from tests.vault.given import SECRET


def rows(people: int, again: int) -> pa.Table:
    """Return people with gaps, of whom the first stand in the table several times."""
    random = np.random.default_rng(6)
    weight = np.where(random.random(people) < 0.1, np.nan, random.normal(70, 9, people).round(1))
    town = np.where(random.random(people) < 0.2, "", random.choice(["é", "b", "a"], people))
    table = pa.table(
        {
            "weight": pa.array(weight, from_pandas=True),
            "born": pa.array((random.integers(0, 9000, people)).astype("datetime64[D]")),
            "town": pa.array([it or None for it in town.tolist()]),
            "ill": random.random(people) < 0.3,
        }
    )
    return pa.concat_tables([table, *[table.slice(0, 40)] * again])


def parts_of(raw: RawWhole) -> list[object]:
    return [raw.version, raw.draws.keys.tolist(), raw.settings, raw.left_out, raw.unit]


@pytest.mark.parametrize("again", [0, 12])
@pytest.mark.parametrize("form", ["parquet", "csv", "frame"])
def test_read_in_parts_a_table_is_the_same(form: str, again: int, tmp_path: Path) -> None:
    source: object = rows(700, again)
    if form == "parquet":
        pq.write_table(source, tmp_path / "t.parquet", row_group_size=64)
        source = tmp_path / "t.parquet"
    elif form == "csv":
        rows(700, again).to_pandas().to_csv(tmp_path / "t.csv", index=False)
        source = tmp_path / "t.csv"
    table = open_table(source, kinds={}, roles={}, unit=None, key=None)
    policy = Policy.preset("standard")
    wanted = choose_columns(table, policy)
    whole, in_parts = (it(table, policy, SECRET, wanted) for it in (raw_in_one, raw_in_parts))
    assert parts_of(in_parts) == parts_of(whole)
    assert in_parts.persons is not None
    assert in_parts.persons.tolist() == [*range(700 + 40 * again)]
    for name, values in whole.numbers.items():
        np.testing.assert_array_equal(in_parts.numbers[name], values)
    assert [*in_parts.levels] == [*whole.levels]
    for name, of in whole.levels.items():
        assert in_parts.levels[name].words == of.words
        assert in_parts.levels[name].codes.tolist() == of.codes.tolist()
        assert in_parts.levels[name].codes.itemsize == 1
        assert in_parts.levels[name].texts() == of.texts()
