# SPDX-License-Identifier: BSD-3-Clause
# links.sh – tools/check-links finds links that lead nowhere, in a tree and in an installed one, and nothing else.
#
# RUN: ; expect "all checks of links passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

# put FILE TEXT: a file of the tree that is looked at
put()
{
    mkdir -p "tree/$(dirname "$1")"
    printf "$2\n" >"tree/$1"
}

# finds FILE TEXT COMPLAINT: with this file the tree has the complaint; "" means none
finds()
{
    rm -rf tree
    put share/doc/mend/doc/a.md '# A title\n\n## What `f()` *does*, and [why](b.md)\n\n## Again\n\n## Again\n\n<a id="s0-1"></a>x'
    put share/doc/mend/doc/b.md 'words'
    put share/doc/mend/doc/b.svg '<svg/>'
    put share/man/man3/MPIX_x.3 '.Nm MPIX_x'
    put "$1" "$2"
    "$MEND_TEST_ROOT/tools/check-links" tree >output 2>&1
    status=$?
    if [ "$3" ]; then
        [ $status = 1 ] || fail "$1: $2: status $status"
        grep -qF ": $3" output || fail "$1: $2: $(cat output)"
    else
        [ $status = 0 ] || fail "$1: $2: $(cat output)"
    fi
}

b=share/doc/mend/doc/b.md
finds $b '[a](a.md), [a picture](b.svg), ![a picture](b.svg), [the folder](../doc), [elsewhere](https://example.org/x#y)' ''
finds $b '[test](../test/x.c)' '../test/x.c leads nowhere'
finds $b '[`f()`](../src/life/death.c)' '../src/life/death.c leads nowhere'
finds $b '![picture](c.svg)' 'c.svg leads nowhere'
finds $b '[two\nlines](c.md)' 'c.md leads nowhere'
finds $b 'see [x]\n\n[x]: c.md' 'c.md leads nowhere'
finds $b '`[code](c.md)`\n\n```\n[code](c.md)\n```' ''
finds $b '[a](a.md#a-title), [f](a.md#what-f-does-and-why), [again](a.md#again-1), [s](a.md#s0-1)' ''
finds $b '[a](a.md#another-title)' 'a.md#another-title: no such place'
finds $b '[a](a.md#again-2)' 'a.md#again-2: no such place'
finds $b '[here](#words)' '#words: no such place'
finds $b '# Words\n[here](#words)' ''
finds $b '```\n# Words\n```\n[here](#words)' '#words: no such place'
finds share/man/man7/y.7 '.Xr MPIX_x 3 ,\n.It Xr MPIX_x 3 Ta yes\n.Xr cmake 1\n.Pa share/doc/mend/doc/a.md , b.md' ''
finds share/man/man7/y.7 '.Xr MPIX_y 3 ,' 'there is no page MPIX_y(3)'
finds share/man/man7/y.7 '.It Xr MPIX_x 7 Ta yes' 'there is no page MPIX_x(7)'
finds share/man/man7/y.7 '.Pa share/doc/mend/doc/c.md' 'there is no share/doc/mend/doc/c.md'
# In the sources a page stands for all names that it describes.
finds doc/man/y.7 '.Nm y ,\n.Nm mend-z\n.Xr mend-z 7' ''
finds share/man/man7/y.7 '.Nm y ,\n.Nm mend-z\n.Xr mend-z 7' 'there is no page mend-z(7)'
rm -rf tree && mkdir tree
"$MEND_TEST_ROOT/tools/check-links" tree >/dev/null 2>&1
[ $? = 2 ] || fail "a tree without documents must give status 2"
echo "all checks of links passed"
