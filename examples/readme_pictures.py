"""Draw the pictures of the README into docs/images: the public diabetes cohort, policy standard.

Run with `make pictures`. The secret is written here so that the pictures stay the same; for real
data it is known to the custodian alone.
"""

from __future__ import annotations

import os
from pathlib import Path

import discreet as dc

FOLDER = Path(__file__).parents[1] / "docs" / "images"
SECRET = "7d1f0c9ab4e65823d0917e5c6fb2a48e93c07b1d5a6e4f2089bd3c71e6a05f94"


def main() -> None:
    """Write four pictures."""
    os.environ["DISCREET_SECRET"] = SECRET
    FOLDER.mkdir(parents=True, exist_ok=True)
    policy = dc.Policy.preset(
        "standard", public=True, groups=[["age", "bmi", "glucose"]], study="diabetes"
    )
    study = dc.open(dc.datasets.diabetes(), policy)
    study.scatter("age", "glucose").save(FOLDER / "scatter.png")
    study.histogram("glucose").save(FOLDER / "histogram.png")
    study.heatmap("age", "glucose").save(FOLDER / "heatmap.png")
    study.box("age", "bmi", "glucose").save(FOLDER / "box.png")


if __name__ == "__main__":
    main()
