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
from discreet.estimates.copy_table import CopyTable
from discreet.explore.answered import Answer, answered_again, answers_of
from discreet.explore.drawn_again import drawn_again
from discreet.explore.file_checks import (
    ALTERED,
    AS_MADE,
    ELSEWHERE,
    FAILED,
    JSON,
    NOT_CHECKED,
    NOT_COMPARABLE,
    PASSED,
    UNKNOWN,
    Carried,
    FileCheck,
    check_each,
    read,
    result,
)
from discreet.explore.file_differences import unlike
from discreet.explore.from_file import FileSession
from discreet.explore.notes import ANSWER, COPY, FIGURES, FROM_FILE
from discreet.plots import View
from discreet.plots.view import FORMS
from discreet.provenance import DIGITS, Provenance, own_version
from discreet.render.csv_words import CSV
from discreet.render.figure_file import INCH, PNG_DPI, printable
from discreet.render.page_drawing import BY_PAGE
from discreet.render.to_matplotlib import VERSION, Drawing, drawn_by
from discreet.study_file.signing import is_hex
from discreet.unfinished import write_whole

SVG, LOOKED_AT = ".svg", (".png", ".pdf")
"""The forms of pictures; those that people compare by eye."""
MOST_PIXELS = 6000
"""So many stand side by side in what is drawn beside."""
MOST_WORDS = 300
"""So many letters of why a request is refused are told, for it may repeat the request."""
LIKE_IT = "drawn again from this study file it is identical"
OF_COPY = f"{LIKE_IT}; it was made where the data are, and its seal can only be checked there"
OF_ANSWER = "it is answer {id} from the data that this study file has, to the byte"
TITLED = "its title was written by whoever drew it"
OTHER_ROWS = "made from other rows: from another version of this study, or from another study"
OTHER_FILE = "made from the same rows, but from a different file of them"
NOT_FROM_FILE = (
    "made where the data are, not from a study file; the custodian can say whether it is unchanged"
)
SAYS_NOTHING = (
    "it has no provenance: it was made elsewhere, is a table without one, or its provenance was "
    "removed"
)
SAYS_OTHERWISE = "its provenance was changed"
NO_PLOT = (
    "it is not a plot, and only plots are drawn again; make it again from the study file, and "
    "compare"
)
OTHER_NUMBERS = "its numbers differ from those drawn again"
WRITTEN_ANEW = (
    "drawn again it looks the same, but the file was rewritten and may contain more than it shows"
)
BY_EYE = (
    "pixels and pages are not compared: have it drawn again (--beside FOLDER), and look at both"
)
DRAWN_BY_PAGE = (
    "the numbers of the plot that it names are those of this study file; a page drew it, so have "
    "it drawn again (--beside FOLDER), and look at both"
)
TINY = (
    "its numbers differ from those drawn again by less than one part in 1,000,000,000, as they "
    "may on another machine"
)


@dataclass(frozen=True)
class _Figure:
    """A figure and what is known of it, while it is compared."""

    file: Carried
    provenance: Provenance
    checks: dict[str, str] = field(default_factory=dict)

    @property
    def is_own(self) -> bool:
        """Whether it says that it was made from a study file."""
        return self.provenance.source == FROM_FILE

    def verdict(self, verdict: str, says: str) -> FileCheck:
        """Return what is said of it."""
        return FileCheck(self.file.path.name, verdict, says, self.checks, self.provenance)

    def changed(self, says: str, *, by_matplotlib: bool = False) -> FileCheck:
        """Return that it was changed; or that others drew it, who may draw it otherwise."""
        discreet = self.provenance.discreet
        matplotlib = self.provenance.drawing.get("matplotlib", drawn_by())
        others = [f"discreet {discreet}"] * (discreet != own_version())
        others += [f"matplotlib {matplotlib}"] * (by_matplotlib and matplotlib != drawn_by())
        if not others:
            return self.verdict(ALTERED, says)
        by = printable(" and ".join(others))[:80]
        return self.verdict(
            NOT_COMPARABLE,
            f"it says that it was drawn by {by}, which may draw it differently; {says}",
        )


@dataclass(frozen=True, repr=False)
class FileVerifier:
    """What figures are compared with: the copy in a study file.

    Figures that are not as made are drawn again into a folder `beside`, if there is one.
    """

    session: FileSession
    beside: Path | None = None

    def check(self, path: str | Path) -> FileCheck:
        """Say whether a figure is what this study file gives."""
        path = Path(path)
        if self.beside is not None and not self.beside.is_dir():
            raise InputError(f"there is no folder {str(self.beside)!r} to draw into; make it first")
        self.session.file.nearness()  # which is refused of a file that was closed
        file = read(path)
        found = self._answer_of(file)
        if found is not None:
            checks = {"study": PASSED, "drawn again": PASSED, "file": PASSED}
            says = OF_ANSWER.format(id=found.question.id)
            says += f"; {TITLED}" if _is_titled(file) else ""
            return FileCheck(path.name, AS_MADE, says, checks)
        if file.words is None:
            return FileCheck(path.name, UNKNOWN, SAYS_NOTHING)
        try:
            provenance = Provenance.from_text(file.words)
        except InputError:
            return FileCheck(path.name, ALTERED, SAYS_OTHERWISE)
        return self._of_figure(_Figure(file, provenance))

    def check_all(self, paths: Iterable[str | Path]) -> list[FileCheck]:
        """Say the same of several files; of one that cannot be read, why."""
        return check_each(self.check, paths)

    def answer_of(self, path: str | Path) -> Answer | None:
        """Return the answer of the study file that a file is of, to the byte; None of no such."""
        return self._answer_of(read(path))

    def _answer_of(self, file: Carried) -> Answer | None:
        answers = answers_of(self.session)
        if not answers:
            return None
        drawing = Drawing()
        if file.words is not None:
            try:
                said = Provenance.from_text(file.words)
                drawing = Drawing.from_plain(said.drawing, file.form)
            except InputError:
                return None
            if said.request.get(FIGURES) != ANSWER:
                return None
        data = file.path.read_bytes()
        for answer in answers.values():
            for figure in answer.figures:
                if _as_file(figure, file.ending, drawing) == data:
                    return answer
        return None

    def _of_figure(self, figure: _Figure) -> FileCheck:
        """Say it of a figure that says where it comes from."""
        form, said, checks = figure.file.form, figure.provenance, figure.checks
        elsewhere = self._elsewhere(figure)
        checks["study"] = result(not elsewhere)
        if elsewhere:
            return figure.verdict(ELSEWHERE, elsewhere)
        genuine = not figure.is_own or said.is_genuine(self.session.key)
        checks["seal"] = result(genuine) if figure.is_own else NOT_CHECKED
        if not genuine or not _is_plain(said):
            return figure.verdict(ALTERED, SAYS_OTHERWISE)
        if form != figure.file.ending:
            checks["file"] = FAILED
            says = f"it was made as a {form} file, and its name now has a different ending"
            return figure.verdict(ALTERED, says)
        answered = said.request.get(FIGURES) == ANSWER
        if not ("plot" in said.request or answered) or form not in FORMS:
            return figure.verdict(NOT_COMPARABLE, NO_PLOT)
        try:
            again = answered_again if answered else drawn_again
            views = again(self.session, said.request)
            by_page = said.drawing == BY_PAGE
            drawing = Drawing() if by_page else Drawing.from_plain(said.drawing, form)
            check, view = self._compared(figure, views, drawing)
            if self.beside is None or check.verdict == AS_MADE:
                return check
            anew = view.bytes_as(form, _in_few_pixels(drawing, form))
        except (DiscreetError, ArithmeticError, ValueError) as error:  # or numbers beyond all
            checks["drawn again"] = FAILED
            why = printable(str(error))[:MOST_WORDS]
            return figure.changed(f"the plot that its provenance names cannot be drawn: {why}")
        return replace(check, beside=str(_write_beside(self.beside, figure.file.path, anew)))

    def _elsewhere(self, figure: _Figure) -> str:
        """Say of which other rows or file a figure is; nothing of one that is of this file."""
        manifest, said = self.session.file.manifest, figure.provenance
        if said.version != manifest.version:
            return OTHER_ROWS
        if figure.is_own:
            return "" if said.policy == manifest.content[:DIGITS] else OTHER_FILE
        return "" if said.source == COPY else NOT_FROM_FILE

    def _compared(
        self, figure: _Figure, views: Sequence[View], drawing: Drawing
    ) -> tuple[FileCheck, View]:
        """Compare a figure with the views that it may be of; return that it was compared with."""
        said, checks, key = figure.provenance, figure.checks, self.session.key
        same = [it for it in views if not figure.is_own or said.holds(key, it.checksum())]
        checks["drawn again"] = result(bool(same)) if figure.is_own else NOT_CHECKED
        view, form, fits = (same or views)[0], figure.file.form, self._fits(figure)
        if form in LOOKED_AT or said.drawing == BY_PAGE:
            return _by_eye(figure, fits), view
        data = figure.file.path.read_bytes()
        if fits and any(_is_file_of(it, figure, drawing, data) for it in same):
            checks |= {"drawn again": PASSED, "file": PASSED}
            says = LIKE_IT if figure.is_own else OF_COPY
            return figure.verdict(AS_MADE, f"{says}; {TITLED}" if drawing.title else says), view
        checks["file"] = FAILED
        if form == SVG and not same:
            return figure.changed(OTHER_NUMBERS), view
        how = unlike(_file_of(view, figure, drawing), data, form)
        if how.tiny and fits and form in (JSON, CSV):
            return figure.verdict(NOT_COMPARABLE, TINY), view
        says = f"not the same when drawn again: {how}" if how.said else WRITTEN_ANEW
        return figure.changed(says, by_matplotlib=form == SVG), view

    def _fits(self, figure: _Figure) -> bool:
        """Tell whether what a figure says of itself is of the file that it stands in."""
        file, said, key = figure.file, figure.provenance, self.session.key
        if file.form == JSON:
            return file.own and (not figure.is_own or said.holds(key, file.checksum))
        return not figure.is_own or said.fits_file(key, file.rest or b"", file.form)


def _is_titled(file: Carried) -> bool:
    """Tell whether a figure says that it was drawn with a title, which anybody may choose."""
    return file.words is not None and bool(Provenance.from_text(file.words).drawing.get("title"))


def _as_file(figure: CopyTable | View, ending: str, drawing: Drawing) -> bytes | None:
    """Return a table or a plot as a file that ends so; None where it has no such."""
    if isinstance(figure, View):
        return figure.bytes_as(ending, drawing) if ending in FORMS else None
    forms = figure.forms(drawing)
    if ending not in forms:
        return None
    made = forms[ending]()
    return made.encode() if isinstance(made, str) else made


def _by_eye(figure: _Figure, fits: bool) -> FileCheck:
    """Say of a picture of pixels, or a PDF, what can be said without comparing it."""
    if figure.checks["drawn again"] == FAILED:
        return figure.changed(OTHER_NUMBERS, by_matplotlib=True)
    figure.checks["file"] = result(fits) if figure.is_own else NOT_CHECKED
    if not fits:
        return figure.verdict(ALTERED, "the drawing in it was changed")
    by_page = figure.provenance.drawing == BY_PAGE
    return figure.verdict(NOT_COMPARABLE, DRAWN_BY_PAGE if by_page else BY_EYE)


def _is_plain(said: Provenance) -> bool:
    """Tell whether digests are digests and versions versions, and no words that people may read."""
    digests = (said.checksum, said.seal, said.file_seal or said.seal)
    hexes = all(is_hex(it, 64) for it in digests) and is_hex(said.policy, DIGITS)
    return hexes and VERSION.fullmatch(said.discreet) is not None


def _is_file_of(view: View, figure: _Figure, drawing: Drawing, data: bytes) -> bool:
    """Tell whether a figure is a file of a view to the byte, and says that it is."""
    own = view.sealed().provenance
    same = own is not None and own.request == figure.provenance.request
    return same and _file_of(view, figure, drawing) == data


def _file_of(view: View, figure: _Figure, drawing: Drawing) -> bytes:
    """Return the file of a view, with the provenance that a figure has."""
    said = replace(view, provenance=figure.provenance, sealer=None)
    return said.bytes_as(figure.file.form, drawing)


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
