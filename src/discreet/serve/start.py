"""How a server is started: one process or several, on an address, with or without TLS."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from discreet.errors import DiscreetError, InputError, path_in_words
from discreet.places import is_there
from discreet.serve.access import Issuer, is_loopback
from discreet.serve.app import create_app
from discreet.serve.files import warm_in_background
from discreet.serve.limits import CarefulProtocol, ProxiedProtocol, place_of
from discreet.serve.logs import check_log_format, keep_log
from discreet.serve.metrics import SHARED, Measured, Metrics, offered, shared_registry
from discreet.serve.ready import Workers
from discreet.serve.record import open_record
from discreet.serve.studies import A_MINUTE, Studies

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

LOG = logging.getLogger("discreet.serve")

ENVIRONMENT = "DISCREET_SERVE"
FACTORY = "discreet.serve.start:worker"
WARM, COUNTS = "warm", "counts"
"""Where processes say that they are warm, and keep metrics, in the folder that they share."""
MOST_CONNECTIONS = 200
MOST_WORKERS = 64
MOST_A_MINUTE = 100_000_000


@dataclass(frozen=True)
class Serving:
    """What is served, to whom and where: all that a process needs to know.

    Parameters
    ----------
    files : sequence of str
        Study files.
    state : str, optional
        The folder of the server's record; by default one in the user's state folder.
    a_minute : int
        How often one caller may ask in a minute.
    host : str
        The address to listen on; others reach it with 0.0.0.0.
    port : int
        The port; 0 takes a free one.
    workers : int
        How many processes serve; at most 64.
    certificate : Path, optional
        A certificate (PEM), for TLS: an address others reach needs one, or a proxy.
    key : Path, optional
        The certificate's key (PEM).
    behind_proxy : bool
        A proxy in front of it speaks TLS.
    origins : sequence of str
        Another web address whose pages may ask.
    issuer : str
        An OpenID Connect issuer whose tokens are taken, too.
    audience : str
        The audience its tokens must be for.
    log_format : {"text", "json"}
        How its log is written: text, or json.
    metrics_port : int, optional
        A port, on this machine alone, where Prometheus finds metrics.
    """

    files: Sequence[str]
    state: str | None = None
    a_minute: int = A_MINUTE
    host: str = "127.0.0.1"
    port: int = 8765
    workers: int = 1
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    origins: Sequence[str] = ()
    issuer: str = ""
    audience: str = ""
    log_format: str = "text"
    metrics_port: int | None = None

    def __post_init__(self) -> None:
        check_log_format(self.log_format)
        if bool(self.issuer) != bool(self.audience):
            raise InputError("OpenID Connect needs an issuer and an audience; give both")
        if not all(0 <= port <= 65535 for port in (self.port, self.metrics_port or 0)):
            raise InputError("the port is a whole number from 0 to 65535")
        if (self.certificate is None) != (self.key is None):
            raise InputError("TLS needs a certificate and its key; give both")
        for path in (self.certificate, self.key):
            if path is not None:
                _check_file(Path(path))
        if not (self.certificate or self.behind_proxy or is_loopback(self.host)):
            raise InputError(
                "others could read the traffic to this address; give --certificate and --key, "
                "or --behind-proxy if a proxy in front of it speaks TLS"
            )
        if not 1 <= self.workers <= MOST_WORKERS:
            raise InputError(f"workers are 1 to {MOST_WORKERS}")
        if not 1 <= self.a_minute <= MOST_A_MINUTE:
            raise InputError(f"requests a minute are 1 to {MOST_A_MINUTE:,}")

    def url(self, port: int) -> str:
        """Return the web address, where it listens on this port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.certificate else ''}://{host}:{port}"


def opened(serving: Serving) -> Studies:
    """Open the studies that are to be served, and the server's record."""
    store = open_record(None if serving.state is None else Path(serving.state))
    with store.reading():  # one that cannot be read stops the start
        return Studies(map(Path, serving.files), store, serving.a_minute)


def app_from_environment() -> FastAPI:
    """Return the server that the environment describes: for processes that others start."""
    settings = json.loads(os.environ[ENVIRONMENT])
    record, folder = settings.pop("record"), Path(settings.pop("folder"))
    serving = Serving(**settings)
    studies = opened(serving)
    app = _app(studies, serving, Workers(folder / WARM, serving.workers))
    # One that is started in place of another, while the server runs, takes no other record.
    studies.store.expect(record and tuple(record))
    return app


def worker() -> FastAPI:
    """Begin a process among several: write its log, and return its server."""
    settings = json.loads(os.environ[ENVIRONMENT])
    keep_log(settings["log_format"])
    if settings["metrics_port"] is not None:
        os.environ[SHARED] = str(Path(settings["folder"]) / COUNTS)  # looked at once, at the import
    try:
        return app_from_environment()
    except Exception as error:  # whose text may quote cells, but where it is one of ours
        message = (
            str(error) if isinstance(error, DiscreetError) else f"unexpected {place_of(error)}"
        )
        LOG.error("a worker could not start: %s", message)
        sys.exit(1)


def run(studies: Studies, serving: Serving, announce: Callable[[str], None]) -> None:
    """Serve some studies as they are to be served, until somebody stops it.

    `said` is told the web address once it is taken.
    """
    if serving.workers > 1:
        _run_workers(studies, serving, announce)
        return
    app = _app(studies, serving)
    with _metrics(serving, lambda: app.state.metrics.registry):
        config = configured(app, serving)
        taken = listening(config, serving)
        url = serving.url(taken.getsockname()[1])
        server = uvicorn.Server(config)

        def stop() -> None:
            """Stop one that has not begun."""
            server.should_exit = True

        with at_sigterm(stop):
            announce(url)
            LOG.info("listening at %s", url)
            server.run(sockets=[taken])
    LOG.info("stopped")


def _run_workers(studies: Studies, serving: Serving, announce: Callable[[str], None]) -> None:
    """Serve some studies by several processes, each of which opens the files."""
    with tempfile.TemporaryDirectory(prefix="discreet-") as name:
        own = Path(name)
        for inner in (WARM, COUNTS):
            (own / inner).mkdir(mode=0o700)
        with _metrics(serving, lambda: shared_registry(own / COUNTS)):
            config = configured(FACTORY, serving)
            taken = listening(config, serving)
            settings = {**asdict(serving), "record": studies.store.place, "folder": own}
            os.environ[ENVIRONMENT] = json.dumps(settings, default=str)
            processes = Multiprocess(config, sockets=[taken])  # sees to signals from here on
            url = serving.url(taken.getsockname()[1])
            announce(url)
            LOG.info("listening at %s", url)
            processes.run()
    LOG.info("stopped")


@contextmanager
def _metrics(serving: Serving, registry: Callable[[], CollectorRegistry]) -> Iterator[None]:
    """Offer metrics for a while, if they are wanted."""
    if serving.metrics_port is None:
        yield
        return
    with offered(registry(), serving.metrics_port) as url:
        LOG.info("metrics at %s", url)
        yield


@contextmanager
def at_sigterm(do: Callable[[], object]) -> Iterator[None]:
    """Let SIGTERM do something else; a server that runs sees to it itself.

    It raises the signal again after it has stopped.
    """
    before = signal.signal(signal.SIGTERM, lambda *_: do())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def configured(app: FastAPI | str, serving: Serving) -> uvicorn.Config:
    """Return how an application is served: limits of size and time, no log of requests."""
    return uvicorn.Config(
        app,
        host=serving.host,
        port=serving.port,
        http=ProxiedProtocol if serving.behind_proxy else CarefulProtocol,
        ws="none",
        lifespan="on",
        log_config=None,  # what it says goes where the program's own words go
        access_log=False,  # the record says who asked what
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=10,
        factory=isinstance(app, str),
        workers=serving.workers,
        ssl_certfile=serving.certificate,
        ssl_keyfile=serving.key,
    )


def _check_file(path: Path) -> None:
    """Refuse a certificate or key that is not there or cannot be read."""
    try:
        is_file = is_there(path) and path.is_file()
    except OSError as error:
        why = type(error).__name__
        raise InputError(f"the file {path_in_words(path)} for TLS cannot be read ({why})") from None
    if not is_file:
        raise InputError(f"there is no file {path_in_words(path)} for TLS")


def listening(config: uvicorn.Config, serving: Serving) -> socket.socket:
    """Take the address, or say that it cannot be had."""
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    try:
        # Who is told the address and comes at once waits a little: it listens already.
        taken = socket.create_server(
            (serving.host, serving.port), family=family, backlog=config.backlog
        )
    except OSError:
        raise InputError(
            f"{serving.host} port {serving.port} cannot be listened on; is it in use? Try --port 0"
        ) from None
    taken.set_inheritable(True)
    # An answer's last bytes would wait 40 ms for the client to confirm its first.
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


def _app(studies: Studies, serving: Serving, workers: Workers | None = None) -> FastAPI:
    issuer = Issuer(serving.issuer, serving.audience) if serving.issuer else None
    app = create_app(studies, serving.origins, issuer)
    app.state.ready.expect(workers)
    if serving.metrics_port is not None:
        app.state.metrics = Metrics(app.state.ready)
        app.add_middleware(Measured, metrics=app.state.metrics)
    warm_in_background(app.state.ready.warm)
    return app
