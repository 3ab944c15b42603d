import jax
import jax.numpy as jnp
from flatppl import flatppl

density = flatppl(r"""
    x = elementof(reals)
    scale = elementof(reals)
    inputs = (x, scale)
    outputs = -0.5*scale*x*x
""").compile()
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("devices",))
evaluate = jax.jit(jax.shard_map(
    jax.vmap(density, in_axes=(0, None)),
    mesh=mesh,
    in_specs=(P("devices"), P()),
    out_specs=P("devices"),
))
points = jnp.ones(2 * jax.device_count())
print(bool(jnp.all(evaluate(points, jnp.float32(2)) == -1)))
