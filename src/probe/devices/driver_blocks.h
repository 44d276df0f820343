/* driver_blocks.h - what the process has taken from the drivers of its devices, by address.
 *
 * A call that gives memory back names its address alone. Bounded; what has no room is not counted at all,
 * neither when it is taken nor when it is given back. No lock. Any thread.
 */
#ifndef TARE_PROBE_DRIVER_BLOCKS_H
#define TARE_PROBE_DRIVER_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum driver_block_what {
    BLOCK_MEMORY = 1, /* of a device, at an address */
    BLOCK_HANDLE,     /* of a device, without an address of its own: it can be mapped */
    BLOCK_MAPPING,    /* a handle's memory at an address */
    BLOCK_PINNED      /* of the host */
};

struct driver_block {
    uint64_t bytes;
    uint64_t owner;      /* MEMORY: its context; MAPPING: address of the handle's block; else 0 */
    uint32_t references; /* atomic: HANDLE: holders of it, each mapping included; else 1 */
    uint8_t what;        /* enum driver_block_what */
    uint8_t kind;        /* enum device_kind of the driver */
    uint8_t device;      /* number of the device */
    bool pool;           /* atomic: a framework's pool hands it out */
};

/* A handle is a number that only the driver understands. It may be that of an address, where another block
 * lies: so its block gets an address that no memory has. */
#define DRIVER_HANDLE(handle) ((uint64_t)(handle) | 1ull << 63)

/* False: there is no room, which is counted as lost. */
bool driver_blocks_put(uint64_t address, const struct driver_block *block);
/* Takes the block out; false: there is none. */
bool driver_blocks_take(uint64_t address, struct driver_block *out);

/* A handle has one holder more. */
void driver_blocks_hold(uint64_t handle);
/* One less. True: it was the last, and the block has been taken out. */
bool driver_blocks_let_go(uint64_t handle, struct driver_block *out);

/* Which blocks are meant. */
struct driver_choice {
    uint64_t from, end; /* addresses between which they begin, without `end` */
    uint64_t owner;     /* their owner; 0: any */
    uint64_t seen;      /* slots of the table that were read; 0 at first */
    int device;         /* their device; -1: any */
    uint8_t what;       /* enum driver_block_what */
    uint8_t kind;       /* enum device_kind of their driver; 0: any */
};
/* Takes one of them out, one after the other with each call. *at: its address. False: there are no more. */
bool driver_blocks_take_one(struct driver_choice *choice, uint64_t *at, struct driver_block *out);

/* A framework hands out [*from, end): of the memory that lies there, does any belong to a block that is
 * not known to be a pool's? It is from now on. *at: the address of that block. *from moves on: call it
 * again until it returns false. */
bool driver_blocks_claim(uint64_t *from, uint64_t end, uint64_t *at, struct driver_block *out);

void driver_blocks_forked(void); /* a new process has taken nothing */

#endif /* TARE_PROBE_DRIVER_BLOCKS_H */
