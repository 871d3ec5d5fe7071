"""Pictures as the page drew them: checked, sealed, and recorded before they are given back.

Analysts save what they see. The server did not draw it, so it reads it strictly (`page_drawing`):
marks and words, or pixels, and nothing beside. It writes what is known of the plot or table into
the file, and seals it: the numbers that the provenance names are those of the copy, and the file
was not changed since. Whether the picture shows these numbers is for people to see.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from discreet.errors import InputError
from discreet.estimates.copy_table import CopyTable
from discreet.plots import View
from discreet.provenance import Provenance, Sealer
from discreet.render.page_drawing import BY_PAGE, read_drawing, read_png, with_about
from discreet.render.page_pdf import missing_in, pdf_of
from discreet.render.sealing import sealed_file
from discreet.serve.answers import Sent, earlier_request, heavy, recorded, refused, remake
from discreet.serve.record import Answer, LogEntry
from discreet.serve.refusals import Refusal, refusal
from discreet.serve.requests import STRICT, Body
from discreet.serve.studies import Served
from discreet.serve.tokens import Caller

DRAWN = "drawn"
"""What the record calls a request for this that is refused."""
MEDIA = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
MOST_LETTERS = 2_800_000
"""Of a drawing as text: bytes of an image take four letters for three."""
DRAWN_FORMS = {
    "view": ("figure.svg", "figure.png", "figure.pdf"),
    "table": ("table.svg", "table.png", "table.pdf"),
}
"""The forms that a page draws plots and tables in."""
OTHER_FORM = "form: this plot or table has no drawing of this form"
Form = Literal["figure.svg", "figure.png", "figure.pdf", "table.svg", "table.png", "table.pdf"]
Text = Annotated[str, Field(max_length=MOST_LETTERS)]


class Drawn(BaseModel):
    """A picture as a page drew it: an SVG, or for a .png its bytes in base 64; and its form."""

    model_config = STRICT

    form: Form
    drawing: Text


@dataclass(frozen=True)
class DrawnFile:
    """A sealed file of a drawing, and the scripts of its words that no font here has."""

    data: bytes
    missing: tuple[str, ...] = ()


def seal(served: Served, caller: Caller, view: str, body: Body) -> Sent:
    """Give a drawing back as a file that says where it comes from."""
    before = earlier_request(served, caller, view)
    if isinstance(before, Refusal):
        return refused(served, caller, DRAWN, before)
    form, request = body["form"], json.dumps({"view": view})
    make = partial(drawn_file, served, caller, before, body)
    found = recorded(served, caller, form, request, make)
    if isinstance(found, Refusal):
        return found
    said = {"Missing-Letters": ", ".join(found.missing)} if found.missing else {}
    return Answer(200, found.data, MEDIA[_ending(form)], said)


def drawn_file(served: Served, caller: Caller, entry: LogEntry, body: Body) -> DrawnFile | Refusal:
    """Return a drawing of something that was asked for as a sealed file."""
    answer = remake(served, caller, entry)
    if isinstance(answer, Refusal):
        return answer
    plain = json.loads(answer)
    if body["form"] not in DRAWN_FORMS["table" if "table" in plain else "view"]:
        return refusal("request", OTHER_FORM)
    about = _about(served, plain)
    ending, drawing = _ending(body["form"]), body["drawing"]
    sealer, provenance = Sealer(served.file.key), _provenance(plain)
    try:
        read = None if ending == "png" else read_drawing(drawing.encode("utf-8"))
        if read is None or ending == "svg":
            made: bytes | Refusal = _written(ending, drawing, about)
        else:
            name = f"pdf {entry.view} {hashlib.sha256(drawing.encode()).hexdigest()}"
            made = heavy(served, caller, name, lambda: pdf_of(read, "\n".join(about)))
    except InputError as error:
        return refusal("request", f"drawing: {error}")
    if isinstance(made, Refusal):
        return made
    missing = missing_in(read) if ending == "pdf" and read is not None else ()
    return DrawnFile(sealed_file(provenance, sealer, made, f".{ending}", BY_PAGE), missing)


def _ending(form: str) -> str:
    return form.rpartition(".")[2]


def _written(ending: str, drawing: str, about: tuple[str, ...]) -> bytes:
    """Return a drawing as it was sent, with words about it."""
    if ending == "png":
        try:
            return with_about(read_png(b64decode(drawing, validate=True)), about)
        except Error:
            raise InputError("it must be a PNG in base 64") from None
    svg = drawing.encode("utf-8")
    at = svg.rindex(b"</svg>")
    said = f'<metadata id="about">{escape(chr(10).join(about))}</metadata>\n'.encode()
    return svg[:at] + said + svg[at:]


def _about(served: Served, answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what a file is of: the study and its version, the rules, and how it was made."""
    policy = served.file.policy
    says = str(answer.get("says") or answer.get("text", "")).splitlines()
    rules = f"k = {policy.k}, m = {policy.members}"
    source = f"study {served.name}, version {served.version}, view {answer['id']}"
    return (source, rules, *(says if "view" in answer else ()))


def _provenance(answer: Mapping[str, Any]) -> Provenance | None:
    if "table" in answer:
        return CopyTable.from_json(json.dumps(answer["table"])).provenance
    return View.from_plain(answer["view"]).provenance
