"""Pages: the board, the custodian's page, and figures that draw themselves.

`static/views` makes the numbers of each kind of picture from rows (the twin of the plot's), and
`static/kinds` draws them, on the board and in a figure alike. `draw` has what pictures share: axes,
colours, marks. `rows` is the copy in the browser: columns, conditions, expressions, and the worker
that answers. `app` is the board: its state, columns, cards and menus; `figure` is one picture by
itself; `custodian` is the custodian's page. `vendor` are libraries of others, as they were
published. Nothing here knows a study: `explore` hands over rows and views, and what may be said.
"""

from discreet.web.parts import FILES, page_files

__all__ = ["FILES", "page_files"]
