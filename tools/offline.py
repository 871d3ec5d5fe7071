"""A folder that installs discreet where there is no network, made and tried: `make offline`.

`build/offline` holds the wheels of discreet and of all it needs, as `constraints.txt` pins them,
for this machine's kind and version of Python; their checksums; and `install.sh`. It is tried in a
network namespace of its own, where there is one: installed, a picture drawn, an answer served.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
TO = ROOT / "build" / "offline"
WITHOUT_NETWORK = ("unshare", "--map-root-user", "--net")


def main() -> int:
    """Make the folder, and try it; with --try only the second, in this process."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--extras", default="all", help="such as all, or jupyter,stata")
    parser.add_argument("--try", dest="only_try", action="store_true")
    chosen = parser.parse_args()
    if chosen.only_try:
        attempt()
        return 0
    make(chosen.extras)
    apart = without_network()
    where = "without network" if apart else "(no namespace to be had: with network)"
    print(f"Installing it {where}, drawing a picture and serving an answer ...")
    done = subprocess.run([*apart, sys.executable, "-m", "tools.offline", "--try"], cwd=ROOT)
    print(f"{TO} installs discreet." if done.returncode == 0 else "It could not be installed.")
    return done.returncode


def make(extras: str) -> None:
    """Put the wheels together, with what installs them."""
    shutil.rmtree(TO, ignore_errors=True)
    wheels = TO / "wheels"
    wheels.mkdir(parents=True)
    (built,) = (ROOT / "dist").glob("discreet-*.whl")
    pins = str(ROOT / "build" / "pins.txt")
    chosen = [word for extra in extras.split(",") for word in ("--extra", extra)]
    pinned = ["compile", "--quiet", "--generate-hashes", "-c", "constraints.txt", *chosen]
    run(sys.executable, "-m", "uv", "pip", *pinned, "pyproject.toml", "-o", pins)
    words = ["wheel", "--quiet", "--no-deps", "--require-hashes", "-r", pins, "-w", str(wheels)]
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", *words)
    shutil.copy(built, wheels)
    (TO / "requirements").write_text(f"discreet[{extras}]\n")
    (TO / "python").write_text("{}.{}\n".format(*sys.version_info))
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  wheels/{path.name}\n"
        for path in sorted(wheels.iterdir())
    ]
    (TO / "checksums").write_text("".join(lines))
    shutil.copy(ROOT / "tools" / "install_offline.sh", TO / "install.sh")
    size = sum(path.stat().st_size for path in wheels.iterdir())
    print(f"{len(lines)} wheels, {size / 1e6:.0f} MB")


def without_network() -> tuple[str, ...]:
    """Return what runs a command without network; nothing where that is not to be had."""
    if shutil.which(WITHOUT_NETWORK[0]) is None:
        return ()
    tried = subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True)
    return () if tried.returncode else WITHOUT_NETWORK


def attempt() -> None:
    """Install it in a folder of its own, draw a picture and serve an answer."""
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        os.environ |= {"PYTHON": sys.executable, "HOME": named, "MPLBACKEND": "Agg"}
        run("sh", str(TO / "install.sh"), str(folder / "installed"))
        discreet = str(folder / "installed" / "bin" / "discreet")
        run(discreet, "example", "cohort.csv", cwd=folder)
        run(discreet, "plot", "histogram", "cohort.csv", "glucose", "-o", "out.png", cwd=folder)
        if not (folder / "out.png").read_bytes().startswith(b"\x89PNG"):
            raise SystemExit("no picture was drawn")
        if any((TO / "wheels").glob("fastapi-*")):
            loopback_up()
            serve(discreet, folder)


def serve(discreet: str, folder: Path) -> None:
    """Ask a server that is started here what its study is."""
    words = [discreet, "serve", "cohort.csv", "--port", "0", "--json"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            told = json.loads(server.stdout.readline() if server.stdout else "")
            token = next(iter(told["tokens"].values()))
            request = urllib.request.Request(
                f"{told['address'].rstrip('/')}/api/study",
                headers={"Authorization": f"Bearer {token}"},
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                if answer.status != 200:
                    raise SystemExit("the server gave no answer")
        finally:
            server.terminate()


def loopback_up() -> None:
    """Let this machine reach itself: in a network namespace of its own it does not at first."""
    if sys.platform != "linux":
        return
    import fcntl
    import socket
    import struct

    set_flags, up_and_running = 0x8914, 0x41
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as at:
        fcntl.ioctl(at, set_flags, struct.pack("16sh", b"lo", up_and_running))


def run(*words: str, cwd: Path = ROOT) -> None:
    """Run a command that has to end well."""
    subprocess.run(words, cwd=cwd, check=True)


if __name__ == "__main__":
    sys.exit(main())
