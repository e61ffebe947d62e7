#!/bin/sh
# usage: run.sh [--tap | --accept] [CASE ...]
#
# Runs each case folder's "cmd" in an empty folder and compares exit status and output with the
# files beside it:
#   cmd      a shell script; $BATCHGATE is the program, $CASE the case's folder. Exit 77 skips
#            the case, its last line on stdout being the reason
#   exit     the exit status
#   stdout   what it prints
#   stderr   what it complains; without this file, nothing
#   files/   files it must leave, each compared whole
# Declared time fields become placeholders before anything is compared. --accept rewrites the
# expectations (stderr and files/ only where the case has them).
here=$(cd "$(dirname "$0")" && pwd)
BATCHGATE=${BATCHGATE:-$here/../../build/batchgate}
LC_ALL=C.UTF-8
export BATCHGATE LC_ALL
unset NO_COLOR FORCE_COLOR CLICOLOR_FORCE COLUMNS CI
mode=compare tap=
case ${1-} in
--accept) mode=accept && shift ;;
--tap) tap=yes && shift ;;
esac
passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The fields that tell when and how long, and no other number; of the 17 digits those past the 10th
# decimal, which differ between processors with and without fused multiply-add.
normalise() {
    sed -E \
        -e 's/("started_utc": ")[^"]*"/\1<UTC>"/' \
        -e 's/(timestamp=")[0-9T:-]+"/\1<UTC>"/g' \
        -e 's/([0-9]\.[0-9]{10})[0-9]{3,}/\1/g' \
        -e 's/("seconds": )[-+.0-9e]+/\1<SECONDS>/' \
        -e "s|$work|<WORK>|g" "$1"
}

say() {
    if [ "$tap" ]; then
        echo "$1"
    fi
}

compare() { # expected, got: a diff on stdout
    normalise "$2" >"$work/normal" && diff -u "$1" "$work/normal"
}

check_case() { # folder, status, stdout, stderr, where it ran
    fine=0
    if [ "$2" != "$(cat "$1/exit")" ]; then
        echo "# exit status $2, expected $(cat "$1/exit")"
        fine=1
    fi
    compare "$1/stdout" "$3" || fine=1
    if [ -e "$1/stderr" ]; then
        compare "$1/stderr" "$4" || fine=1
    elif [ -s "$4" ]; then
        echo "# unexpected on stderr:" && cat "$4"
        fine=1
    fi
    if [ -d "$1/files" ]; then
        for file in $(cd "$1/files" && find . -type f | sort); do
            compare "$1/files/$file" "$5/$file" || fine=1
        done
    fi
    return $fine
}

accept_case() {
    echo "$2" >"$1/exit"
    normalise "$3" >"$1/stdout"
    if [ -e "$1/stderr" ] || [ -s "$4" ]; then
        normalise "$4" >"$1/stderr"
    fi
    if [ -d "$1/files" ]; then
        for file in $(cd "$1/files" && find . -type f | sort); do
            normalise "$5/$file" >"$1/files/$file"
        done
    fi
}

run_case() { # folder
    name=$(basename "$1")
    mkdir "$work/$name"
    status=0
    (cd "$work/$name" && CASE=$1 sh "$1/cmd") \
        >"$work/$name.out" 2>"$work/$name.err" </dev/null || status=$?
    set -- "$1" "$status" "$work/$name.out" "$work/$name.err" "$work/$name"
    if [ "$status" = 77 ]; then
        skipped=$((skipped + 1))
        say "ok - $name # SKIP $(tail -n 1 "$3")"
    elif [ $mode = accept ]; then
        accept_case "$@"
        passed=$((passed + 1))
    elif check_case "$@"; then
        passed=$((passed + 1))
        say "ok - $name"
    else
        failed=$((failed + 1))
        echo "not ok - $name"
    fi
    rm -rf "${work:?}/$name"
}

if [ $# -gt 0 ]; then
    for case in "$@"; do
        run_case "$here/$(basename "$case")"
    done
else
    for case in "$here"/*/; do
        run_case "${case%/}"
    done
fi
if [ ! "$tap" ]; then
    echo "golden: $passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ $((passed + skipped)) -gt 0 ]
