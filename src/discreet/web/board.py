"""A board that is not made yet: what it will hold, and the verbs by which it is released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from discreet.errors import InputError, RefusedError, needing
from discreet.unfinished import path_to_save, write_whole
from discreet.web.parts import widget_script

if TYPE_CHECKING:
    from anywidget import AnyWidget

SUFFIX = ".html"


@dataclass(frozen=True, eq=False, repr=False)
class Board:
    """A page to explore protected rows in: filters, new columns, pictures that light up together.

    `Study.board` and `discreet.board` make it. It is shown in a notebook by naming it in a cell.

    Attributes
    ----------
    title : str
        What it is of.
    rows : int
        How many rows it holds.
    columns : tuple of str
        Their columns.
    """

    title: str
    rows: int
    columns: tuple[str, ...]
    make: Callable[[], str] = field(repr=False)

    def __repr__(self) -> str:
        columns = "1 column" if len(self.columns) == 1 else f"{len(self.columns)} columns"
        return f"Board({self.title}: {self.rows:,} rows, {columns})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Board cannot be pickled or copied; save it as a file: save()")

    def save(self, path: str | Path) -> Path:
        """Write the board to one file that opens in any browser, once its rows may be released.

        Parameters
        ----------
        path : str or Path
            Ends in .html.

        Returns
        -------
        Path

        Raises
        ------
        InputError
            If the ending is another one, or the folder does not exist.
        LeavingError
            If the rows do not fit what was released before; nothing is written then.
        """
        path = path_to_save(path, (SUFFIX,), "a board")
        write_whole(self.to_html().encode(), path)
        return path

    def to_html(self) -> str:
        """Return the board as one HTML page, once its rows may be released.

        Returns
        -------
        str
            The page, with its scripts, every row and every column, and what they promise. It opens
            from a file and asks nobody for anything; the same rows give the same text.

        Raises
        ------
        LeavingError
            If the rows do not fit what was released before.
        """
        return self.make()

    def widget(self) -> AnyWidget:
        """Return the board as a widget for a notebook, once its rows may be released.

        Raises
        ------
        InputError
            If anywidget is not installed: ``pip install 'discreet[jupyter]'``.
        LeavingError
            If the rows do not fit what was released before.

        Notes
        -----
        Pictures are saved from the board itself, so it is a release as a file is, and recorded. A
        notebook that is saved with its widgets keeps the rows.
        """
        with needing("jupyter", "a board in a notebook", instead="save it: .save('board.html')"):
            import anywidget
            import traitlets

        class BoardWidget(anywidget.AnyWidget):
            """Shows the page that its trait holds as text."""

            _esm = widget_script()
            page = traitlets.Unicode().tag(sync=True)
            title = traitlets.Unicode().tag(sync=True)

            def __repr__(self) -> str:
                return "<a board of discreet>"

        return BoardWidget(page=self.to_html(), title=f"The board of {self.title}")

    def _repr_mimebundle_(self, **how: Any) -> Any:
        """Show the board in a notebook; see `widget`."""
        try:
            widget = self.widget()
        except InputError as error:
            return {"text/plain": f"{self!r}\n{error}"}
        return widget._repr_mimebundle_(**how)
