"""The demo draws every method, and its page shows each picture with what it does not protect."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import discreet as dc
from discreet.plots import PLOTS

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


@pytest.mark.slow
def test_the_page_shows_every_picture_by_every_method(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(DEMO))["main"](tmp_path / "demo")
    page = (tmp_path / "demo" / "index.html").read_text(encoding="utf-8")
    drawn = {path.name for path in (tmp_path / "demo").glob("*.svg")}
    assert set(re.findall(r'<img src="([^"]+)"', page)) == drawn
    for picture, plot in PLOTS.items():
        if picture in ("survival", "over_time"):  # the cohort says of nothing how long it took
            continue
        by_papers = plot.methods if hasattr(dc.Research, picture) else ()
        of_papers = {it for it in drawn if it.startswith(f"research-{picture}-")}
        assert of_papers == {f"research-{picture}-{method}.svg" for method in by_papers}
        guarded = {it for it in drawn if it.startswith(f"standard-{picture}-")}
        assert guarded == {f"standard-{picture}-whole.svg"}  # of the copy alone
    assert page.count("does not protect: ") == len(drawn)
    research = sum(name.startswith("research-") for name in drawn)
    assert page.count("research: each plot protected separately") == research
    assert str(tmp_path / "demo" / "index.html") in capsys.readouterr().out
