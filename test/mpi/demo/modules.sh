# SPDX-License-Identifier: BSD-3-Clause
# modules.sh – the demonstration of modules ends with the same bits, whenever three of its ranks are killed.
#
#   S1-6: modules have different processes: the participants of F recover, the others go on
#   S1-9: a roll-back restores the state of the safe point exactly
#
# RUN: ; expect "The same bits" ; time 100

for seed in 1 2 3; do
    SEED=$seed VIEW=lines "$MEND_TEST_ROOT/example/modules/demo" "$MEND_TEST_STAGE/.." || exit 1
done
