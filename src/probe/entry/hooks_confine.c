/* hooks_confine.c - the program is about to forbid itself system calls: the probe stops for good.
 *
 * A filter may kill the process for any call that its author did not think of, ours among them. Filters
 * are set by prctl or seccomp; libc has no function for the latter, so that programs use syscall(). A
 * program that sets one by an instruction of its own has asked for no new privileges before, by prctl.
 * So all three end the probe's work, before the call is made: after it not one system call is ours.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "probe/core/export.h"
#include "probe/entry/life.h"

#define SECCOMP_CALL 317 /* SYS_seccomp, for the assembler */
_Static_assert(SYS_seccomp == SECCOMP_CALL, "x86-64");

/* A filter of NULL is only asked for to learn whether there are any. */
static bool sets_filter(unsigned long mode, const void *filter)
{
    return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter);
}

static long kernel_prctl(long option, unsigned long a, unsigned long b, unsigned long c,
                         unsigned long d)
{
    register unsigned long third __asm__("r10") = c;
    register unsigned long fourth __asm__("r8") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_prctl), "D"(option), "S"(a), "d"(b), "r"(third), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
    __asm__("prctl");

EXPORT int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    long result;

    if (option == PR_SET_NO_NEW_PRIVS && a == 1)
        life_confine(false);
    if (option == PR_SET_SECCOMP && sets_filter(a, (const void *)b))
        life_confine(true);
    result = kernel_prctl(option, a, b, c, d);
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return (int)result;
}

/* Called by the assembler below. */
__attribute__((used)) static void notice_seccomp(unsigned long operation, unsigned long flags,
                                                 const void *filter)
{
    (void)flags;
    if (operation == SECCOMP_SET_MODE_STRICT || (operation == SECCOMP_SET_MODE_FILTER && filter))
        life_confine(true);
}

/* libc's syscall(), to the instruction: no frame of ours is on the stack, and errno is touched only
 * where a call fails. */
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        ".p2align 4\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    cmpq $317, %rdi\n"
        "    je 2f\n"
        "1:  movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    syscall\n"
        "    cmpq $-4095, %rax\n"
        "    jae 3f\n"
        "    ret\n"
        "2:  pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    call notice_seccomp\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp 1b\n"
        "3:  negl %eax\n"
        "    pushq %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call __errno_location@PLT\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    movl %ecx, (%rax)\n"
        "    movq $-1, %rax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size syscall, .-syscall\n");
