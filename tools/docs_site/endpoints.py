"""The reference of the server: each address as its OpenAPI file describes it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import discreet as dc
from discreet.serve.app import create_app
from discreet.serve.record import open_record
from discreet.serve.studies import Studies
from tools.docs_site.markdown import code, table

Plain = Mapping[str, Any]


def schema() -> dict[str, Any]:
    """Return what a server of a public cohort says at /api/openapi.json."""
    with tempfile.TemporaryDirectory() as name:
        study = dc.open(dc.datasets.diabetes(), study="diabetes")
        path = dc.Protected(study).publish(Path(name, "diabetes.discreet"))
        return create_app(Studies([path], open_record(Path(name, "state")))).openapi()


def endpoints(described: Plain) -> Iterator[tuple[str, str, Plain]]:
    """Yield method, path and description of each address."""
    for path, methods in described["paths"].items():
        for method, said in methods.items():
            yield method.upper(), path, said


def endpoints_page(described: Plain) -> str:
    """Return the page."""
    parts = [
        "# Addresses of the server\n\nWhat a server says of itself at `/api/openapi.json`, where "
        "each field has its limits. [A study on the web](../serving.md) shows how they are used.\n"
    ]
    for method, path, said in endpoints(described):
        parts += [f"({anchor(method, path)})=\n## `{method} {path}`\n", f"{said['description']}\n"]
        named = said.get("parameters", [])
        head = ("parameter", "in", "is", "must be there")
        rows = (
            (code(it["name"]), it["in"], _kind(it["schema"]), _must(it.get("required")))
            for it in named
        )
        parts.append(table(head, rows))
        parts += list(_body(said))
        parts.append(f"Answers: {', '.join(map(code, sorted(said['responses'])))}.\n")
    return "\n".join(parts)


def anchor(method: str, path: str) -> str:
    """Return the anchor of an address."""
    words = path.translate(str.maketrans("/_.", "---", "{}")).strip("-")
    return f"{method.lower()}-{words}"


def _body(said: Plain) -> Iterator[str]:
    """Yield the fields of what is sent, by the kind of content."""
    for content, it in said.get("requestBody", {}).get("content", {}).items():
        fields = it["schema"].get("properties", {})
        must = it["schema"].get("required", [])
        yield f"It takes `{content}`{':' if fields else '.'}\n"
        rows = ((code(key), _kind(of), _must(key in must)) for key, of in fields.items())
        yield table(("field", "is", "must be there"), rows)


def _must(required: Any) -> str:
    return "yes" if required else "no"


def _kind(of: Plain) -> str:
    """Return in words what a value may be."""
    if ways := of.get("anyOf") or of.get("oneOf"):
        return " or ".join(dict.fromkeys(_kind(way) for way in ways if way.get("type") != "null"))
    if words := of.get("enum"):
        return ", ".join(code(json.dumps(word)) for word in words)
    if of.get("type") == "array":
        return f"list of {_kind(of['items'])}" if "items" in of else "list"
    low, high = (of.get(key) for key in ("minimum", "maximum"))
    ends = f" from {low:,.10g} to {high:,.10g}" if low is not None and high is not None else ""
    return f"{of.get('type', 'any value')}{ends}"
