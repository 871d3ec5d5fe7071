"""Pages of a server, looked at in a browser that tells what they should not have done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.serve.conftest import Running

SCREENS = Path(__file__).parents[2] / "build" / "screens"
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
SIZES = {390: 844, 768: 1024, 1280: 800}
#: A phone, a tablet and a desk, in dark and in light.
WINDOWS = [(390, "dark"), (768, "light"), (1280, "light")]
#: Waits until what moves or fades has come to its end.
STILL = """() => Promise.all(document.getAnimations()
  .filter((it) => Number.isFinite(it.effect.getComputedTiming().endTime))
  .map((it) => it.finished.catch(() => {})))"""
#: What the browser itself says of each answer that is a refusal.
REFUSED = "Failed to load resource: the server responded with a status of 4"


@contextmanager
def looking(
    chromium: Browser, served: Running, path: str = "/", *, token: str = "", **how: Any
) -> Iterator[Page]:
    """Open a page; at the end nothing may have gone wrong, and no request have left the origin."""
    wrong: list[str] = []
    context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **how})
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console", lambda it: wrong.append(it.text) if it.type in ("error", "warning") else None
    )
    page.on("request", lambda it: wrong.append(it.url) if _strange(it.url, served.url) else None)
    page.goto(served.url + path + (f"#token={token}" if token else ""))
    yield page
    context.close()
    strange = [text for text in wrong if not text.startswith(REFUSED)]
    assert not strange, strange


def keep_screen(page: Page, name: str) -> None:
    """Write what is seen, for the eye, where the environment says that somebody wants to look."""
    if not os.environ.get("DISCREET_SCREENS"):
        return
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENS / f"{name}.png", full_page=True)


def widest(page: Page) -> int:
    """Return how wide the page is; more than the window would have to be scrolled sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width


def nameless(page: Page) -> list[str]:
    """Return what can be used on a page and has no name that a screen reader could say."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, a[href], meter")]
        .filter((it) => it.checkVisibility() && it.getAttribute("aria-hidden") !== "true")
        .filter((it) => !(it.getAttribute("aria-label") || it.getAttribute("aria-labelledby")
          || (it.labels && it.labels.length) || it.textContent.trim()))
        .map((it) => it.outerHTML)"""
    )
    return found


def violations(page: Page, rules: str = "all") -> list[str]:
    """Return what axe-core finds wrong with a page as it is seen now: rule, places, and why."""
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text(encoding="utf-8"))  # past the page's CSP, as devtools are
    page.evaluate(STILL)  # colours on their way to others have contrasts of their own
    found: list[str] = page.evaluate(
        """async (rules) => (await axe.run(document, {
          resultTypes: ["violations"], ...(rules === "all" ? {} : { runOnly: [rules] }),
        })).violations.map((it) =>
          `${it.id}: ${it.nodes.map((of) => of.target.join(" ")).join(", ")}`
          + `: ${it.nodes[0].failureSummary}`)""",
        rules,
    )
    return found


def _strange(url: str, origin: str) -> bool:
    return not url.startswith((origin, f"blob:{origin}", "data:"))
