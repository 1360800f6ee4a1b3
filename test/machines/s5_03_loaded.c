/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine falls silent while 40 other processes compute on the cores of all: the others learn of it as soon as on an idle host.  The
 * program, and its arguments, are those of s5_03_silent.c.
 *
 *   S5-3: a node that falls silent is lost in bounded time
 *   S5-5: no node is lost because its agent runs late */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args allreduce 4 ; load 1 14 at begin ; load 2 13 at begin ; load 3 13 at begin ; cut 3 at "ready" ;
 *      within 1.5 ; time 60 ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args compute 4 ; load 1 14 at begin ; load 2 13 at begin ; load 3 13 at begin ; freeze 3 at "ready" ;
 *      within 1.5 ; time 60 ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args any 4 ; load 1 14 at begin ; load 2 13 at begin ; load 3 13 at begin ; unplug 3 at "ready" ;
 *      within 1.5 ; time 60 ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
#include "s5_03_silent.c"
