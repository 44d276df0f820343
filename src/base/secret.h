/* secret.h - passwords, tokens and keys in a command line, masked.
 *
 * The probe and `tare run` mask them before they write a command line down; whoever reads a ledger
 * masks them again, because an older tare did not. What counts as secret is in the tables of
 * secret.c: options
 * (--password X, --api-key=X), assignments (AWS_SECRET_ACCESS_KEY=X, "token": "X", ?token=X),
 * headers (Authorization: Bearer X) and URLs (scheme://user:X@host). It works in place, takes no
 * memory and calls nothing, so that it may run inside the program.
 */
#ifndef TARE_BASE_SECRET_H
#define TARE_BASE_SECRET_H

#include <stddef.h>

/* text[length] holds words, each ended by `between`: 0 as the kernel keeps them, or a blank. Every
 * byte of a secret becomes '*'. */
void secret_cover(char *text, size_t length, char between);

/* The same; then each secret is "***" at most, so that its length does not show. The new length;
 * what is masked already stays as it is. */
size_t secret_mask(char *text, size_t length, char between);

/* Words that end with 0 each become one masked and terminated line with blanks between them. `text`
 * has length + 1 bytes. The length of the line. */
size_t secret_command(char *text, size_t length);

#endif /* TARE_BASE_SECRET_H */
