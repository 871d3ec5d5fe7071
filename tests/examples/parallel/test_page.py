"""The page: figures with captions in three parts, and conclusions with their numbers."""

from pathlib import Path

from examples.parallel.drawing import Plate
from examples.parallel.page import write_page
from examples.rounding.judged import judged


def test_a_page_shows_what_was_made(tmp_path: Path) -> None:
    plate = Plate(5, "Seeds & sizes", "k < 4", "ours", "nothing", ())
    found = judged("4.1", "It is <so>.", [True, False], "1 & 2")
    text = write_page([plate], [found], tmp_path).read_text(encoding="utf-8")
    assert '<img src="2011_figure_05.png"' in text
    assert "<i>The paper:</i> k &lt; 4" in text
    assert "Seeds &amp; sizes" in text
    assert '<td class="verdict">In part</td><td>4.1</td><td>It is &lt;so&gt;.</td>' in text
