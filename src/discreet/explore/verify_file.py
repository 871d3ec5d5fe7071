"""Whether a figure is what a study file gives: it is drawn again of the file's copy, and compared.

There is no secret here. Whoever has the study file can seal what they like, so that what a figure
says of itself is no proof: what it shows is compared, every number and letter. A picture of pixels
and a PDF are drawn again to be looked at, and never called as made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from discreet.errors import DiscreetError, InputError
from discreet.explore.carried import JSON, Carried, read
from discreet.explore.compared import Unlike, unlike
from discreet.explore.drawn_again import drawn_again
from discreet.explore.from_file import FileSession, open_file
from discreet.explore.provenance import COPY, FROM_FILE
from discreet.explore.verdicts import (
    ALTERED,
    AS_MADE,
    ELSEWHERE,
    FAILED,
    NOT_CHECKED,
    NOT_COMPARABLE,
    PASSED,
    UNKNOWN,
    FileCheck,
    check_each,
    result,
)
from discreet.plots import View
from discreet.plots.view import FORMS
from discreet.provenance import DIGITS, Provenance, own_version
from discreet.render.csv_words import CSV
from discreet.render.figure_file import INCH, PNG_DPI, printable, write_whole
from discreet.render.journal import VERSION, Drawing, drawn_by
from discreet.study_file.signing import is_hex

SVG, LOOKED_AT = ".svg", (".png", ".pdf")
"""The forms of pictures that people compare by eye."""
MOST_PIXELS = 6000
"""So many stand side by side in what is drawn beside."""
MOST_WORDS = 300
"""So many letters of why a request is refused are told, for it may repeat the request."""
LIKE_IT = "drawn again from this study file it is the same, to the last number and letter"
OF_COPY = f"{LIKE_IT}; it was made beside the data, and its seal can be checked there alone"
TITLED = "its title is in the words of whoever drew it"
OTHER_ROWS = "made of other rows: it is of another version of this study, or of another study"
OTHER_FILE = "made of the same rows, but from another file of them than this one"
NOT_FROM_FILE = (
    "made beside the data and not from a study file; its custodian can say whether it is as it was"
)
SAYS_NOTHING = (
    "it says nothing of where it comes from: it was made elsewhere, is a table that says nothing"
    " of it, or what it said was taken out"
)
SAYS_OTHERWISE = "what it says of itself was changed"
NO_PLOT = (
    "it is no plot, and only plots are drawn again; make it anew from the study file, and compare"
)
OTHER_NUMBERS = "its numbers are not those that are drawn again"
BY_EYE = (
    "pixels and pages are not compared: have it drawn again beside (--beside FOLDER), and look at"
    " both"
)
TINY = (
    "its numbers differ from those that are drawn again by less than one part in 1,000,000,000, as"
    " they may where another machine calculates them"
)


@dataclass(frozen=True)
class _Case:
    """A figure and what is known of it, while it is compared."""

    path: Path
    held: Carried
    told: Provenance
    checks: dict[str, str] = field(default_factory=dict)

    def found(self, verdict: str, says: str) -> FileCheck:
        """Return the verdict."""
        return FileCheck(self.path.name, verdict, says, self.checks, self.told)

    def changed(self, says: str, drawing: Drawing | None = None) -> FileCheck:
        """Return that it was changed; or that others drew it, who may draw it otherwise."""
        drew = self.told.drawing.get("matplotlib", drawn_by())
        others = [f"discreet {self.told.discreet}"] * (self.told.discreet != own_version())
        others += [f"matplotlib {drew}"] * (drawing is not None and drew != drawn_by())
        if not others:
            return self.found(ALTERED, says)
        by = printable(" and ".join(others))[:80]
        return self.found(
            NOT_COMPARABLE,
            f"it says that it was drawn by {by}, which may draw it in another way; {says}",
        )


@dataclass(frozen=True, repr=False)
class FileVerifier:
    """What figures are compared with: the copy in a study file.

    Parameters
    ----------
    session : FileSession
        The study file.
    beside : Path, optional
        A folder, into which figures are drawn again that are not as made.
    """

    session: FileSession
    beside: Path | None = None

    def check(self, path: str | Path) -> FileCheck:
        """Say whether a figure is what this study file gives.

        Raises
        ------
        InputError
            If there is no such file, it is of a kind that is not released, the study file was
            closed, or there is no folder to draw into.
        """
        path = Path(path)
        if self.beside is not None and not self.beside.is_dir():
            raise InputError(f"there is no folder {str(self.beside)!r} to draw into; make it first")
        self.session.file.nearness()  # which is refused of a file that was closed
        held = read(path)
        if held.words is None:
            return FileCheck(path.name, UNKNOWN, SAYS_NOTHING)
        try:
            told = Provenance.from_text(held.words)
        except InputError:
            return FileCheck(path.name, ALTERED, SAYS_OTHERWISE)
        return self._checked(_Case(path, held, told))

    def check_all(self, paths: Iterable[str | Path]) -> list[FileCheck]:
        """Say the same of several files; of one that cannot be read, why."""
        return check_each(self.check, paths)

    def _checked(self, case: _Case) -> FileCheck:
        """Say it of a figure that says where it comes from."""
        held, told, checks = case.held, case.told, case.checks
        other = self._of_others(told)
        checks["study"] = result(not other)
        if other:
            return case.found(ELSEWHERE, other)
        checks["seal"] = result(told.is_genuine(self.session.key)) if _is_own(told) else NOT_CHECKED
        if checks["seal"] == FAILED or not _is_plain(told):
            return case.found(ALTERED, SAYS_OTHERWISE)
        if held.form != held.ending:
            checks["file"] = FAILED
            return case.found(
                ALTERED, f"it was made as a {held.form} file, and its name now ends otherwise"
            )
        if "plot" not in told.request or held.form not in FORMS:
            return case.found(NOT_COMPARABLE, NO_PLOT)
        try:
            views = drawn_again(self.session, told.request)
            drawing = Drawing.from_plain(told.drawing, held.form)
            found, view = self._compared(case, views, drawing)
            wanted = self.beside is not None and found.verdict != AS_MADE
            again = view.bytes_as(held.form, _in_few_pixels(drawing, held.form)) if wanted else b""
        except (DiscreetError, ArithmeticError, ValueError) as error:  # or numbers beyond all
            checks["drawn again"] = FAILED
            why = printable(str(error))[:MOST_WORDS]
            return case.changed(f"what it says was asked for cannot be drawn: {why}")
        if self.beside is None or not wanted:
            return found
        return replace(found, beside=str(_write_beside(self.beside, case.path, again)))

    def _of_others(self, told: Provenance) -> str:
        """Say of which other rows or file a figure is; nothing of one that is of this file."""
        manifest = self.session.file.manifest
        if told.version != manifest.version:
            return OTHER_ROWS
        if _is_own(told):
            return "" if told.policy == manifest.content[:DIGITS] else OTHER_FILE
        return "" if told.source == COPY else NOT_FROM_FILE

    def _compared(
        self, case: _Case, views: Sequence[View], drawing: Drawing
    ) -> tuple[FileCheck, View]:
        """Compare a figure with the views that it may be of; return that it was compared with."""
        told, checks, key = case.told, case.checks, self.session.key
        mine = [it for it in views if not _is_own(told) or told.holds(key, it.checksum())]
        checks["drawn again"] = result(bool(mine)) if _is_own(told) else NOT_CHECKED
        view = (mine or views)[0]
        if case.held.form in LOOKED_AT:
            return self._looked_at(case, drawing), view
        data, form = case.path.read_bytes(), case.held.form
        fits = self._fits(case)
        if fits and any(_is_of(case, it, drawing, data) for it in mine):
            checks |= {"drawn again": PASSED, "file": PASSED}
            says = LIKE_IT if _is_own(told) else OF_COPY
            titled = f"; {TITLED}" if drawing.title else ""
            return case.found(AS_MADE, f"{says}{titled}"), view
        checks["file"] = FAILED
        if form == SVG and not mine:
            return case.changed(OTHER_NUMBERS), view
        how = unlike(_file(view, told, form, drawing), data, form)
        if how.tiny and fits and form in (JSON, CSV):
            return case.found(NOT_COMPARABLE, TINY), view
        return _unlike(case, drawing, how), view

    def _fits(self, case: _Case) -> bool:
        """Tell whether what a figure says of itself is of the file that it stands in."""
        held, told, key = case.held, case.told, self.session.key
        if held.form == JSON:
            return held.own and (not _is_own(told) or told.holds(key, held.checksum))
        return not _is_own(told) or told.fits_file(key, held.rest or b"", held.form)

    def _looked_at(self, case: _Case, drawing: Drawing) -> FileCheck:
        """Say of a picture of pixels, or a PDF, what can be said without comparing it."""
        if case.checks["drawn again"] == FAILED:
            return case.changed(OTHER_NUMBERS, drawing)
        case.checks["file"] = result(self._fits(case)) if _is_own(case.told) else NOT_CHECKED
        if case.checks["file"] == FAILED:
            return case.found(ALTERED, "what is drawn in it was changed")
        return case.found(NOT_COMPARABLE, BY_EYE)


def file_verifier_of(path: str | Path, beside: Path | None = None) -> FileVerifier:
    """Return what compares figures with a study file."""
    return FileVerifier(open_file(path), beside)


def _unlike(case: _Case, drawing: Drawing, how: Unlike) -> FileCheck:
    """Say how a figure differs from what is drawn again."""
    by = drawing if case.held.form == SVG else None  # which matplotlib draws
    if how.said:
        return case.changed(f"not as it is drawn again: {how}", by)
    return case.changed(
        "what it shows is as it is drawn again, but the file was written anew, and may hold more"
        " than it shows",
        by,
    )


def _is_own(told: Provenance) -> bool:
    """Tell whether a figure says that it was made from a study file."""
    return told.source == FROM_FILE


def _is_plain(told: Provenance) -> bool:
    """Tell whether digests are digests and versions versions, and no words that people may read."""
    digests = (told.checksum, told.seal, told.file_seal or told.seal)
    hexes = all(is_hex(it, 64) for it in digests) and is_hex(told.policy, DIGITS)
    return hexes and VERSION.fullmatch(told.discreet) is not None


def _is_of(case: _Case, view: View, drawing: Drawing, data: bytes) -> bool:
    """Tell whether a figure is a file of a view to the byte, and says that it is."""
    own = view.sealed().provenance
    same = own is not None and own.request == case.told.request
    return same and _file(view, case.told, case.held.form, drawing) == data


def _file(view: View, told: Provenance, form: str, drawing: Drawing) -> bytes:
    """Return the file of a view, in which stands what was told."""
    return replace(view, provenance=told, sealer=None).bytes_as(form, drawing)


def _in_few_pixels(drawing: Drawing, form: str) -> Drawing:
    """Return how a picture is drawn beside, in no more pixels than usually."""
    if form != ".png":
        return drawing
    most = PNG_DPI if drawing.width is None else int(MOST_PIXELS * INCH / drawing.width)
    few = (drawing.dpi or PNG_DPI) <= min(PNG_DPI, most)
    return drawing if few else replace(drawing, dpi=min(PNG_DPI, most))


def _write_beside(folder: Path, path: Path, data: bytes) -> Path:
    """Write a figure that was drawn again into a folder, under a name that is free."""
    target, number = folder / f"{path.stem}-again{path.suffix}", 1
    while target.exists():
        number += 1
        target = folder / f"{path.stem}-again-{number}{path.suffix}"
    write_whole(data, target)
    return target
