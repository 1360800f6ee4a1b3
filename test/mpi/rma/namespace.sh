# SPDX-License-Identifier: BSD-3-Clause
# namespace.sh – for the scripts here: `flags` make unshare(1) give a mount namespace, as root or with a user namespace.  Where
# none is permitted the script that includes this one ends, and says that it has not shown `shown`.
#
# RUN: none

if unshare -m true 2>/dev/null; then
    flags=-m
elif unshare -Urm true 2>/dev/null; then
    flags=-Urm
else
    echo "no mount namespace is permitted here: nothing shown; not: $shown"
    exit 0
fi
