"""Take the pictures of the pages that the README shows, into docs/images. It needs Chromium.

python -m examples.screens
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from pyarrow.csv import write_csv

from discreet.datasets import diabetes
from discreet.serve.record import open_record
from discreet.serve.tokens import add_token

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIZE = {"width": 1280, "height": 860}
POLICY = """
name = "clinic"

[roles]
progression = "sensitive"
"""
DRAWN: tuple[tuple[str, dict[str, object]], ...] = (
    ("histogram", {"columns": ["glucose"]}),
    ("scatter", {"columns": ["age", "glucose"], "by": "sex"}),
    ("bars", {"columns": ["sex"]}),
    # refused: the copy was made with another k
    ("heatmap", {"columns": ["age", "glucose"], "k": 3}),
)
BOARD = (
    "parallel:glucose,bmi,age,progression:colour=sex:wide=true",
    "histogram:glucose",
    "scatter:age,bmi",
)


def main() -> None:
    """Serve the public cohort, and take both pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_csv(diabetes(), folder / "cohort.csv")
        policy = folder / "clinic.toml"
        policy.write_text(POLICY, encoding="utf-8")
        secret = folder / "discreet.secret"
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_hex(32), encoding="ascii")
        store, tokens = open_record(folder / "state"), {"alice": "", "carol": ""}
        tokens["alice"] = add_token(store, "cohort.csv", "alice")
        tokens["carol"] = add_token(store, "cohort.csv", "carol", "custodian")
        command = [sys.executable, "-m", "discreet", "serve", str(folder / "cohort.csv")]
        command += ["--policy", str(policy), "--state", str(folder / "state")]
        command += ["--port", "0", "--json"]
        # A home of its own: the key of an earlier run would be another custodian's.
        env = {**os.environ, "DISCREET_STATE": str(folder / "home")}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as server:
            if server.stdout is None:
                raise RuntimeError("the server says nothing")
            address = json.loads(server.stdout.readline())["address"]
            try:
                take(address, tokens)
            finally:
                server.terminate()


def take(address: str, tokens: dict[str, str]) -> None:
    """Open both pages, use them a little, and keep what is to be seen."""
    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("the pictures of the pages need Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(f"{address}/#token={tokens['alice']}&cards={';'.join(BOARD)}")
        page.locator("article.card .rib").first.wait_for()
        page.wait_for_timeout(1000)
        page.locator("article.card .hit").nth(4).hover()
        page.wait_for_timeout(800)
        page.screenshot(path=IMAGES / "analyst.png")
        for kind, body in DRAWN:
            asked(page, f"{address}/api/views/{kind}", body, tokens["alice"])
        shown = asked(page, f"{address}/api/views/{DRAWN[0][0]}", DRAWN[0][1], tokens["alice"])
        figure = {"id": shown["id"], "form": "figure.svg", "text": "figure 1 of the paper"}
        asked(page, f"{address}/api/outputs", figure, tokens["alice"])
        asked(page, f"{address}/api/questions", {"id": shown["id"]}, tokens["alice"])
        page.goto(f"{address}/custodian#token={tokens['carol']}")
        page.wait_for_timeout(2500)
        page.screenshot(path=IMAGES / "custodian.png")
        browser.close()


def asked(page: Page, address: str, body: dict[str, object], token: str) -> dict[str, object]:
    """Ask for something beside the page, so that the custodian's has something to show."""
    headers = {"Authorization": f"Bearer {token}"}
    found: dict[str, object] = page.request.post(address, data=body, headers=headers).json()
    return found


if __name__ == "__main__":
    main()
