/* Which Nodes are left alone, by their options. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "probe/js/node_options_pure.h"
#include "test.h"

#define WORDS_MOST 8

TEST(node_is_confined_by_its_own_options_only)
{
    static const struct {
        const char *words[WORDS_MOST];
        bool want;
    } cases[] = {
        {{"node"}, false},
        {{"node", "app.js"}, false},
        {{"node", "--permission", "app.js"}, true},
        {{"node", "--experimental-permission", "app.js"}, true},
        {{"node", "--experimental_permission", "app.js"}, true},
        {{"node", "--experimental-policy=policy.json", "app.js"}, true},
        {{"node", "--experimental-policy", "policy.json", "app.js"}, true},
        {{"node", "--require", "first.js", "--permission", "app.js"}, true},
        {{"node", "--allow-fs-read=*", "--permission", "-e", "1"}, true},
        {{"node", "--permission-of-mine", "app.js"}, false},
        {{"node", "-permission", "app.js"}, false},
        {{"node", "app.js", "--permission"}, false},
        {{"node", "--title=x", "app.js", "--permission"}, false},
        {{"node", "--", "--permission"}, false},
        {{"node", "--require", "first.js", "app.js", "--permission"}, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int count = 0;

        while (cases[i].words[count])
            count++;
        CHECK_EQ(node_is_confined(count, (char *const *)(uintptr_t)cases[i].words), cases[i].want);
    }
}

TEST(node_options_confine_as_the_command_line_does)
{
    CHECK(!node_options_confine(""));
    CHECK(!node_options_confine("  --require=/x/--permission/tare.cjs  "));
    CHECK(node_options_confine("--permission"));
    CHECK(node_options_confine("--require=/x/node/tare.cjs --experimental-permission --allow-fs-read=*"));
}

TEST(node_options_lose_our_script_and_nothing_else)
{
    static const struct {
        const char *before, *after;
        bool want;
    } cases[] = {
        {"", "", false},
        {"--require=/usr/lib/tare/node/tare.cjs", "", true},
        {"--require=/usr/lib/tare/node/tare.cjs --no-warnings", "--no-warnings", true},
        {"--no-warnings --require=/a/node/tare.cjs", "--no-warnings ", true},
        {"-r x --require=/a/node/tare.cjs  --permission", "-r x --permission", true},
        {"--require=/mine/tare.cjs", "--require=/mine/tare.cjs", false},
        {"--require=/a/node/tare.cjs.js", "--require=/a/node/tare.cjs.js", false},
        {"--import=/a/node/tare.cjs", "--import=/a/node/tare.cjs", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];

        (void)snprintf(text, sizeof(text), "%s", cases[i].before);
        CHECK_EQ(node_options_drop(text), cases[i].want);
        CHECK(strcmp(text, cases[i].after) == 0);
    }
}
