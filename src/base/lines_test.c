/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_test.c – lines of the report have the members of lines.def, in their order. */
#include "base/lines.h"

#include "base/test.h"

#include <string.h>

MEND_TEST(every_type_of_member)
{
    char text[MEND_LINE_BYTES];

    CHECK(mend_line_death_text(
        text, &(struct mend_line_death){
                  .rank = 3, .pid = 4711, .seen_by = "life word", .cause = "signal", .code = -9}));
    CHECK(!strcmp(text, "\"event\":\"death\",\"rank\":3,\"pid\":4711,\"seen_by\":\"life word\","
                        "\"cause\":\"signal\",\"code\":-9"));
    CHECK(mend_line_suspicion_text(text, &(struct mend_line_suspicion){.rank = 0, .by = 2}));
    CHECK(!strcmp(text, "\"event\":\"suspicion\",\"rank\":0,\"by\":2,\"refused\":false"));
    CHECK(mend_line_revoke_text(
        text, &(struct mend_line_revoke){.rank = MEND_LINE_OF_THIS, .ctx = UINT64_MAX}));
    CHECK(!strcmp(text, "\"event\":\"revoke\",\"ctx\":18446744073709551615"));
}

MEND_TEST(a_text_that_is_too_long)
{
    char text[MEND_LINE_BYTES], host[MEND_LINE_BYTES];

    memset(host, 'h', sizeof(host));
    host[sizeof(host) - 1] = '\0';
    CHECK(!mend_line_start_text(text, &(struct mend_line_start){.ranks = 1, .host = host}));
    CHECK(strlen(text) == sizeof(text) - 1);
    host[400] = '\0';
    CHECK(mend_line_start_text(text, &(struct mend_line_start){.ranks = 1, .host = host}));
}

MEND_TEST_MAIN()
