"""The beginning of a C program that keeps blocks in a linked list, for tests that search for holders."""

# add(size) makes a block and puts it before the others; `newest` is the list.
NODE_LIST = """
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>
#include <unistd.h>

struct node { struct node *next; char rest[8]; };
struct node *volatile newest;

static void add(size_t size)
{
    struct node *node = malloc(size);

    node->next = newest;
    newest = node;
}
"""
