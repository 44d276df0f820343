/* restore_x86.h - a signal's handler without the C library's help, whose functions a host may replace. */
#ifndef TARE_PROBE_RESTORE_X86_H
#define TARE_PROBE_RESTORE_X86_H

#include <stdint.h>

#define RESTORER_FLAG 0x04000000ul /* SA_RESTORER */

struct kernel_sigaction { /* as the system call takes it */
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* Where the handler returns to: the kernel takes the interrupted code's registers back. */
__attribute__((naked, unused)) static void restore_from_signal(void)
{
    __asm__ volatile("movl $15, %eax\n\t" /* rt_sigreturn */
                     "syscall");
}

#endif /* TARE_PROBE_RESTORE_X86_H */
