"""What a brush holds, and the filters it becomes: their places, conditions and words."""

from __future__ import annotations

from typing import Any

from tests.web.node import answered_by

ZONES = 'import { brushOf, cellAt, cellBeside, zoneAt, zonesIn } from "./draw/zones.js";'
UP = {"column": "u", "beyond": True, "edges": [3, 2, 1, 0], "stops": [0, 10, 20, 30]}
TIME = {"column": "t", "edges": [5, 6, 8], "stops": [10, 20, 40]}
SEX = {"column": "s", "levels": ["f", "m", "x"], "stops": [0, 10, 20, 30]}
BOX = {"left": 0, "right": 90, "top": 0, "bottom": 30, "also": []}

HELD: dict[str, tuple[Any, Any, Any, list[dict[str, Any]], dict[str, int]]] = {
    "an axis upward, whose last range is open": (
        {**BOX, "y": UP}, {"y": 0}, {"y": 1}, [{"column": "u", "from": 1}],
        {"top": 0, "bottom": 20, "left": 0, "right": 90},
    ),
    "from the end to the beginning": (
        {**BOX, "y": UP}, {"y": 2}, {"y": 1}, [{"column": "u", "to": 2}],
        {"top": 10, "bottom": 30, "left": 0, "right": 90},
    ),
    "the whole axis": (
        {**BOX, "y": UP}, {"y": 2}, {"y": 0}, [{"column": "u"}],
        {"top": 0, "bottom": 30, "left": 0, "right": 90},
    ),
    "periods, which end": (
        {**BOX, "x": TIME}, {"x": 0}, {"x": 1}, [{"column": "t", "from": 5, "to": 8}],
        {"top": 0, "bottom": 30, "left": 10, "right": 40},
    ),
    "levels, in a panel": (
        {**BOX, "y": SEX, "also": [{"column": "b", "levels": ["old"]}]}, {"y": 1}, {"y": 2},
        [{"column": "s", "levels": ["m", "x"]}, {"column": "b", "levels": ["old"]}],
        {"top": 10, "bottom": 30, "left": 0, "right": 90},
    ),
    "cells": (
        {**BOX, "x": TIME, "y": UP}, {"x": 1, "y": 1}, {"x": 1, "y": 1},
        [{"column": "t", "from": 6, "to": 8}, {"column": "u", "from": 1, "to": 2}],
        {"top": 10, "bottom": 20, "left": 20, "right": 40},
    ),
}  # fmt: skip


def test_a_brush_holds_the_cells_from_one_to_another() -> None:
    asked = [it[:3] for it in HELD.values()]
    found = answered_by(ZONES, "given.map((it) => brushOf(...it))", asked)
    held = [{"light": light, "box": box} for *_, light, box in HELD.values()]
    assert dict(zip(HELD, found, strict=True)) == dict(zip(HELD, held, strict=True))


def test_the_cell_of_a_point_is_the_nearest() -> None:
    zone = {**BOX, "x": TIME, "y": UP}
    points = [[-5, -5], [10, 9], [19, 10], [20, 29], [99, 99]]
    found = answered_by(ZONES, "given[1].map((at) => cellAt(given[0], ...at))", [zone, points])
    assert found == [
        {"x": 0, "y": 0}, {"x": 0, "y": 0}, {"x": 0, "y": 1}, {"x": 1, "y": 2}, {"x": 1, "y": 2}
    ]  # fmt: skip
    moved = "given[1].map((by) => cellBeside(given[0], { x: 1, y: 1 }, by))"
    steps = [{"x": 1}, {"y": -1}, {"x": -9, "y": 9}]
    assert answered_by(ZONES, moved, [zone, steps]) == [
        {"x": 1, "y": 1}, {"x": 1, "y": 0}, {"x": 0, "y": 2}
    ]  # fmt: skip


def test_of_zones_that_overlap_the_smallest_is_brushed() -> None:
    small = {**BOX, "left": 40, "right": 50}
    found = answered_by(
        ZONES,
        "[[45, 5], [5, 5], [95, 5]].map((at) => zoneAt(given, ...at))",
        [{**BOX, "x": TIME}, {**small, "y": UP}],
    )
    assert found == [1, 0, -1]


def test_a_panel_moves_its_zones_and_adds_its_level() -> None:
    panel = [{"column": "b", "levels": ["old"]}]
    (found,) = answered_by(ZONES, "zonesIn(...given)", [[{**BOX, "x": TIME}, BOX], [100, 7], panel])
    assert (found["left"], found["top"], found["x"]["stops"]) == (100, 7, [110, 120, 140])
    assert found["also"] == panel


WORDS = """
import { expressionOf, saidOf } from "./app/words.js";
import { lookOf } from "./draw/look.js";
const columns = new Map([
  ["sex", { kind: "level", levels: ["f", "m", "it's"] }], ["code", { kind: "number" }],
  ["day", { kind: "number", dates: true }],
]);
const said = (it) => [expressionOf(it, columns), saidOf(it, lookOf(columns))];
"""
SAID: dict[str, tuple[dict[str, Any], str, str]] = {
    "one level": ({"column": "sex", "levels": ["f"]}, "sex == 'f'", "sex: f"),
    "several": (
        {"column": "sex", "levels": ["f", "it's"]}, "sex in ('f', 'it''s')", "sex: f or it's"
    ),
    "a gap": ({"column": "sex", "levels": ["(missing)"]}, "missing(sex)", "sex: (missing)"),
    "a level and a gap": (
        {"column": "sex", "levels": ["m", "(missing)"]},
        "sex == 'm' or missing(sex)", "sex: m or (missing)",
    ),
    "numbers as levels": (
        {"column": "code", "levels": ["1", "2"]}, "code in (1, 2)", "code: 1 or 2"
    ),
    "all of them": ({"column": "code"}, "not missing(code)", "code is known"),
    "days": (
        {"column": "day", "from": 0, "to": 31},
        "'1970-01-01' <= day < '1970-02-01'", "day 1 Jan 1970–1 Feb 1970",
    ),
}  # fmt: skip


def test_what_is_brushed_becomes_an_expression() -> None:
    found = answered_by(WORDS, "given.map(said)", [it for it, _, _ in SAID.values()])
    assert dict(zip(SAID, found, strict=True)) == {
        name: [text, words] for name, (_, text, words) in SAID.items()
    }


STATE = """
import { addFilters, changeFilters, filtersOf } from "./app/filters.js";
import { read, written } from "./app/state.js";
const after = (hash, change) => {
  const state = read(hash);
  change(state);
  return [written(state), filtersOf(state).map(({ text, on }) => `${on ? "" : "not "}${text}`)];
};
"""
CHANGES = {
    "one is added": ("where=a", "addFilters(state, ['b'])", "where=a,b", ["a", "b"]),
    "one that is off holds again": (
        "where=a&off=0:b", "addFilters(state, ['b', 'a'])", "where=b,a", ["b", "a"]
    ),
    "one is switched off in the middle": (
        "where=a,b,c", "changeFilters(state, (all) => { all[1].on = false; })",
        "where=a,c&off=1:b", ["a", "not b", "c"],
    ),
    "all are off": (
        "where=a&off=1:b", "changeFilters(state, (all) => { all[0].on = false; })",
        "off=0:a,1:b", ["not a", "not b"],
    ),
    "one before one that is off goes": (
        "where=a,c&off=1:b", "changeFilters(state, (all) => all.toSpliced(0, 1))",
        "where=c&off=0:b", ["not b", "c"],
    ),
    "a text with signs": (
        "off=0:x%20%3D%3D%20'%3A%2C%26',0:", "addFilters(state, [])",
        "off=0:x%20%3D%3D%20'%3A%2C%26'",
        ["not x == ':,&'"],
    ),
}  # fmt: skip


def test_filters_that_are_off_stay_in_the_address() -> None:
    asked = [f"after(given[{i}], (state) => {it[1]})" for i, it in enumerate(CHANGES.values())]
    found = answered_by(STATE, f"[{', '.join(asked)}]", [it[0] for it in CHANGES.values()])
    assert dict(zip(CHANGES, found, strict=True)) == {
        name: [address, filters] for name, (*_, address, filters) in CHANGES.items()
    }
