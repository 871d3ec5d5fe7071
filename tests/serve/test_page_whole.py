"""The analyst's page of a study with one copy of the whole table, in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyarrow import array

from tests.browser import launched
from tests.serve.cohort import cohort, opened
from tests.serve.conftest import running
from tests.serve.looking import keep_screen, looking, nameless
from tests.serve.test_page import asked, choose, draw, pick
from tests.serve.test_whole import WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from tests.serve.conftest import Running

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for all tests of this module."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the cohort, of which the copy leaves a column out."""
    folder = tmp_path_factory.mktemp("whole")
    table = cohort()
    table = table.append_column("visit", array(range(table.num_rows)))
    with running(opened(folder, WHOLE, table), folder) as found:
        yield found


def options(page: Page, label: str) -> list[str]:
    """Return what a field offers."""
    return page.get_by_label(label).locator("option:not([disabled])").all_inner_texts()


def test_the_form_offers_where_a_plot_comes_from(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        sent = asked(page)
        page.locator("#form").wait_for()
        source = page.get_by_label("Drawn from")
        assert len(options(page, "Drawn from")) == 3
        assert page.get_by_label("Divided by the levels of").is_disabled()
        assert not page.get_by_label("bins", exact=True).count()
        draw(page, "Histogram: age")
        source.select_option("copy")
        page.get_by_label("bins", exact=True).fill("8")
        page.get_by_label("Divided by the levels of").select_option("region")
        assert "visit" not in options(page, "Column")
        draw(page, "Histogram: age by region")
        assert "protected copy" in page.locator("#says-lines").inner_text()
        keep_screen(page, "whole-histogram")
        source.select_option("counts")
        assert "visit" in options(page, "Column")
        assert not page.get_by_label("bins", exact=True).count()
        assert nameless(page) == []
        assert sent == [
            ("histogram", {"columns": ["age"]}),
            ("histogram", {"columns": ["age"], "by": "region", "source": "copy", "bins": 8}),
        ]


def test_what_was_set_comes_back_with_the_plot(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        choose(page, "heatmap")
        page.get_by_label("grid", exact=True).fill("12")
        draw(page, "Heat map: age and bmi")
        page.get_by_label("Drawn from").select_option("counts")
        draw(page, "Heat map: age and bmi")
        page.get_by_role("navigation", name="Drawn in this session").get_by_role(
            "button", name="Heat map"
        ).last.click()
        page.locator("#form-settings input[id='parameter-grid']").wait_for()
        assert page.get_by_label("Drawn from").input_value() == "copy"
        assert page.get_by_label("grid", exact=True).input_value() == "12"


def test_two_columns_divide_a_plot(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        sent = asked(page)
        choose(page, "scatter")
        assert not page.get_by_label("and of", exact=True).count()
        page.get_by_label("Divided by the levels of").select_option("sex")
        page.get_by_label("and of", exact=True).select_option("region")
        draw(page, "Scatter plot: age and bmi by sex and region")
        assert sent[-1][1]["by"] == ["sex", "region"]
        named = page.locator(".discreet-row, .discreet-column").all_inner_texts()
        assert "sex: " in named[-1]
        assert "region: " in named[0]
        keep_screen(page, "by-two")
        assert nameless(page) == []


def test_rows_and_new_columns_are_asked_for(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        sent = asked(page)
        where, new = page.get_by_label("Only rows where"), page.get_by_label("New columns")
        where.fill("age > 55 and sec == 1")
        page.locator("#draw").click()
        page.locator("#where-note", has_text="is called sec").wait_for()
        assert page.locator("#where-note mark").inner_text() == "sec"
        assert page.evaluate("document.activeElement.id") == "where"
        where.fill("age > 55 and sex == 1")
        assert not page.locator("#where-note").is_visible()
        new.fill("log_ldl = log(ldl)\nband = cut(bmi, 25, 30)")
        page.get_by_label("Column", exact=True).select_option("log_ldl")
        page.get_by_label("Divided by the levels of").select_option("band")
        draw(page, "Histogram: log_ldl by band where age > 55 and sex == 1")
        assert page.locator("#rough-note").inner_text().startswith("Rough, as only")
        keep_screen(page, "whole-where")
        where.fill("")
        draw(page, "Histogram: log_ldl by band")
        assert not page.locator("#rough-note").is_visible()
        page.get_by_role("button", name="age > 55").click()
        page.locator("#figure-title", has_text="age > 55").wait_for()
        assert where.input_value() == "age > 55 and sex == 1"
        assert new.input_value() == "log_ldl = log(ldl)\nband = cut(bmi, 25, 30)"
        assert nameless(page) == []
        assert sent[1] == (
            "histogram",
            {
                "columns": ["log_ldl"],
                "by": "band",
                "where": "age > 55 and sex == 1",
                "assign": {"log_ldl": "log(ldl)", "band": "cut(bmi, 25, 30)"},
            },
        )


def test_tables_are_asked_for_and_read(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        sent = asked(page, "/api/tables/")
        table, cells = page.locator("#table-host table"), page.locator("#table-host td.n")
        title = page.locator("#figure-title")
        choose(page, "summary")
        page.get_by_label("Add a column").select_option("bmi")
        page.get_by_label("By the levels of").select_option("region")
        page.locator("#draw").press("Enter")
        title.get_by_text("Summary: bmi by region", exact=True).wait_for()
        assert page.locator("#figure-host").is_hidden()
        choose(page, "means")
        page.get_by_label("Mean of").select_option("ldl")
        page.locator("#draw").click()
        title.get_by_text("Means: ldl by sex", exact=True).wait_for()
        page.locator("#figure-host canvas:visible").first.wait_for()
        choose(page, "model")
        page.get_by_label("family").select_option("logistic")
        page.get_by_label("event is").fill("2")
        page.get_by_label("Formula", exact=True).fill("sex ~ agee")
        page.locator("#draw").click()
        page.locator("#formula-note mark", has_text="agee").wait_for()
        page.get_by_label("Formula", exact=True).fill("sex ~ age")
        page.locator("#draw").click()
        title.get_by_text("Model: sex ~ age", exact=True).wait_for()
        assert "odds ratio" in table.inner_text()
        page.locator("#figure-host canvas:visible").first.wait_for()
        keep_screen(page, "whole-model")
        page.get_by_role("button", name="Summary").click()
        title.get_by_text("Summary: bmi by region", exact=True).wait_for()
        answer = page.request.post(
            f"{whole.url}/api/tables/summary",
            data=sent[0][1],
            headers={"Authorization": f"Bearer {whole.token}"},
        ).json()
        lines = answer["table"]["lines"]
        assert cells.all_inner_texts() == [cell for line in lines for cell in line["cells"]]
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Save as CSV").click()
        assert waiting.value.suggested_filename == "summary-bmi-by-region.csv"
        assert nameless(page) == []
        logistic = {"family": "logistic", "event_is": ["2"]}
        assert sent == [
            ("summary", {"columns": ["bmi"], "by": "region"}),
            ("means", {"value": "ldl", "by": ["sex"]}),
            ("model", {"formula": "sex ~ agee", **logistic}),
            ("model", {"formula": "sex ~ age", **logistic}),
            ("summary", {"columns": ["bmi"], "by": "region"}),
        ]


def test_axes_stand_in_any_order_and_are_dragged(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        choose(page, "parallel")
        pick(page, ["diagnosis", "age", "sex", "ldl"])
        draw(page, "Parallel coordinates: diagnosis, age, sex and ldl")
        page.locator("#axes-hint").wait_for()
        axes = page.locator("#figure-host")
        axes.get_by_role("button", name="diagnosis, axis 1").press("ArrowRight")
        page.locator("#figure-title", has_text="age, diagnosis, sex and ldl").wait_for()
        assert not page.locator("#problem").is_visible()
        keep_screen(page, "whole-parallel")


def test_any_column_stands_in_a_formula(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        choose(page, "residuals")
        page.get_by_text("Insert a column").click()
        assert page.get_by_role("button", name="C(region)").is_visible()
        assert not page.get_by_role("button", name="visit", exact=True).count()
        page.get_by_label("Formula of a linear regression").fill("glucose ~ age + C(region)")
        draw(page, "Residuals: glucose ~ age + C(region)")


def test_counts_that_do_not_fit_lead_to_the_copy(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        sent = asked(page)
        choose(page, "parallel")
        pick(page, ["ldl", "hdl", "glucose"])
        page.get_by_label("Drawn from").select_option("counts")
        draw(page, "Parallel coordinates: ldl, hdl and glucose")
        choose(page, "heatmap")
        page.get_by_label("Drawn from").select_option("counts")
        page.locator("#draw").click()
        page.locator("#problem").wait_for()
        keep_screen(page, "whole-leaving")
        page.get_by_role("button", name="Use the nearest allowed request").click()
        page.locator("#figure-title", has_text="Heat map: ldl and hdl").wait_for()
        assert not page.locator("#problem").is_visible()
        assert sent[-1] == ("heatmap", {"columns": ["ldl", "hdl"]})


def test_a_listed_table_is_offered_from_the_base_counts(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    tables = 'budget = 1\ntables = [["sex", "region"]]\n'
    study = opened(folder, WHOLE.replace("budget = 400\n", tables), cohort())
    with (
        running(study, folder) as served,
        looking(chromium, served, token=served.token) as page,
    ):
        sent = asked(page)
        choose(page, "crosstab")
        source = page.get_by_label("Drawn from")
        page.locator("#column-0").select_option("sex")
        page.locator("#column-1").select_option("region")
        source.select_option("base counts")
        draw(page, "Cross-table: sex and region")
        source.select_option("copy")
        draw(page, "Cross-table: sex and region")
        page.locator("#column-1").select_option("diagnosis")
        assert len(options(page, "Drawn from")) == 2
        draw(page, "Cross-table: sex and diagnosis")
        assert "1 of 1 further counts left" in page.locator("#left").inner_text()
        assert sent == [
            ("crosstab", {"columns": ["sex", "region"]}),
            ("crosstab", {"columns": ["sex", "region"], "source": "copy"}),
            ("crosstab", {"columns": ["sex", "diagnosis"]}),
        ]
