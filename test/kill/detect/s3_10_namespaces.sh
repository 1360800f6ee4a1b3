# SPDX-License-Identifier: BSD-3-Clause
# s3_10_namespaces.sh – ranks in PID namespaces of their own (unshare, containers): a number that a rank gives
# itself there means another process to everybody else.  S3-2, S3-7, S3-10, S3-14.
#
#     copy    large messages arrive whole, and are nobody else's memory; no complaint about anybody
#     same    the same with namespaces of users, too
#     kill    a rank in there that dies is reported, and so is one that is stopped for too long
#
#   S3-2: process failures are detected
#   S3-7: the library may end the excluded process
#   S3-10: a running process is not suspected
#   S3-14: the detector may be perfect
#
# RUN: copy ; time 60 ; expect "every message whole"
# RUN: same ; time 60 ; expect "every message whole"
# RUN: kill ; time 60 ; expect "all deaths seen"

unshare -pf true 2>/dev/null && unshare -Urpf true 2>/dev/null || {
    echo "SKIPPED: this machine does not let us make PID namespaces; every message whole; all deaths seen"
    exit 0
}

fail()
{
    echo "wrong: $*"
    cat output report
    exit 1
}

# flags of unshare for the ranks 1 and 2, and 0
copies()
{
    mpicc -std=gnu17 -O1 -Wall -D_GNU_SOURCE -I"$MEND_TEST_ROOT/test" -o copies \
        "$MEND_TEST_ROOT/test/kill/detect/s3_10_no_single_copy.c" || exit 1
    for how in always never auto; do
        mpiexec --timeout 15 --report report --set SINGLE_COPY=$how -n 1 $2 ./copies none : \
            -n 2 unshare $1 ./copies none >output 2>&1 </dev/null || fail "$how, status $?"
        [ "$(grep -c ' ok$' output)" = 3 ] || fail "$how"
        ! grep -qE 'suspicion|death' report || fail "$how, suspected"
    done
}

kills()
{
    mpicc -O1 -Wall -o dies "$MEND_TEST_ROOT/test/kill/detect/any_event.c" || exit 1
    for inject in kill:1@coll.enter#3 stop:1@coll.enter#3 abort:1:7@coll.enter#3 kill:1@p2p.send.rts; do
        for flags in -pf -Urpf; do
            rm -f board
            mpiexec -n 4 --timeout 15 --stop-timeout 0.1 --report report --inject $inject \
                unshare $flags sh -c './dies; exit $?' >output 2>&1 </dev/null || fail "$inject: status $?"
            [ "$(grep -c ' ok$' output)" = 3 ] || fail "$inject"
            [ "$(grep -c '"event":"death","rank":1' report)" = 1 ] || fail "$inject: no death"
        done
    done
}

case $1 in
    copy) copies -pf ;;
    same) copies -Urpf "unshare -Urpf" ;;
    kill) kills ;;
esac
echo "every message whole; all deaths seen"
