/* SPDX-License-Identifier: BSD-3-Clause */
/* event.c – names of events, and killing, stopping or aborting at one of them. */
#include "base/event.h"

#include "base/guess.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELAY_MAX_NS 1e18
#define NAME_MAX_LEN 64

static const char *const names[] = {
#define MEND_EVENT_DEF(sym_, name_, what_) name_,
#include "base/event.def"
#undef MEND_EVENT_DEF
};

static const char *const calls[] = {
#include "calls.def"
};

enum mend_event_id mend_event_find(const char *name)
{
    for (unsigned i = 0; i < MEND_EV_COUNT; i++)
        if (!strcmp(names[i], name))
            return (enum mend_event_id)i;
    return MEND_EV_COUNT;
}

bool mend_event_call_exists(const char *name)
{
    for (size_t i = 0; i < MEND_COUNT_OF(calls); i++)
        if (!strcmp(calls[i], name))
            return true;
    return false;
}

/* The one that is most like `name`, NULL if none is like it. */
static const char *nearest(const char *name, const char *const list[], size_t n)
{
    struct mend_guess g = mend_guess_begin(name, strlen(name));

    for (size_t i = 0; i < n; i++)
        mend_guess_offer(&g, list[i], strlen(list[i]));
    return g.best;
}

static void say_unknown(struct mend_inject *inject_p, const char *what, const char *name,
                        const char *near, const char *list, const char **why_p)
{
    if (near)
        snprintf(inject_p->why, sizeof(inject_p->why), "%s '%s'; did you mean '%s'?", what, name,
                 near);
    else
        snprintf(inject_p->why, sizeof(inject_p->why), "%s '%s' (%s)", what, name, list);
    *why_p = inject_p->why;
}

/* A code as of exit(); the shells' range is not asked for, because MPI_Abort takes any int. */
static bool parse_code(const char *text, size_t len, int *code_p)
{
    char copy[16], *end;
    long v;

    if (!len || len >= sizeof(copy))
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    v = strtol(copy, &end, 10);
    *code_p = (int)v;
    return !*end && !isspace((unsigned char)*copy) && v >= INT_MIN && v <= INT_MAX;
}

static bool parse_action(const char *text, size_t len, struct mend_inject *inject_p)
{
    inject_p->arg = 1;
    if (len == 4 && !strncmp(text, "kill", 4))
        inject_p->action = MEND_INJECT_KILL;
    else if (len == 4 && !strncmp(text, "stop", 4))
        inject_p->action = MEND_INJECT_STOP;
    else if (len == 4 && !strncmp(text, "note", 4))
        inject_p->action = MEND_INJECT_NOTE;
    else if (len == 4 && !strncmp(text, "cont", 4))
        inject_p->action = MEND_INJECT_CONT;
    else if (len >= 5 && !strncmp(text, "abort", 5) && (len == 5 || text[5] == ':'))
        inject_p->action = MEND_INJECT_ABORT;
    else
        return false;
    return inject_p->action != MEND_INJECT_ABORT || len == 5 ||
           parse_code(text + 6, len - 6, &inject_p->arg);
}

static bool parse_delay(const char *text, mend_time_ns *delay_p)
{
    char *end;
    double v = strtod(text, &end);
    double unit = !strcmp(end, "s") || !*end ? 1e9
                  : !strcmp(end, "ms")       ? 1e6
                  : !strcmp(end, "us")       ? 1e3
                                             : 0;

    if (end == text || !(v >= 0) || unit == 0 || v * unit > DELAY_MAX_NS)
        return false;
    *delay_p = (mend_time_ns)(v * unit);
    return true;
}

static bool parse_call(const char *name, struct mend_inject *inject_p, const char **why_p)
{
    char full[NAME_MAX_LEN];

    if (!mend_event_call_exists(name)) {
        snprintf(full, sizeof(full), "%s%s", strncmp(name, "MPI", 3) ? "MPI_" : "", name);
        say_unknown(inject_p, "there is no MPI function", name,
                    nearest(full, calls, MEND_COUNT_OF(calls)),
                    "a name of the standard or of mpi_ft.h, such as call:MPI_Send", why_p);
        return false;
    }
    snprintf(inject_p->call, sizeof(inject_p->call), "%s", name);
    return true;
}

/* Takes "#N" off the end of a place. */
static bool parse_count(char *place, uint64_t *count_p, const char **why_p)
{
    char *hash = strchr(place, '#'), *end;

    *count_p = 1;
    if (!hash)
        return true;
    *hash = '\0';
    errno = 0;
    *count_p = strtoull(hash + 1, &end, 10);
    *why_p = "the count after # is not a positive number";
    return isdigit((unsigned char)hash[1]) && !*end && !errno && *count_p;
}

static bool parse_event(const char *name, struct mend_inject *inject_p, const char **why_p)
{
    inject_p->at = MEND_INJECT_AT_EVENT;
    inject_p->event = mend_event_find(name);
    if (inject_p->event == MEND_EV_COUNT)
        say_unknown(inject_p, "there is no event", name, nearest(name, names, MEND_COUNT_OF(names)),
                    "'mend-info --events' lists them", why_p);
    return inject_p->event != MEND_EV_COUNT;
}

/* "call:FUNCTION[#N]>EVENT[#N]"; then is what follows the '>'. */
static bool parse_from_call(char *place, char *then, struct mend_inject *inject_p,
                            const char **why_p)
{
    if (!parse_count(place, &inject_p->calls, why_p))
        return false;
    *why_p = "only a call may stand before >";
    return !strncmp(place, "call:", 5) && parse_call(place + 5, inject_p, why_p) &&
           parse_count(then, &inject_p->countdown, why_p) && parse_event(then, inject_p, why_p);
}

/* "FUNCTION:RANKS" */
static bool parse_wait(char *text, struct mend_inject *inject_p, const char **why_p)
{
    char *ranks = strchr(text, ':');

    inject_p->at = MEND_INJECT_AT_WAIT;
    *why_p = "behind the call stand the ranks that wait in it, as in in:MPI_Barrier:1,3";
    if (!ranks || !ranks[1] || strlen(ranks + 1) >= sizeof(inject_p->waiters) ||
        ranks[1 + strspn(ranks + 1, "0123456789,-")])
        return false;
    *ranks = '\0';
    strcpy(inject_p->waiters, ranks + 1);
    return parse_call(text, inject_p, why_p);
}

static bool parse_place(char *place, struct mend_inject *inject_p, const char **why_p)
{
    char *then = strchr(place, '>');

    if (then) {
        *then = '\0';
        return parse_from_call(place, then + 1, inject_p, why_p);
    }
    if (!strncmp(place, "in:", 3))
        return parse_wait(place + 3, inject_p, why_p);
    if (!parse_count(place, &inject_p->countdown, why_p))
        return false;
    if (!strncmp(place, "time:", 5)) {
        inject_p->at = MEND_INJECT_AT_TIME;
        *why_p = "the time is a number of seconds, or one with s, ms or us";
        return parse_delay(place + 5, &inject_p->delay_ns);
    }
    if (!strncmp(place, "call:", 5)) {
        inject_p->at = MEND_INJECT_AT_CALL;
        return parse_call(place + 5, inject_p, why_p);
    }
    return parse_event(place, inject_p, why_p);
}

bool mend_event_parse_inject(const char *spec, struct mend_inject *inject_p, const char **why_p)
{
    const char *at = strchr(spec, '@');
    char place[128];

    *inject_p = (struct mend_inject){.countdown = 1};
    *why_p =
        "kill, stop, cont, abort and note can be injected, and only abort takes a CODE, which is a "
        "number";
    if (!at || strlen(at + 1) >= sizeof(place) ||
        !parse_action(spec, (size_t)(at - spec), inject_p))
        return false;
    strcpy(place, at + 1);
    return parse_place(place, inject_p, why_p);
}

static void count_down(struct mend_events *events, struct mend_inject *inject)
{
    if (inject->countdown && --inject->countdown == 0)
        events->act(events, inject);
}

void mend_event_hit(struct mend_events *events, enum mend_event_id id)
{
    if (events->trace)
        fprintf(stderr, "mend event %s\n", names[id]);
    if (events->hits)
        events->hits[id]++;
    for (unsigned i = 0; i < events->injects_n; i++) {
        struct mend_inject *x = &events->injects[i];

        if (x->at == MEND_INJECT_AT_EVENT && x->event == id && !x->calls)
            count_down(events, x);
    }
}

void mend_event_call(struct mend_events *events, const char *fn)
{
    for (unsigned i = 0; i < events->injects_n; i++) {
        struct mend_inject *x = &events->injects[i];

        if (strcmp(x->call, fn) != 0)
            continue;
        if (x->at == MEND_INJECT_AT_CALL)
            count_down(events, x);
        else if (x->calls)
            x->calls--;
    }
}
