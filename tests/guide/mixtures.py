import jax
import jax.numpy as jnp
from flatppl import flatppl

mixture = flatppl(r"""
    weights = external(cartpow(nonnegreals, 2))
    means = external(cartpow(cartpow(reals, 2), 2))
    covariances = [rowstack([[1.0, 0.0], [0.0, 1.0]])]
    distribution = normalize(ksuperpose(MvNormal, weights, mu = means, cov = covariances))
    x = elementof(cartpow(reals, 2))
    inputs = (x, weights, means)
    outputs = logdensityof(distribution, x)
""").compile()
points = jnp.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
weights = jnp.array([1.0, 1.0])
means = jnp.array([[-1.0, 0.0], [1.0, 0.0]])
values, gradients = jax.jit(
    jax.vmap(jax.value_and_grad(mixture), in_axes=(0, None, None))
)(points, weights, means)
print(values.shape, gradients.shape)
