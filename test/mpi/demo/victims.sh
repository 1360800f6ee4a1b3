# SPDX-License-Identifier: BSD-3-Clause
# victims.sh – for the scripts here: what jobs that lose ranks at given places have in common.  What a job has
# written is in `said`, its report in report.json.
#
# RUN: none

fail()
{
    echo "wrong: $*"
    [ -f said ] && cat said
    exit 1
}

# kills PLACE...: the options of mpiexec.  No rank can be told of a death in MPI_Finalize, so such a job fails
# unless it is lenient.
kills()
{
    case $* in *inalize*) echo --lenient-exit ;; esac
    for place in "$@"; do
        echo --inject "$place"
    done
}

# lost PLACE...: so many deaths are in the report
lost()
{
    n=$(grep -c '"event":"death"' report.json)
    [ "$n" = $# ] || fail "$*: $n ranks were lost, not $#"
}
