# SPDX-License-Identifier: BSD-3-Clause
# docs.sh – statements in brackets are links to their lines (tools/check-links looks at the other links, tools/check-docs at
# the rest), manual pages are well formed, and each folder of sources says what it is.
#
# RUN: ; expect "all documents are true to the tree" ; time 60

cd "$MEND_TEST_ROOT" || exit 1
bad=0
complain()
{
    echo "$*"
    bad=1
}

# Documents of the tree, generated ones left out.
documents=$(find . -name '*.md' ! -path './build*' ! -path './.git/*' ! -name conformance.md | sort)
# A statement in brackets is a link to its line in doc/conformance.md.
for document in $documents; do
    awk '{ line = tolower($0); while (match(line, /\[(s[0-4]-|r)[0-9]+\]/)) {
            mark = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH); used[mark] = 1
            if (index(line, ": conformance.md#" substr(mark, 2, length(mark) - 2)) == 1) leads[mark] = 1
        } } END { for (mark in used) if (!leads[mark]) { print FILENAME ": " mark " leads nowhere"; bad = 1 }; exit bad }' \
        "$document" || bad=1
    for anchor in $(grep -o 'conformance\.md#[a-z0-9-]*' "$document" | sed 's/.*#//' | sort -u); do
        grep -q "<a id=\"$anchor\">" doc/conformance.md || complain "$document: no statement $anchor"
    done
done
# Such marks stand in tables and in small print, not in running text.
for document in $documents; do
    awk '/^(\||\[)/ { next } /<sub>/ { small = 1 } /\[(S[0-4]-|R)[0-9]+\]/ && !small { print FILENAME ": " $0; bad = 1 }
        /<\/sub>/ { small = 0 } END { exit bad }' "$document" || complain "$document: marks in running text"
done
# Today's names first: the names of 2012 stand in the table that compares them, and behind it.
old_names='MPI_Comm_invalidate\|MPI_Comm_agreement\|MPI_Icomm_agreement\|MPI_ERR_INVALIDATED\|MPI_ERR_PROC_FAIL_STOP'
! grep -rn "$old_names" example/ || complain "example/: a name of 2012"
sed '/^## The names of 2012/,$d' doc/failure-semantics.md | grep -v '^|\|2012' | grep "$old_names" &&
    complain "doc/failure-semantics.md: a name of 2012"
for folder in src/*/ launch/ sim/ test/ tools/ example/; do
    [ -f "${folder}README.md" ] || complain "$folder has no README.md"
done
if command -v groff >/dev/null; then
    for page in doc/man/*.[1-9]; do
        grep -q '^\.so ' "$page" && continue
        said=$(groff -man -mdoc -ww -z "$page" 2>&1)
        [ -z "$said" ] || complain "$page: $said"
    done
fi
# What mdoc's rules for punctuation would change is read as it was meant.
if command -v groff >/dev/null; then
    page=$(groff -mdoc -Tascii doc/man/mpiexec.1 | sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g')
    for words in 'mpiexec [flags] -n N program ... : -n M program ...' \
        'mpiexec -n 1 ./manager : -n 7 --wdir' "Each block between ':' has" 'time:number[s|ms|us]' \
        '     death: rank, pid, seen_by, cause, code'; do
        echo "$page" | grep -qF -- "$words" || complain "mpiexec.1 does not read: $words"
    done
fi
# A page of the tree cannot have results: they change with each run.
grep -q '| not run |\|| [0-9]*/[0-9]* |$' doc/conformance.md && complain "doc/conformance.md: results of tests"
# The same words in every file: the first line says under which licence it is.
git ls-files '*.c' '*.h' '*.py' '*.sh' '*.build' '*.def' 2>/dev/null | xargs -r awk '
    FNR == 1 { said = 0 } FNR <= 2 && /SPDX-License-Identifier: BSD-3-Clause/ { said = 1 }
    FNR == 2 && !said { print FILENAME ": no licence line"; bad = 1 } FNR == 3 { nextfile } END { exit bad }' || bad=1
[ $bad = 0 ] && echo "all documents are true to the tree"
