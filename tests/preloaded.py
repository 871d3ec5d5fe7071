"""What processes of `tests.forked` have imported when they begin: all that discreet may import."""

import pkgutil
from contextlib import suppress
from importlib import import_module

import discreet

OTHERS = (
    *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "matplotlib.figure"),
    *("mpl_toolkits.mplot3d", "narwhals._arrow.dataframe", "PIL.PngImagePlugin"),
    *("duckdb", "pandas", "polars", "pyarrow.csv", "pyarrow.parquet", "statsmodels.api"),
    *("uvicorn.loops.auto", "uvicorn.protocols.http.auto", "uvicorn.lifespan.on", "rich.console"),
)

for name in (*(it.name for it in pkgutil.walk_packages(discreet.__path__, "discreet.")), *OTHERS):
    if not name.endswith("__main__"):
        with suppress(ImportError):  # of an extra that is not here
            import_module(name)
