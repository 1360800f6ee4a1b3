# SPDX-License-Identifier: BSD-3-Clause
# readme.sh – the example that README.md shows is example/hello/survive.c, and does what is said.
#
# RUN: ; expect "the example does what README.md says" ; time 60

sed -n '/^```c$/,/^```$/p' "$MEND_TEST_ROOT/README.md" | grep -v '^```' >shown.c
sed -n '/^#include/,$p' "$MEND_TEST_ROOT/example/hello/survive.c" >kept.c
cmp shown.c kept.c || exit 1
mpicc -Wall -Werror shown.c -o survive || exit 1
mpiexec -n 4 ./survive >output 2>errors || {
    echo "status $?"
    cat output errors
    exit 1
}
sed -n '/^\$ mpiexec -n 4 .\/survive$/,/^```$/p' "$MEND_TEST_ROOT/README.md" | sed '1d;$d' >promised
[ -s promised ] && cmp output promised || {
    cat output errors
    exit 1
}
mpicc "$MEND_TEST_ROOT/example/hello/hello.c" -o hello || exit 1
[ "$(mpiexec -n 3 ./hello | sort | cut -d' ' -f1-4)" = "$(printf 'rank %s of 3\n' 0 1 2)" ] || exit 1
[ "$(./hello | cut -d' ' -f1-4)" = "rank 0 of 1" ] || exit 1
echo "the example does what README.md says"
