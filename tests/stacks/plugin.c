/* plugin.c - a library that is loaded, called and closed; PLUGIN_SIZE makes one differ from another. */
unsigned plugin_call(void (*visit)(void), int depth);

volatile unsigned plugin_sink;

__attribute__((noinline)) unsigned plugin_call(void (*visit)(void), int depth)
{
    volatile char room[PLUGIN_SIZE];

    room[0] = (char)depth;
    if (depth > 0) {
        plugin_sink += plugin_call(visit, depth - 1);
        return plugin_sink + (unsigned)room[0];
    }
    visit();
    return plugin_sink + 1;
}
