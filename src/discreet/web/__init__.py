"""The board: a page on which a study's protected copy is explored, served or as one file.

`static` is what the page is made of. `app` is the page: its state, columns, cards and menus.
`kinds` has a module for each plot: what it is called, how it is computed from rows, and how it is
drawn. `rows` is the copy in the browser: columns, conditions, expressions, and the worker that
answers. `draw` has what pictures share: axes, colours, marks. `vendor` are libraries of others, as
they were published. It knows no study: `study` hands it the rows and what may be said of them.
"""

from discreet.web.parts import FILES, board_files

__all__ = ["FILES", "board_files"]
