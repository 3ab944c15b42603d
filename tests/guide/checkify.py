import jax
import jax.numpy as jnp
from flatppl import flatppl
from jax.experimental import checkify

select = flatppl(r"""
    values = external(cartpow(reals, 3))
    index = external(integers)
    inputs = (values, index)
    outputs = get(values, index)
""").compile()
checked_select = jax.jit(checkify.checkify(select))
error, value = checked_select(jnp.array([2.0, 4.0, 8.0]), jnp.int32(2))
error.throw()
print(float(value))
