/* plugin.c - a library that is loaded, called and closed; PLUGIN_SIZE makes one differ from another. */
int plugin_call(void (*visit)(void), int depth);

volatile int plugin_sink;

__attribute__((noinline)) int plugin_call(void (*visit)(void), int depth)
{
    volatile char room[PLUGIN_SIZE];

    room[0] = (char)depth;
    if (depth > 0) {
        plugin_sink += plugin_call(visit, depth - 1);
        return plugin_sink + room[0];
    }
    visit();
    return plugin_sink + 1;
}
