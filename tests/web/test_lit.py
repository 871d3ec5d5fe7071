"""What counts lit rows, and how work gives way: rows/light.js, rows/slices.js, app/remote.js."""

from __future__ import annotations

import random
from typing import Any

from tests.web.node import answered_by

COUNTS = """
import { countsOf, litOf, packed } from "./rows/light.js";
const counted = ({ of, size, mask }) => {
  const marks = packed({ of, size });
  const lit = litOf(Uint8Array.from(mask));
  return [[...countsOf(marks, lit)], lit.size, marks.of.BYTES_PER_ELEMENT, lit.rows.length];
};
"""


def by_hand(of: list[int], size: int, mask: list[int]) -> list[int]:
    """Count one row after the other; rows stand several times in some pictures."""
    counts = [0] * size
    for at, mark in enumerate(of):
        if mark >= 0 and mask[at % len(mask)]:
            counts[mark] += 1
    return counts


def drawn(rows: int, size: int, share: float, times: int = 1) -> dict[str, Any]:
    chance = random.Random(rows + size)
    of = [chance.randrange(-1, size) for _ in range(rows * times)]
    return {"of": of, "size": size, "mask": [int(chance.random() < share) for _ in range(rows)]}


CASES = {
    "few lit": (drawn(400, 20, 0.05), 1),
    "nearly all lit": (drawn(400, 20, 0.95), 1),
    "none lit": (drawn(50, 5, 0), 1),
    "all lit": (drawn(50, 5, 1), 1),
    "rows that have several marks": (drawn(200, 40, 0.6, times=3), 1),
    "the most marks of a byte": (drawn(900, 255, 0.3), 1),
    "more marks than a byte holds": (drawn(900, 256, 0.7), 2),
    "more than two bytes hold": (drawn(300, 70_000, 0.3), 4),
    "no rows": ({"of": [], "size": 3, "mask": []}, 1),
}


def test_lit_rows_are_counted_as_one_by_one() -> None:
    each = answered_by(COUNTS, "given.map(counted)", [case for case, _ in CASES.values()])
    for (name, (case, width)), found in zip(CASES.items(), each, strict=True):
        counts, size, bytes_, walked = found
        assert counts == by_hand(**case), name
        assert size == sum(case["mask"])
        assert bytes_ == width
        assert walked <= len(case["mask"]) / 2  # the fewer of the lit and the others


SLICES = """
import { inSlices } from "./rows/slices.js";
async function worked(wanted) {
  let [clock, done, turns] = [0, 0, 0];
  function* steps() {
    for (; done < 6; done += 1) {
      clock += 5;
      yield;
    }
    return { found: "all" };
  }
  const turn = async () => { turns += 1; };
  const how = { turn, isWanted: () => turns < wanted, now: () => clock };
  const { found } = await inSlices(steps(), how);
  return [found, done, turns];
}
"""


def test_work_gives_way_and_is_given_up_when_something_newer_is_asked() -> None:
    assert answered_by(SLICES, "await worked(9)") == ["all", 6, 3]
    assert answered_by(SLICES, "await worked(2)") == [None, 3, 2]


ASKED = """
import { oneByOne } from "./app/remote.js";
async function asked(fails) {
  const begun = [];
  const ask = oneByOne(async (it) => {
    begun.push(it);
    await new Promise((done) => setTimeout(done, 5));
    if (it === fails) throw new Error("lost");
    return it;
  });
  const first = ask("a");
  await null;
  const found = await Promise.allSettled([first, ask("b"), ask("c"), ask("d")]);
  return [begun, found.map((it) => it.value ?? it.reason?.message ?? null)];
}
"""


def test_of_questions_that_wait_a_server_is_asked_the_last() -> None:
    assert answered_by(ASKED, "await asked()") == [["a", "d"], ["a", None, None, "d"]]
    assert answered_by(ASKED, "await asked('a')") == [["a", "d"], ["lost", None, None, "d"]]
