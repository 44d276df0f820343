"""Random calls of PyTorch's operators, forwards and backwards; prints what came of each.

    torch_calls.py CALLS SEED

Every line is the operator, the shapes and a digest of all results and gradients, bit by bit.
"""
import hashlib
import random
import sys

import torch
from torch.nn import functional

calls, seed = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)
torch.manual_seed(seed)
torch.set_num_threads(1)

ONE = [torch.sin, torch.exp, torch.tanh, torch.sigmoid, torch.relu, torch.abs, torch.square,
       torch.cumsum, torch.logsumexp, torch.softmax, torch.sort, torch.flip, torch.std, torch.mean,
       torch.triu, functional.gelu, functional.silu, functional.softplus, functional.layer_norm,
       functional.normalize, functional.dropout, functional.pad]
TWO = [torch.add, torch.mul, torch.sub, torch.div, torch.maximum, torch.minimum, torch.atan2,
       torch.hypot, torch.cat, torch.stack, torch.where, functional.mse_loss, functional.l1_loss,
       functional.cosine_similarity, torch.kron]
MATRIX = [torch.matmul, torch.linalg.qr, torch.linalg.solve, torch.einsum, torch.outer,
          functional.linear, functional.conv1d, functional.conv2d, functional.max_pool2d,
          functional.embedding, functional.scaled_dot_product_attention, torch.cdist]
LAST = {torch.cumsum, torch.logsumexp, torch.softmax, torch.flip, functional.normalize}


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def shape():
    return [draw.randint(1, 33) for _ in range(draw.randint(1, 3))]


def call_one(operator):
    x = leaf(*shape())
    if operator in LAST:
        return operator(x, dim=-1) if operator is not torch.flip else operator(x, [-1]), [x]
    if operator is torch.triu:
        x = leaf(draw.randint(1, 40), draw.randint(1, 40))
    if operator is torch.std:
        x = leaf(draw.randint(2, 40))
    if operator is functional.layer_norm:
        return operator(x, x.shape[-1:]), [x]
    if operator is functional.pad:
        return operator(x, (1, 2)), [x]
    result = operator(x)
    return result[0] if isinstance(result, tuple) else result, [x]


def call_two(operator):
    size = shape()
    x, y = leaf(*size), leaf(*size)
    if operator in (torch.cat, torch.stack):
        return operator([x, y]), [x, y]
    if operator is torch.where:
        return operator(x > 0, x, y), [x, y]
    if operator is functional.cosine_similarity:
        return operator(x, y, dim=-1), [x, y]
    if operator is torch.kron:
        x, y = leaf(3, 4), leaf(5, 2)
    return operator(x, y), [x, y]


def call_matrix(operator):
    n, m, k = (draw.randint(2, 24) for _ in range(3))
    x, y = leaf(n, m), leaf(m, k)
    if operator is torch.matmul:
        return operator(x, y), [x, y]
    if operator is torch.linalg.qr:
        square = leaf(n, n)
        return operator(square)[1], [square]
    if operator is torch.linalg.solve:
        square = leaf(n, n)
        return operator(square + 50 * torch.eye(n), x), [square, x]
    if operator is torch.einsum:
        return operator("ij,jk->ik", x, y), [x, y]
    if operator is torch.outer:
        a, b = leaf(n), leaf(m)
        return operator(a, b), [a, b]
    if operator is functional.linear:
        w = leaf(k, m)
        return operator(x, w), [x, w]
    if operator is functional.conv1d:
        a, w = leaf(2, 3, 20 + n), leaf(4, 3, 3)
        return operator(a, w), [a, w]
    if operator is functional.conv2d:
        a, w = leaf(2, 3, 8 + n, 8 + m), leaf(4, 3, 3, 3)
        return operator(a, w, padding=1), [a, w]
    if operator is functional.max_pool2d:
        a = leaf(1, 2, 4 + n, 4 + m)
        return operator(a, 2), [a]
    if operator is functional.embedding:
        return operator(torch.randint(0, n, (k,)), x), [x]
    if operator is torch.cdist:
        other = leaf(k, m)
        return operator(x, other), [x, other]
    q, v = leaf(1, 2, n, 8), leaf(1, 2, m, 8)
    return operator(q, v, v), [q, v]


FAMILIES = [(call_one, ONE), (call_two, TWO), (call_matrix, MATRIX)]
kept = []
for number in range(calls):
    caller, operators = draw.choice(FAMILIES)
    chosen = draw.choice(operators)
    out, leaves = caller(chosen)
    out.square().sum().backward()
    digest = hashlib.sha256()
    for tensor in (out, *leaves, *(x.grad for x in leaves)):
        digest.update(tensor.detach().contiguous().numpy().tobytes())
    print(number, chosen.__name__, tuple(out.shape), digest.hexdigest())
    kept = [*kept[-20:], out]  # some graphs live on for a while
