#!/bin/sh
# Installs discreet without network, from the wheels beside this script:
#     sh install.sh [FOLDER]
# FOLDER is made as a virtual environment; PYTHON names the interpreter, of the version that
# `python` in this folder says. `make offline` puts this script and the wheels together.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-discreet}
python=${PYTHON:-python3}

wanted=$(cat "$here/python")
found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ "$found" != "$wanted" ]; then
    echo "These wheels are for Python $wanted, and $python is $found: name another with PYTHON=..." >&2
    exit 2
fi
(cd "$here" && sha256sum --quiet -c checksums)
"$python" -m venv "$folder"
"$folder/bin/python" -m pip --isolated --disable-pip-version-check install --quiet \
    --no-index --find-links "$here/wheels" -r "$here/requirements"
"$folder/bin/discreet" warm
"$folder/bin/discreet" doctor
