"""Linear layers whose matrix products are float16, by MKL's ``cblas_hgemm``.

On processors with AVX512-FP16 it is twice as fast as float32 and, where there is no AMX, three times as fast
as bfloat16; PyTorch does not call it. The product is as exact as with bfloat16. Weights, biases, sums and all
other layers stay float32. Gradients are scaled to float16's range, each tensor by a power of two.
``pip install mkl`` gives ``libmkl_rt.so.2``; ``MKL_RT`` names the file.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

import torch
from torch import Tensor

ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
ONE, ZERO = ctypes.c_uint16(0x3C00), ctypes.c_uint16(0)


@cache
def library() -> ctypes.CDLL:
    """Return MKL."""
    return ctypes.CDLL(os.environ.get("MKL_RT", "libmkl_rt.so.2"))


def product(a: Tensor, b: Tensor, a_transposed: bool = False, b_transposed: bool = False) -> Tensor:
    """Return the float16 product of two contiguous float16 matrices, each transposed or not."""
    rows, inner = a.shape[::-1] if a_transposed else a.shape
    columns = b.shape[0] if b_transposed else b.shape[1]
    out = torch.empty(rows, columns, dtype=torch.float16)
    sides = (TRANSPOSED if a_transposed else PLAIN, TRANSPOSED if b_transposed else PLAIN)
    pointers = [ctypes.c_void_p(matrix.data_ptr()) for matrix in (a, b, out)]
    library().cblas_hgemm(
        *(ROW_MAJOR, *sides, rows, columns, inner, ONE, pointers[0], a.shape[1]),
        *(pointers[1], b.shape[1], ZERO, pointers[2], columns),
    )
    return out


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        x, w = inputs.reshape(-1, inputs.shape[-1]).half(), weight.half()
        ctx.save_for_backward(x, w)
        ctx.shape = inputs.shape
        return torch.add(bias, product(x, w, b_transposed=True)).view(*inputs.shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x, w = ctx.saved_tensors
        flat = gradient.reshape(-1, gradient.shape[-1])
        largest = flat.abs().max().clamp(min=1e-30)
        scale = 2.0 ** -torch.ceil(torch.log2(largest))  # then at most 1
        g = (flat * scale).half()
        to_inputs = torch.div(product(g, w), scale, out=torch.empty(x.shape))
        to_weight = torch.div(product(g, x, a_transposed=True), scale, out=torch.empty(w.shape))
        return to_inputs.view(ctx.shape), to_weight, flat.sum(0)


class HalfLinear(torch.nn.Linear):
    """A linear layer as above; its parameters are those of ``torch.nn.Linear``."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the float32 output."""
        return _Linear.apply(inputs, self.weight, self.bias)


def halve(network: torch.nn.Module) -> None:
    """Let the linear layers of a network compute in float16."""
    for module in network.modules():
        if type(module) is torch.nn.Linear:
            module.__class__ = HalfLinear
