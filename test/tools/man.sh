# SPDX-License-Identifier: BSD-3-Clause
# man.sh – manual pages of the fault-tolerance interface: every function, error class and attribute that
# mpi_ft.h declares has a page under each of its names, and every function is in
# doc/failure-semantics.md; what a page declares is what the header declares; its examples compile and
# do what they say (man_examples.c); its references lead somewhere.
#
# RUN: ; expect "all manual pages are true to mpi_ft.h" ; time 150

header=$MEND_TEST_STAGE/include/mpi_ft.h
man=$MEND_TEST_STAGE/share/man
bad=0
complain()
{
    echo "$*"
    bad=1
}

# part PAGE SECTION: the lines of a section of a page
part()
{
    awk -v head=".Sh $2" '$0 == head { in_it = 1; next } /^\.Sh / { in_it = 0 } in_it' "$1"
}

# Today's names first: examples use no name of 2012, except on the pages of functions that have no other.
old_names='MPI_Comm_invalidate\|MPI_Comm_agreement\|MPI_Icomm_agreement\|MPI_ERR_INVALIDATED\|MPI_ERR_PROC_FAIL_STOP'

functions=$(sed -n 's/^extern int \(MPIX*_[A-Za-z_]*\)(.*/\1/p' "$header")
macros=$(sed -n 's/^#define \(MPIX*_[A-Z_]*\) .*/\1/p' "$header")
[ "$(echo "$functions" | wc -l)" -ge 29 ] || complain "only these functions were found: $functions"
[ "$(echo "$macros" | wc -l)" -ge 10 ] || complain "only these macros were found: $macros"

points=$(sed -n 's/^extern int \(MPIX_S[A-Za-z_]*\)(.*/\1/p' "$MEND_TEST_STAGE/include/mend.h")
[ "$(echo "$points" | wc -l)" -ge 5 ] || complain "only these functions were found: $points"
modules=$(sed -n 's/^extern int \(MPIX_[NM][A-Za-z_]*\)(.*/\1/p' "$MEND_TEST_STAGE/include/mend.h")
[ "$(echo "$modules" | wc -l)" -ge 10 ] || complain "only these functions were found: $modules"

# known NAMES DOCUMENT: each has a page, and the document mentions each.
known()
{
    document=$2
    for name in $1; do
        page=$man/man3/$name.3
        [ -f "$page" ] || { complain "$name has no manual page" && continue; }
        grep -q "^\.Nm $name\( ,\)*\$" "$page" || complain "$page: NAME lacks $name"
        part "$page" SYNOPSIS | grep -q "^\.Fn $name " || complain "$page: SYNOPSIS lacks $name"
        grep -qw "$name" "$MEND_TEST_ROOT/doc/$document" || complain "doc/$document does not know $name"
    done
}
known "$functions" failure-semantics.md
known "$modules" modules.md
known "$points" safe-points.md
for name in $macros; do
    page=$man/man7/$name.7
    [ -f "$page" ] || { complain "$name has no manual page" && continue; }
    grep -q "^\.Nm $name\( ,\)*\$" "$page" || complain "$page: NAME lacks $name"
done

for page in "$man"/man3/*.3; do
    name=$(basename "$page" .3)
    printf '%s\n' "$functions" "$modules" "$points" | grep -qx "$name" || complain "$page: no header has $name"
    for section in NAME SYNOPSIS DESCRIPTION CALLING DEATHS VOCABULARY ERRORS 'SEE ALSO' STANDARDS; do
        [ -n "$(part "$page" "$section")" ] || complain "$page: no section $section"
    done
    for tag in Collective Waits Buffers Owns; do
        part "$page" CALLING | grep -qx ".It $tag" || complain "$page: CALLING does not say: $tag"
    done
done

# example PAGE: the code that it shows
example()
{
    part "$1" EXAMPLES | sed -n '/^\.Bd -literal/,/^\.Ed/p' | grep -v '^\.'
}

# A declaration that is not the header's does not compile beside it.
pages=$(find "$man" -type f -name '*.[37]' | sort)
for page in $pages; do
    code=$(basename "$page").c
    {
        printf '#include <mpi.h>\n'
        part "$page" SYNOPSIS | sed -n 's/^\.Fn \([A-Za-z_]*\) "\(.*\)"$/extern int \1(\2);/p' |
            sed 's/" "/, /g'
        example "$page"
    } >"$code"
    mpicc -std=gnu17 -Wall -Wextra -Werror -c -o page.o "$code" || complain "$page: see above"
    case $page in
    *Win_* | *File_*) ;; # not built: there is nothing to show
    *) example "$page" | grep -q . || complain "$page: no example" ;;
    esac
    example "$page" | sed 's/^[a-z].*)$/static &/' >>examples.h # static: each must be tried out
    case $page in
    */MPI_Comm_agreement.3 | */MPI_Icomm_agreement.3) ;;
    *) ! example "$page" | grep "$old_names" || complain "$page: its example uses a name of 2012" ;;
    esac
    for reference in $(sed -n 's/^\.Xr \([^ ]*\) \([0-9]\).*/man\2\/\1.\2/p' "$page"); do
        [ -f "$man/$reference" ] || complain "$page: there is no $reference"
    done
    for statement in $(grep -o 'S[0-4]-[0-9]*' "$page"); do
        grep -q "^$statement	" "$MEND_TEST_ROOT/doc/statements.tsv" || complain "$page: no $statement"
    done
done
mpicc -std=gnu17 -Wall -Wextra -Werror -I. -o examples "$MEND_TEST_ROOT/test/tools/man_examples.c" ||
    complain "the examples do not compile together, or one is not tried out"
mpiexec -q -n 4 --timeout 30 ./examples >said || complain "examples: status $?"
[ "$(grep -c '^rank [012] ok$' said)" = 3 ] || complain "the examples do not do what they say"
[ $bad = 0 ] && echo "all manual pages are true to mpi_ft.h"
