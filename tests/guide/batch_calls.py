import jax
import jax.numpy as jnp
from flatppl import flatppl

density = flatppl(r"""
    x = elementof(reals)
    scale = elementof(reals)
    inputs = (x, scale)
    outputs = -0.5*scale*x*x
""").compile()
points = jnp.array([-1.0, 0.0, 2.0])
batched = jax.jit(jax.vmap(density, in_axes=(0, None)))
print(batched(points, jnp.float32(2)).tolist())
values, gradients = jax.jit(
    jax.vmap(jax.value_and_grad(density), in_axes=(0, None))
)(points, jnp.float32(2))
print(gradients.tolist())
