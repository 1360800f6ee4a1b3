# SPDX-License-Identifier: BSD-3-Clause
# build.sh – build NAME SOURCE [FLAG]...: the program NAME, in the folder of the run.  The recipes of a script share it: the
# first one compiles it, and so does the first one behind a change of the source, of a file beside it, of a header or of a flag.
#
# RUN: none

build()
{
    take_shared "$@" || { echo "wrong: $2 does not compile" && exit 1; }
}

# In a shell of its own, as the variables are not the script's.
take_shared()
(
    name=$1 source=$2 built=$MEND_TEST_STAGE/../test/shared/${0##*/}-$1
    shift 2
    mkdir -p "${built%/*}" && exec 9>"$built.lock" && flock 9 || exit 1
    key=$({ echo "$*"; cat "$source" "${source%/*}"/*.[ch] "$MEND_TEST_STAGE"/include/*.h "$MEND_TEST_ROOT"/src/base/expect.h \
        "$MEND_TEST_ROOT"/test/*.h "$MEND_TEST_ROOT"/test/kill/*.h "$MEND_TEST_ROOT"/test/kill/*/*.h; } | cksum)
    if [ "$(cat "$built.key" 2>/dev/null)" != "$key" ]; then
        rm -f "$built.key"
        mpicc "$@" -o "$built" "$source" -lm && echo "$key" >"$built.key" || exit 1
    fi
    cp "$built" "$name"
)
