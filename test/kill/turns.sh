# SPDX-License-Identifier: BSD-3-Clause
# turns.sh – a script that kills at many places takes a third of them, which the day decides (MEND_TEST_TURN, from test/run);
# without the variable, or with --long, it takes all.
#
# RUN: none

places=0 taken=0

# Whether the next place is one of this run.
is_its_turn()
{
    places=$((places + 1))
    [ -z "$MEND_TEST_TURN" ] || [ $((places % 3)) = "$MEND_TEST_TURN" ] || return 1
    taken=$((taken + 1))
}

# The last line of a script: as many places as it knows, and as many kills as it took places.
say_places()
{
    [ "$1" = "$taken" ] && [ "$taken" -ge $((places / 3)) ] || exit 1
    echo "its turn of all $places places"
}
