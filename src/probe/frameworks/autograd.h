/* autograd.h - PyTorch's backward pass, charged to the lines of the forward pass.
 *
 * Of what a backward pass allocates, Python knows only the line that started it. Each node of the
 * graph has a number that libtorch draws for it when the forward pass makes the node: drawing goes
 * through here, and the Python stack of that moment is kept by the number. Running a node goes through
 * here, too, so that a sample taken while it runs finds the stack that made the node.
 *
 * Both functions are libtorch's own, by their mangled names; another signature has another name and is
 * never called here. Where in a node its number lies is learned by comparing; without a clear answer
 * the feature stays off.
 */
#ifndef TARE_PROBE_AUTOGRAD_H
#define TARE_PROBE_AUTOGRAD_H

#include <stdint.h>

#define AUTOGRAD_PLACES 2 /* where the number may lie in a node: 16 from torch 2.13 on, 24 before */

/* A node that is being run; on the stack of the thread that runs it. */
struct autograd_node {
    uint32_t magic; /* an exception passes our frame without a word: the next look finds out */
    uintptr_t self;
    struct autograd_node *outer;
    uint64_t numbers[AUTOGRAD_PLACES];
    uintptr_t frame; /* Python's innermost */
};

void autograd_made(uint64_t number); /* libtorch has drawn this number for a new node */
/* A node is run, by the caller of these two. */
void autograd_enter(struct autograd_node *here, const void *node);
void autograd_leave(struct autograd_node *here);

/* The stack that made the node that this thread is running; 0: it runs none, or none is known. */
uint32_t autograd_stack(void);

void autograd_forked(void); /* in a forked child: its ledger has no stacks yet */

#endif /* TARE_PROBE_AUTOGRAD_H */
