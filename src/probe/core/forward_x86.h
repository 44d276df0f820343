/* forward_x86.h - functions in front of others, which a C function cannot be. x86-64.
 *
 * DLSYM_HOOK is a dlsym that hands only a driver's names to us, and otherwise is not there. The real one
 * looks at the address it will return to, for RTLD_NEXT and RTLD_DEFAULT mean something else for each
 * caller. So it is jumped to, with the caller's registers and stack. The names are those that begin with
 * "cu" or "hip" and a capital letter.
 *
 *     ours    the same function for the probe itself
 *     next    a variable: the address of the real one; at the start that of `next_first`
 *     find    struct { void *symbol; uint64_t pass_on; } find(void *scope, const char *name); `pass_on` 1:
 *             the real one shall answer
 *     learn   void learn(void) puts the real one's address into `next`; `next_first` calls it
 *
 * A stub passes its number and up to six arguments to one C function, which calls whatever the stub
 * stands for and returns its result. The arguments are whole registers, so that it need not know their
 * types; none is on the stack or a floating-point number. STUBS_BEGIN(name, called), then
 * STUBS_EXPORT(symbol, count) any number of times, then STUBS_END. `name` is where the stubs begin,
 * STUB_BYTES each. STUBS_EXPORT adds `count` of them; the first of them is `symbol`. `frame` is the frame
 * address, as a hook in C would have it:
 *
 *     uint64_t called(const uint64_t arguments[6], uint32_t number, const void *frame)
 */
#ifndef TARE_PROBE_FORWARD_X86_H
#define TARE_PROBE_FORWARD_X86_H

#define DLSYM_KEEP_ \
    "push %rdi\npush %rsi\n.cfi_adjust_cfa_offset 16\nsub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
#define DLSYM_BACK_ \
    "add $8, %rsp\n.cfi_adjust_cfa_offset -8\npop %rsi\npop %rdi\n.cfi_adjust_cfa_offset -16\n"

#define DLSYM_HOOK(ours, next, find, learn)                                                        \
    __asm__(".pushsection .text\n"                                                                 \
            ".globl dlsym\n.type dlsym, @function\n"                                               \
            ".globl " #ours "\n.hidden " #ours "\n.type " #ours ", @function\n"                    \
            ".balign 16\n"                                                                         \
            "dlsym:\n" #ours ":\n"                                                                 \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n"                                                                            \
            "test %rsi, %rsi\nje 1f\n"                                                             \
            "movzbl (%rsi), %eax\n"                                                                \
            "cmp $'c', %al\nje 2f\n"                                                               \
            "cmp $'h', %al\nje 3f\n"                                                               \
            "1: jmp *" #next "(%rip)\n"                                                            \
            "2: cmpb $'u', 1(%rsi)\njne 1b\n"                                                      \
            "movzbl 2(%rsi), %eax\njmp 4f\n"                                                       \
            "3: cmpb $'i', 1(%rsi)\njne 1b\n"                                                      \
            "cmpb $'p', 2(%rsi)\njne 1b\n"                                                         \
            "movzbl 3(%rsi), %eax\n"                                                               \
            "4: sub $'A', %eax\ncmp $25, %eax\nja 1b\n" DLSYM_KEEP_ "call " #find "\n" DLSYM_BACK_ \
            "test %rdx, %rdx\njne 1b\n"                                                            \
            "ret\n"                                                                                \
            ".cfi_endproc\n"                                                                       \
            ".size dlsym, . - dlsym\n.size " #ours ", . - " #ours "\n"                             \
            ".globl " #next "_first\n.hidden " #next "_first\n"                                    \
            ".type " #next "_first, @function\n"                                                   \
            ".balign 16\n" #next "_first:\n"                                                       \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n" DLSYM_KEEP_ "call " #learn "\n" DLSYM_BACK_ "jmp *" #next "(%rip)\n"       \
            ".cfi_endproc\n"                                                                       \
            ".size " #next "_first, . - " #next "_first\n"                                         \
            ".popsection\n")

#define STUB_BYTES 16

#define STUBS_BEGIN(name, called)                                                                  \
    ".pushsection .text\n"                                                                         \
    ".balign 16\n"                                                                                 \
    ".type " #name "_common, @function\n" #name "_common:\n"                                       \
    ".cfi_startproc\n"                                                                             \
    "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"                                   \
    "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"                                                 \
    "push %r9\npush %r8\npush %rcx\npush %rdx\npush %rsi\npush %rdi\n"                             \
    "mov %rsp, %rdi\nmov %eax, %esi\nmov %rbp, %rdx\n"                                             \
    "call " #called "\n"                                                                           \
    "leave\n.cfi_def_cfa %rsp, 8\n"                                                                \
    "ret\n"                                                                                        \
    ".cfi_endproc\n"                                                                               \
    ".size " #name "_common, . - " #name "_common\n"                                               \
    ".set stub_number, 0\n"                                                                        \
    ".macro one_stub\n"                                                                            \
    ".balign 16\n"                                                                                 \
    "endbr64\nmovl $stub_number, %eax\njmp " #name "_common\n"                                     \
    ".set stub_number, stub_number + 1\n"                                                          \
    ".endm\n"                                                                                      \
    ".balign 16\n"                                                                                 \
    ".globl " #name "\n.hidden " #name "\n" #name ":\n"                                            \
    ".cfi_startproc\n"

#define STUBS_EXPORT(symbol, count)                                                                \
    ".balign 16\n"                                                                                 \
    ".globl " #symbol "\n.type " #symbol ", @function\n" #symbol ":\n"                             \
    ".rept " #count "\none_stub\n.endr\n"                                                          \
    ".size " #symbol ", 16\n"

#define STUBS_END                                                                                  \
    ".balign 16\n"                                                                                 \
    ".cfi_endproc\n"                                                                               \
    ".purgem one_stub\n"                                                                           \
    ".popsection\n"

#endif /* TARE_PROBE_FORWARD_X86_H */
