"""A figure that draws itself: every kind of view, as a page, as a widget, and read aloud."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

from discreet.errors import InputError
from discreet.plots import HistogramView, ParallelAxis, ParallelView, View
from discreet.plots.view import Origin
from discreet.web.parts import figure_style, script_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from discreet.explore import Study

NASTY = '</script><script>globalThis.broken = 1</script><!--"&\u2028<img src=x onerror=broken=2>'
FEW = "not reliable: differences in bmi may be off by up to 2.5 (kg/m²)"
OTHERS = "differences in age by sex may be off by up to 1"
PUBLIC = Origin("research", "research", True, "trial", None, None, "persons")
MADE: dict[str, Any] = {"method": "suppression", "suppressed": 1}
HISTOGRAM = HistogramView(
    columns=("age",),
    edges=(0.0, 1.0, 2.0, 3.0),
    counts=(5, None, 7),
    density=(5.0, None, 7.0),
    parameters={"k": 3},
    origin=PUBLIC,
    **MADE,
)
AXES = tuple(ParallelAxis(name, "continuous", 0.0, 100.0) for name in ("a", "b", "c"))
CLUSTERS = ParallelView(
    columns=("a", "b", "c"),
    axes=AXES,
    pixels=100,
    clusters=(((0, 10, 0, 10), (40, 60, 40, 60)), ((0, 10, 70, 90), (40, 60, 20, 30))),
    joins=(((0, 0), (1, 0), (1, 1)),),
    parameters={"k": 3},
    origin=PUBLIC,
    **MADE | {"method": "k-member"},
)

Ask = Callable[["Study"], View]
#: Every kind of view, and the ways in which it is divided.
VIEWS: dict[str, Ask] = {
    "histogram": lambda it: it.histogram("age"),
    "histogram of dates": lambda it: it.histogram("visit"),
    "histogram of weights": lambda it: it.histogram("age", weights="marker"),
    "outlines": lambda it: it.histogram("age", by="band", overlay=True),
    "panels of a level": lambda it: it.histogram("age", by="band"),
    "panels of pairs": lambda it: it.heatmap("age", "months", by=("band", "died")),
    "panels of boxes": lambda it: it.box("change", by=("band", "died")),
    "bars": lambda it: it.bars("arm", by="band"),
    "crosstab": lambda it: it.crosstab("arm", "band"),
    "heatmap": lambda it: it.heatmap("age", "months"),
    "contour": lambda it: it.contour("age", "change"),
    "scatter": lambda it: it.scatter("age", "change", by="band", trend=True),
    "density of points": lambda it: it.scatter("age", "change", show="density"),
    "box": lambda it: it.box("age", "months", "change"),
    "violin": lambda it: it.violin("change", by="band"),
    "density": lambda it: it.density("change", by="band"),
    "ecdf": lambda it: it.ecdf("change"),
    "survival": lambda it: it.survival("months", "died", by="band"),
    "over time": lambda it: it.over_time("visit"),
    "correlations": lambda it: it.correlations(["age", "months", "marker"]),
    "parallel": lambda it: it.parallel(["age", "months", "band"]),
    "residuals": lambda it: it.residuals("change ~ age"),
    "qq": lambda it: it.qq("change ~ age"),
    "leverage": lambda it: it.leverage("change ~ age"),
}


@pytest.fixture(scope="module")
def tables(study: Study) -> list[dict[str, Any]]:
    """A table of each kind, as a server answers it."""
    asked = {
        "summary": study.summary(["age", "arm"], by="band"),
        "means": study.means("change", ["arm"]),
        "model": study.model("change ~ age"),
    }
    texts = {kind: replace(it, gate=None, sealer=None).to_json() for kind, it in asked.items()}
    return [{"kind": kind, **json.loads(text)} for kind, text in texts.items()]


@pytest.fixture(scope="module")
def views(study: Study) -> dict[str, View]:
    return {name: replace(ask(study), gate=None, sealer=None) for name, ask in VIEWS.items()}


def plain(view: View) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(replace(view, gate=None, sealer=None).to_json())
    return found


@contextmanager
def quiet_page(browser: Browser, *, own: str = "about:blank", **how: Any) -> Iterator[Page]:
    """Open a page; at its end, check that it had no error and asked for `own` and blobs alone."""
    page = browser.new_page(**{"viewport": {"width": 1000, "height": 800}, **how})
    wrong: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    try:
        yield page
        assert wrong == []
        kept = ("blob:", "data:image/svg+xml")
        assert [url for url in asked if url != own and not url.startswith(kept)] == []
    finally:
        page.close()


SHOW = """
import { draw } from "./figure/any.js";
globalThis.show = (view) => {
  globalThis.drawn?.destroy();
  globalThis.drawn = draw(document.querySelector("main"), view);
};
"""


@contextmanager
def drawing(browser: Browser, **how: Any) -> Iterator[Page]:
    """Open a page that draws any view: `show(view)`, and `drawn`."""
    with quiet_page(browser, **how) as page:
        page.set_content("<!DOCTYPE html><html lang=en><body><main></main></body></html>")
        page.add_style_tag(content=figure_style())
        page.add_script_tag(content=script_of(SHOW), type="module")
        page.wait_for_function("globalThis.show !== undefined")
        yield page


SEEN = """() => {
  const pic = document.querySelector(".pic");
  const svg = drawn.svg();
  return {
    marks: pic.querySelectorAll("[data-m]").length,
    named: pic.querySelector("svg, table").getAttribute("aria-label"),
    rows: document.querySelectorAll(".numbers tbody tr").length,
    wide: document.documentElement.scrollWidth,
    svg,
    isXml: !new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror"),
    foreign: document.querySelectorAll("main img, main script").length,
  };
}"""


class TestKinds:
    @pytest.mark.slow
    def test_each_view_is_drawn_named_and_saved_as_svg(
        self, chromium: Browser, views: Mapping[str, View]
    ) -> None:
        with drawing(chromium, color_scheme="dark") as page:
            for name, view in views.items():
                page.evaluate("(view) => show(view)", plain(view))
                seen = page.evaluate(SEEN)
                assert "undefined" not in seen["named"], name
                assert "NaN" not in seen["svg"], name
                assert seen["rows"] > 0 or name == "crosstab", name
                assert seen["marks"] > 0 or name in ("density", "ecdf"), name
                assert (seen["isXml"], seen["foreign"], seen["wide"]) == (True, 0, 1000), name
                assert "<image" not in seen["svg"], name
                assert "var(--" not in seen["svg"], name
                assert page.evaluate("document.querySelectorAll('.tip:not([hidden])').length") == 0

    @pytest.mark.slow
    def test_tables_are_drawn_too(self, chromium: Browser, tables: list[dict[str, Any]]) -> None:
        with drawing(chromium) as page:
            for table in tables:
                page.evaluate("(view) => show(view)", table)
                assert page.locator(".figs tbody tr").count() >= len(table["lines"])
                assert page.locator(".numbers").is_hidden()
                assert page.locator("main img").count() == 0

    @pytest.mark.slow
    def test_points_are_marks_of_a_saved_file(
        self, chromium: Browser, views: Mapping[str, View]
    ) -> None:
        view = plain(views["scatter"])
        with drawing(chromium) as page:
            page.evaluate("(view) => show(view)", view)
            circles = page.evaluate("drawn.svg().match(/<circle/g).length")
        # Of some rows at one point, up to four are drawn over one another.
        assert circles == sum(min(4, size) for size in view["size"])

    @pytest.mark.slow
    def test_names_are_text_wherever_they_stand(
        self, chromium: Browser, views: Mapping[str, View]
    ) -> None:
        with drawing(chromium) as page:
            for name in ("histogram", "bars", "crosstab", "parallel", "box", "outlines"):
                text = json.dumps(plain(views[name]))
                for column in ("age", "arm", "band"):
                    text = text.replace(f'"{column}"', json.dumps(f"{column}{NASTY}"))
                page.evaluate("(view) => show(JSON.parse(view))", text)
                seen = page.evaluate(SEEN)
                assert (seen["foreign"], seen["isXml"]) == (0, True), name
            assert page.evaluate("globalThis.broken") is None


class TestHidden:
    def test_a_hidden_bar_has_a_sign_below_the_axis_and_says_so(self, chromium: Browser) -> None:
        with drawing(chromium) as page:
            page.evaluate("(view) => show(view)", plain(HISTOGRAM))
            (sign,) = page.locator("rect.hidden").all()
            bars = page.locator("rect.bar")
            box, bar = sign.bounding_box(), bars.first.bounding_box()
            assert bars.count() == 2
            assert box is not None
            assert bar is not None
            assert box["y"] >= bar["y"] + bar["height"]
            cells = page.locator(".numbers tbody td:first-of-type").all_text_contents()
            assert cells == ["5", "hidden", "7"]
            heads = page.locator(".numbers thead th").all_text_contents()
            assert heads[:2] == ["", "persons"]

    def test_very_many_rows_are_cut_and_it_says_so(self, chromium: Browser) -> None:
        many = replace(HISTOGRAM, edges=tuple(range(602)), counts=(3,) * 601, density=(3.0,) * 601)
        with drawing(chromium) as page:
            page.evaluate("(view) => show(view)", plain(many))
            assert page.locator(".numbers tbody tr").count() == 500
            said = page.locator(".numbers caption").text_content()
            assert said == "The first 500 rows of 601"


class TestClusters:
    def test_those_light_up_that_python_says(self, chromium: Browser) -> None:
        with drawing(chromium) as page:
            page.evaluate("(view) => show(view)", plain(CLUSTERS))
            for mark, (gap, place) in enumerate((gap, i) for gap in (0, 1) for i in (0, 1)):
                page.locator(f'[data-m="{mark}"]').dispatch_event("pointermove")
                assert page.locator(".hl path").count() == len(CLUSTERS.lit(gap, place))
            page.locator(".pic").dispatch_event("pointerleave")
            assert page.locator(".hl path").count() == 0

    def test_arrow_keys_walk_and_say_where(self, chromium: Browser) -> None:
        with drawing(chromium) as page:
            page.evaluate("(view) => show(view)", plain(CLUSTERS))
            page.keyboard.press("Tab")
            page.keyboard.press("ArrowRight")
            said = page.locator("[aria-live]").text_content()
            assert said == "a 0–10 · b 0–10, at least 3 persons"
            assert page.locator(".hl path").count() == len(CLUSTERS.lit(0, 0))

    def test_those_that_are_chosen_are_lit_at_once(self, chromium: Browser) -> None:
        with drawing(chromium) as page:
            page.evaluate("(view) => show(view)", plain(CLUSTERS.select(0, 1)))
            assert page.locator(".hl path").count() == len(CLUSTERS.lit(0, 1)) == 3


class TestRedrawn:
    def test_another_light_another_width_and_none_at_first(self, chromium: Browser) -> None:
        ink = "getComputedStyle(document.querySelector('.figure')).color"
        width = "document.querySelector('.pic svg').viewBox.baseVal.width"
        with drawing(chromium, color_scheme="light") as page:
            page.evaluate("document.querySelector('main').hidden = true")
            page.evaluate("(view) => show(view)", plain(HISTOGRAM))
            assert page.locator(".pic svg").count() == 0
            page.evaluate("document.querySelector('main').hidden = false")
            page.wait_for_selector(".pic svg")
            light, wide = page.evaluate(ink), page.evaluate(width)
            page.set_viewport_size({"width": 400, "height": 800})
            page.wait_for_function(f"{width} < {wide}")
            page.emulate_media(color_scheme="dark")
            page.wait_for_function(f"{ink} !== '{light}'")


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class TestPage:
    def test_its_view_can_be_read_back(self) -> None:
        found = re.search(
            r'<script type="application/json" id="view">(.*?)</script>', CLUSTERS.to_html(), re.S
        )
        assert found is not None
        assert View.from_json(found[1]) == CLUSTERS

    def test_names_are_escaped_wherever_they_stand(self) -> None:
        page = replace(HISTOGRAM, columns=(NASTY,)).to_html()
        assert "globalThis.broken = 1</script>" not in page
        assert page.count("</script>") == 2
        assert "<img" not in page.partition('<script type="module">')[0]

    def test_the_policy_lets_its_own_script_and_style_run_and_nothing_else(self) -> None:
        page = HISTOGRAM.to_html()
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
        assert policy is not None
        rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy[1]).split(";"))
        (code,) = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
        assert rules == {
            "default-src": "'none'",
            "script-src": digest(code),
            "style-src": digest(style),
            "img-src": "blob: data:",
            "base-uri": "'none'",
            "form-action": "'none'",
        }
        before = page.partition("<script")[0]
        assert not re.search(r"\sstyle=|\son\w+=", before)
        addresses = set(re.findall(r"https?://[^\s\"'`]+", page))
        known = ("http://www.w3.org/2000/svg", "https://d3js.org/")  # of a language; in a comment
        assert all(it.startswith(known) for it in addresses)
        assert not re.findall(r"fetch\(|XMLHttpRequest|WebSocket|import\(|eval\(", code)

    def test_it_opens_from_a_file_and_says_how_it_was_made(
        self, chromium: Browser, tmp_path: Path
    ) -> None:
        path = tmp_path / "figure.html"
        path.write_text(replace(HISTOGRAM, columns=(NASTY,)).to_html(), encoding="utf-8")
        with quiet_page(chromium, own=path.as_uri(), color_scheme="dark") as page:
            page.goto(path.as_uri())
            page.wait_for_selector(".pic svg")
            assert page.locator("h1").inner_text().startswith("Histogram of </script><script>")
            assert "suppression (k = 3)" in page.locator(".made").inner_text()
            assert page.evaluate("globalThis.broken") is None
            assert page.locator("img").count() == 0

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("remarks", "says", "grey"),
        [
            ((FEW,), "N" + FEW[1:], True),
            ((FEW, OTHERS), "N" + FEW[1:], False),
            ((OTHERS,), None, False),
        ],
        ids=["nothing is", "some are", "all are"],
    )
    def test_what_is_not_reliable_is_said_first_and_shown_grey(
        self,
        chromium: Browser,
        remarks: tuple[str, ...],
        says: str | None,
        grey: bool,
        tmp_path: Path,
    ) -> None:
        path = tmp_path / "figure.html"
        view = replace(HISTOGRAM, origin=replace(PUBLIC, remarks=remarks))
        path.write_text(view.to_html(), encoding="utf-8")
        with quiet_page(chromium, own=path.as_uri()) as page:
            page.goto(path.as_uri())
            page.wait_for_selector(".pic svg")
            first = page.locator(".unreliable")
            assert first.all_inner_texts() == ([says] if says else [])
            opacity = page.locator(".pic svg").evaluate("(it) => getComputedStyle(it).opacity")
            assert (float(opacity) < 0.5) is grey
            assert "ot reliable" not in page.locator("#short").inner_text()
            if says:
                above, below = first.bounding_box(), page.locator(".pic").bounding_box()
                assert above is not None
                assert below is not None
                assert above["y"] < below["y"]

    def test_a_script_that_is_put_into_it_does_not_run(
        self, chromium: Browser, tmp_path: Path
    ) -> None:
        path = tmp_path / "figure.html"
        put_in = "<script>globalThis.broken = 3</script><body onload='globalThis.broken = 4'>"
        path.write_text(HISTOGRAM.to_html().replace("<body>", put_in), encoding="utf-8")
        page = chromium.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector(".pic svg")
        assert page.evaluate("globalThis.broken") is None
        assert page.evaluate("fetch('data:text/plain,x').then(() => 1, () => 0)") == 0
        page.close()

    @pytest.mark.slow
    def test_pictures_are_saved_from_it(self, chromium: Browser, tmp_path: Path) -> None:
        path = tmp_path / "figure.html"
        path.write_text(HISTOGRAM.to_html(), encoding="utf-8")
        with quiet_page(chromium, own=path.as_uri()) as page:
            page.goto(path.as_uri())
            for form, head in {"svg": b"<svg xmlns", "png": b"\x89PNG\r\n\x1a\n"}.items():
                with page.expect_download() as download:
                    page.locator(f"#{form}").click()
                assert download.value.suggested_filename == f"histogram-age.{form}"
                file = Path(download.value.path()).read_bytes()
                assert file.startswith(head)
                assert form == "png" or b">Histogram of age</text>" in file


MODEL = """
const held = {};
const model = {
  get: (name) => held[name],
  on: (name, act) => (held[`on ${name}`] = act),
  off: (name) => delete held[`on ${name}`],
};
globalThis.start = (esm, view) => {
  held.view = view;
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  return import(url).then((found) => found.default.render({ model, el: document.body }));
};
globalThis.change = (view) => { held.view = view; held["on change:view"](); };
"""

NOTEBOOK = """
from tests.web.test_figure import HISTOGRAM
HISTOGRAM.widget()
"""

BOARD = """
import pyarrow as pa, discreet as dc
dc.board(pa.table({"age": [20.0 + i % 40 for i in range(90)]}), title="Ages")
"""


class TestWidget:
    def test_its_traits_hold_the_view_alone(self) -> None:
        widget = HISTOGRAM.widget()
        state = widget.get_state()
        own = {name for name in state if not name.startswith("_")} - {"layout", "tabbable"}
        assert own - {"tooltip"} == {"view"}
        assert state.get("tooltip") is None
        assert View.from_json(state["view"]) == HISTOGRAM
        assert repr(widget) == "<a plot of discreet>"

    def test_it_draws_in_a_browser_and_again_when_the_view_changes(self, chromium: Browser) -> None:
        with quiet_page(chromium) as page:
            page.goto("about:blank")
            page.add_script_tag(content=MODEL)
            state = HISTOGRAM.widget().get_state()
            start = "async ([esm, view]) => { globalThis.end = await start(esm, view); }"
            page.evaluate(start, [state["_esm"], state["view"]])
            assert page.locator("rect.bar").count() == 2
            # Its style stays with it.
            assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"Times')
            other = replace(HISTOGRAM, counts=(5, 6, 7))
            page.evaluate("(view) => change(view)", json.dumps(plain(other)))
            assert page.locator("rect.bar").count() == 3
            page.evaluate("end()")
            assert page.locator(".figure").count() == 0

    @pytest.mark.slow
    def test_a_notebook_shows_it_and_a_board(self) -> None:
        cell: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": []}
        told: dict[str, Any] = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}}
        cell["execution_count"] = None
        told["cells"] = [{**cell, "source": it} for it in (NOTEBOOK, BOARD)]
        notebook: Any = nbformat.from_dict(told)  # type: ignore[no-untyped-call]
        client = NotebookClient(notebook, timeout=600, startup_timeout=300, kernel_name="python3")
        client.execute()
        outputs = [it.outputs[0] for it in notebook.cells]
        assert all("application/vnd.jupyter.widget-view+json" in it.data for it in outputs)
        assert outputs[0].data["text/plain"] == "<a plot of discreet>"
        states = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
        held = [it["state"] for it in states.values()]
        (view,) = (it["view"] for it in held if "view" in it)
        assert View.from_json(view) == HISTOGRAM
        (board,) = (it for it in held if "page" in it)
        assert board["title"] == "The board of Ages"
        assert '"rows": 90' in board["page"] or '"rows":90' in board["page"]

    def test_without_anywidget_it_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "anywidget", None)
        with pytest.raises(InputError, match=r"pip install 'discreet\[jupyter\]'"):
            HISTOGRAM.widget()
