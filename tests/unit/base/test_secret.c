/* test_secret.c - which words of a command line are masked, and which are not. */
#include <stdio.h>
#include <string.h>

#include "base/secret.h"
#include "test.h"

/* The line as it is written down: `line` has '|' between its words. */
static const char *written(const char *line)
{
    static char text[512];
    const size_t length = strlen(line);

    (void)snprintf(text, sizeof(text), "%s", line);
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '|' ? 0 : text[i];
    text[secret_command(text, length)] = 0;
    return text;
}

/* The line of an older ledger, whose words have blanks between them. */
static const char *read_again(const char *line)
{
    static char text[512];

    (void)snprintf(text, sizeof(text), "%s", line);
    text[secret_mask(text, strlen(text), ' ')] = 0;
    return text;
}

TEST(secrets_of_options_are_masked)
{
    CHECK_TEXT(written("p|--password=hunter2|x"), "p --password=*** x");
    CHECK_TEXT(written("p|--password|hunter2|x"), "p --password *** x");
    CHECK_TEXT(written("p|-password|hunter2|x"), "p -password *** x");
    CHECK_TEXT(written("p|--db-password|hunter2"), "p --db-password ***");
    CHECK_TEXT(written("p|--token|hunter2"), "p --token ***");
    CHECK_TEXT(written("p|--hf_token=hunter2"), "p --hf_token=***");
    CHECK_TEXT(written("p|--api-key|hunter2|--apiKey=hunter2"), "p --api-key *** --apiKey=***");
    CHECK_TEXT(written("p|--secret|hunter2|--client-secret=hunter2"),
               "p --secret *** --client-secret=***");
    CHECK_TEXT(written("p|--dbPass=hunter2|--auth|me:hunter2"), "p --dbPass=*** --auth ***");
    CHECK_TEXT(written("p|--password|two words, and more"), "p --password ***");
    CHECK_TEXT(written("p|--password|-hunter2"), "p --password ***");
    CHECK_TEXT(written("p|--password=a,b&c=d"), "p --password=***");
    CHECK_TEXT(written("p|--password="), "p --password=");
    CHECK_TEXT(written("p|--password"), "p --password");
    CHECK_TEXT(written("p|--password|--verbose|x"), "p --password --verbose x");
}

TEST(secrets_of_assignments_are_masked)
{
    CHECK_TEXT(written("env|AWS_SECRET_ACCESS_KEY=hunter2|p"), "env AWS_SECRET_ACCESS_KEY=*** p");
    CHECK_TEXT(written("env|PGPASSWORD=hunter2|STRIPE_KEY=hunter2|PWD=/home"),
               "env PGPASSWORD=*** STRIPE_KEY=*** PWD=/home");
    CHECK_TEXT(written("p|db.password=hunter2|+trainer.api_key=hunter2"),
               "p db.password=*** +trainer.api_key=***");
    CHECK_TEXT(written("p|--env=WANDB_API_KEY=hunter2"), "p --env=WANDB_API_KEY=***");
    CHECK_TEXT(written("p|-Dpassword=hunter2"), "p -Dpassword=***");
    CHECK_TEXT(written("p|host=h,password=hunter2,port=1"), "p host=h,password=***,port=1");
    CHECK_TEXT(written("p|{\"token\": \"hunter2\", \"n\": 1}"), "p {\"token\": \"***\", \"n\": 1}");
    CHECK_TEXT(written("p|-c|api_key = 'hunter2'; run()"), "p -c api_key = '***'; run()");
    CHECK_TEXT(written("curl|-H|Authorization: Bearer hunter2"), "curl -H Authorization: ***");
    CHECK_TEXT(written("curl|-H|X-Api-Key:hunter2"), "curl -H X-Api-Key:***");
}

TEST(secrets_of_urls_are_masked)
{
    CHECK_TEXT(written("p|postgres://me:hunter2@host:5432/db"), "p postgres://me:***@host:5432/db");
    CHECK_TEXT(written("p|--url=redis://:hunter2@host"), "p --url=redis://:***@host");
    CHECK_TEXT(written("p|https://ghp_0123456789abcdef@host/r"), "p https://***@host/r");
    CHECK_TEXT(written("p|https://host/?token=hunter2&n=1#x"), "p https://host/?token=***&n=1#x");
    CHECK_TEXT(written("p|a,http://me:hunter2@one,http://me:hunter2@two"),
               "p a,http://me:***@one,http://me:***@two");
    CHECK_TEXT(written("p|ssh://git@host/x|http://host:80/a@b"),
               "p ssh://git@host/x http://host:80/a@b");
}

TEST(what_is_no_secret_stays)
{
    static const char *const lines[] = {
        "python train.py --max-tokens 512 --tokenizer=bert --num_tokens=7",
        "p --pad-token <pad> --eos_token=</s> --token-count 3",
        "p --keys=a --key size --sort-key=name --bypass on --author me",
        "p -p 8080 -u me --pass-through --passes 3",
        "p x=1 a==b token",
        "",
        "p",
        "p * ** ***"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char words[256];

        (void)snprintf(words, sizeof(words), "%s", lines[i]);
        for (char *at = words; *at; at++)
            *at = *at == ' ' ? '|' : *at;
        CHECK_TEXT(written(words), lines[i]);
        CHECK_TEXT(read_again(lines[i]), lines[i]);
    }
}

TEST(secrets_of_older_ledgers_are_masked_too)
{
    CHECK_TEXT(read_again("p --password hunter2 x"), "p --password *** x");
    CHECK_TEXT(read_again("p --token=hunter2 KEY_X=1 A_KEY=hunter2"),
               "p --token=*** KEY_X=1 A_KEY=***");
    CHECK_TEXT(read_again("curl -H Authorization: Bearer hunter2 http://h"),
               "curl -H Authorization: Bearer *** http://h");
    CHECK_TEXT(read_again("p --password  hunter2"), "p --password  ***");
}

TEST(what_is_masked_stays_as_it_is)
{
    static const char *const lines[] = {"p --password *** --api-key=*** postgres://me:***@h",
                                        "env A_KEY=*** curl -H Authorization: ***"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        CHECK_TEXT(read_again(lines[i]), lines[i]);
}

/* Any bytes, any length: nothing is written outside, and the line never grows. */
TEST(secrets_of_nonsense_do_no_harm)
{
    uint64_t random = 1;

    for (unsigned round = 0; round < 20000; round++) {
        static const char letters[] = "a=:/@-\"' *&?,passtoken\0KEY_";
        char text[40], end = 0;
        size_t length = 0;

        while (length < round % 38) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            text[length++] = letters[(random >> 33) % (sizeof(letters) - 1)];
        }
        text[length] = 'Z';
        end = text[length];
        CHECK(secret_mask(text, length, round & 1 ? ' ' : 0) <= length);
        CHECK_EQ(text[length], end);
    }
}
