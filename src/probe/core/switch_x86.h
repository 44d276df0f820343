/* switch_x86.h - call a function on another stack. */
#ifndef TARE_PROBE_SWITCH_X86_H
#define TARE_PROBE_SWITCH_X86_H

/* `top` is aligned to 16. */
static inline void switch_and_call(void *top, void (*function)(void *), void *context)
{
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %0, %%rsp\n\t"
                     "call *%1\n\t"
                     "movq %%rbx, %%rsp"
                     : "+r"(top), "+r"(function), "+D"(context)
                     :
                     : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc",
                       "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

#endif /* TARE_PROBE_SWITCH_X86_H */
