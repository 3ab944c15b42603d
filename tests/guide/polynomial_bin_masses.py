import jax
import jax.numpy as jnp
from flatppl import flatppl

bin_score = flatppl(r"""
    flatppl_compat = "0.1"
    a = external(nonnegreals)
    weight(x, a) = polynomial([1.0, a], x)
    intensity = weighted(weight, Lebesgue(interval(0.0, 1.0)), a)
    inputs = a
    outputs = logdensityof(BinnedPoissonProcess([0.0, 0.5, 1.0], intensity), [1, 2])
""").compile()
value, slope = jax.jit(jax.value_and_grad(bin_score))(jnp.float32(2))
print(f"{float(value):.6f}, {float(slope):.6f}")
