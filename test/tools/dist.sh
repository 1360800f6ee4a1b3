# SPDX-License-Identifier: BSD-3-Clause
# dist.sh – the archive of make dist holds the sources, all of them, can be configured without git, and comes out the same twice.
#
# RUN: ; expect "the sources are complete" ; time 60

cd "$MEND_TEST_ROOT" || exit 1
if ! git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
    tools/dist "$MEND_TEST_TMP" && exit 1 # it says that there is nothing to pack
    echo "no git here: the sources are complete as they are"
    exit 0
fi
file=$(tools/dist "$MEND_TEST_TMP" 2>"$MEND_TEST_TMP/said") || exit 1
cp "$file" "$MEND_TEST_TMP/first.tar.gz"
tools/dist "$MEND_TEST_TMP" >/dev/null 2>&1 && cmp "$file" "$MEND_TEST_TMP/first.tar.gz" || exit 1
cd "$MEND_TEST_TMP" && tar xzf "$file" || exit 1
name=$(basename "$file" .tar.gz)
(cd "$name" && find . -type f -o -type l | sed 's|^\./||' | sort) >packed
git -C "$MEND_TEST_ROOT" ls-tree -r --name-only HEAD | sort >kept
cmp packed kept || {
    diff packed kept
    exit 1
}
meson setup "$name/build" "$name" --prefix / --libdir lib >configured 2>&1 || {
    cat configured
    exit 1
}
[ "$("$name/tools/check-commits" 2>&1 | tail -1)" != "" ] || exit 1
echo "the sources are complete"
