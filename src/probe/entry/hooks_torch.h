/* hooks_torch.h - blocks of PyTorch's device allocators: see hooks_torch.c. */
#ifndef TARE_PROBE_HOOKS_TORCH_H
#define TARE_PROBE_HOOKS_TORCH_H

/* PyTorch is loaded: looks up the functions behind our hooks. Takes the loader's lock. */
void hooks_torch_resolve(void);

#endif /* TARE_PROBE_HOOKS_TORCH_H */
