#!/bin/sh
# install.sh [base|dev]: makes .venv and installs the pinned wheels of requirements/base.txt (to run) or dev.txt (to test
# too; the default); a fraction of a second when nothing has changed. Who has dev has base.
#
# uv when it is there (it never fetches an interpreter), else python3 -m venv and pip. Both check every hash.
# PYTHON=/path/to/python3.12 chooses the interpreter. Nothing but the installers' own caches is written outside.
set -eu
cd "$(dirname "$0")/.."
stamp=.venv/.installed
set_of=${1:-dev}
case $set_of in base | dev) ;; *) echo "usage: install.sh [base|dev]" >&2; exit 2 ;; esac
# The place is part of it: an environment does not survive being moved or copied.
base_stamp="base $(cksum <requirements/base.txt) $(pwd -P)"
dev_stamp="dev $(cat requirements/base.txt requirements/dev.txt | cksum) $(pwd -P)"
[ "$set_of" = base ] && wanted=$base_stamp || wanted=$dev_stamp

current() {
    [ -f "$stamp" ] && .venv/bin/python -c '' 2>/dev/null || return 1
    found=$(cat "$stamp")
    [ "$found" = "$wanted" ] || [ "$found" = "$dev_stamp" ]
}

current && exit 0
mkdir -p var
if command -v flock >/dev/null 2>&1; then # two `make` at once in one checkout: the second waits and finds it done
    exec 9>var/.venv.lock
    flock 9
    current && exit 0
fi

[ "$set_of" = base ] && size="about 720 MB" || size="about 1.2 GB"

suits() { # a pyenv shim exists for versions that do not run: ask the program itself
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1
}

uv=$(command -v uv || true)
python=
if [ -n "${PYTHON:-}" ]; then
    suits "$PYTHON" || { echo "PYTHON=$PYTHON is not a Python 3.11, 3.12 or 3.13" >&2; exit 2; }
    python=$PYTHON
else
    for candidate in python3.13 python3.12 python3.11 python3 python; do
        if suits "$candidate"; then python=$candidate; break; fi
    done
    if [ -z "$python" ] && [ -n "$uv" ]; then
        python=$("$uv" python find --no-python-downloads '>=3.11,<3.14' 2>/dev/null || true)
    fi
fi
if [ -z "$python" ]; then
    echo "Ratiba Eval needs Python 3.11, 3.12 or 3.13, and none is on PATH." >&2
    echo "Install one (Debian, Ubuntu: apt install python3 python3-venv), or name it: make PYTHON=/path/to/python3.12" >&2
    exit 2
fi
python=$("$python" -c 'import sys; print(sys.executable)') # the program itself, not a shim that looks at the folder

rm -f "$stamp"
if [ -e .venv ] && ! { suits .venv/bin/python && [ "$(.venv/bin/python -c 'import sys; print(sys.prefix)')" = "$(pwd -P)/.venv" ]; }; then
    rm -rf .venv
fi

with_uv() {
    [ -x .venv/bin/python ] || "$uv" venv --quiet --no-project --no-python-downloads --python "$python" .venv || return 1
    "$uv" pip sync --quiet --require-hashes --no-python-downloads --python .venv/bin/python "requirements/$set_of.txt"
}

with_pip() {
    if [ ! -x .venv/bin/python ]; then
        "$python" -m venv .venv || {
            echo "python -m venv failed; on Debian and Ubuntu it is a package of its own: apt install python3-venv" >&2
            rm -rf .venv
            exit 2
        }
    fi
    .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip --default-pip >/dev/null
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
        -r "requirements/$set_of.txt"
}

tell() { # the installers are quiet, and a minute without a word looks like a fault
    trap 'kill "$nap" 2>/dev/null; exit 0' TERM
    seconds=0
    while :; do
        sleep 15 &
        nap=$!
        wait "$nap"
        seconds=$((seconds + 15))
        echo "  still installing: $seconds s, $(du -sm .venv 2>/dev/null | cut -f1) MB so far" >&2
    done
}

wheels=$(cat requirements/base.txt $([ "$set_of" = base ] || echo "requirements/$set_of.txt") | grep -c '^[A-Za-z0-9].*==')
echo "installing $wheels pinned wheels into .venv with $("$python" -V) and ${uv:-pip}: once, $size, one to five minutes" >&2
tell &
teller=$!
trap 'kill "$teller" 2>/dev/null || true' EXIT
if [ -z "$uv" ] || ! with_uv; then
    [ -z "$uv" ] || echo "uv could not do it; trying pip" >&2
    with_pip
fi
echo "installed" >&2
echo "$wanted" >"$stamp"
