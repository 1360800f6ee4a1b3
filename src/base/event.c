/* SPDX-License-Identifier: BSD-3-Clause */
/* event.c – names of events, and killing, stopping or aborting at one of them. */
#include "base/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define MEND_EVENT_DEF(sym_, name_, what_) name_,
#include "base/event.def"
#undef MEND_EVENT_DEF
};

const char *mend_event_name(enum mend_event_id id)
{
    return id < MEND_EV_COUNT ? names[id] : "?";
}

enum mend_event_id mend_event_find(const char *name)
{
    for (unsigned i = 0; i < MEND_EV_COUNT; i++)
        if (!strcmp(names[i], name))
            return (enum mend_event_id)i;
    return MEND_EV_COUNT;
}

static bool parse_action(const char *text, size_t len, struct mend_inject *inject_p)
{
    if (len == 4 && !strncmp(text, "kill", 4))
        inject_p->action = MEND_INJECT_KILL;
    else if (len == 4 && !strncmp(text, "stop", 4))
        inject_p->action = MEND_INJECT_STOP;
    else if (len >= 5 && !strncmp(text, "abort", 5) && (len == 5 || text[5] == ':'))
        inject_p->action = MEND_INJECT_ABORT;
    else
        return false;
    inject_p->arg = inject_p->action == MEND_INJECT_ABORT && len > 6 ? atoi(text + 6) : 1;
    return true;
}

static bool parse_delay(const char *text, mend_time_ns *delay_p)
{
    char *end;
    double v = strtod(text, &end);
    double unit = !strcmp(end, "s") || !*end ? 1e9
                  : !strcmp(end, "ms")       ? 1e6
                  : !strcmp(end, "us")       ? 1e3
                                             : 0;

    if (end == text || v < 0 || unit == 0)
        return false;
    *delay_p = (mend_time_ns)(v * unit);
    return true;
}

static bool parse_place(char *place, struct mend_inject *inject_p, const char **why_p)
{
    if (!strncmp(place, "time:", 5)) {
        inject_p->place = MEND_INJECT_AT_TIME;
        *why_p = "the time is a number with s, ms or us";
        return parse_delay(place + 5, &inject_p->delay_ns);
    }
    if (!strncmp(place, "call:", 5)) {
        inject_p->place = MEND_INJECT_AT_CALL;
        *why_p = "the function's name is empty or too long";
        if (!place[5] || strlen(place + 5) >= sizeof(inject_p->call))
            return false;
        strcpy(inject_p->call, place + 5);
        return true;
    }
    inject_p->place = MEND_INJECT_AT_EVENT;
    inject_p->event = mend_event_find(place);
    *why_p = "no event of that name ('mend-info --events' lists them)";
    return inject_p->event != MEND_EV_COUNT;
}

bool mend_inject_parse(const char *spec, struct mend_inject *inject_p, const char **why_p)
{
    const char *at = strchr(spec, '@');
    char place[128], *hash, *end = "";

    *inject_p = (struct mend_inject){.countdown = 1};
    *why_p = "expected kill@PLACE, stop@PLACE or abort:CODE@PLACE";
    if (!at || strlen(at + 1) >= sizeof(place) ||
        !parse_action(spec, (size_t)(at - spec), inject_p))
        return false;
    strcpy(place, at + 1);
    hash = strchr(place, '#');
    if (hash) {
        *hash = '\0';
        inject_p->countdown = strtoull(hash + 1, &end, 10);
        *why_p = "the count after # is not a positive number";
        if (end == hash + 1 || *end || !inject_p->countdown || hash[1] == '-')
            return false;
    }
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
    for (unsigned i = 0; i < events->injects_n; i++)
        if (events->injects[i].place == MEND_INJECT_AT_EVENT && events->injects[i].event == id)
            count_down(events, &events->injects[i]);
}

void mend_event_call(struct mend_events *events, const char *fn)
{
    for (unsigned i = 0; i < events->injects_n; i++)
        if (events->injects[i].place == MEND_INJECT_AT_CALL && !strcmp(events->injects[i].call, fn))
            count_down(events, &events->injects[i]);
}
