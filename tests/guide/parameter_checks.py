import jax
from flatppl import flatppl
from jax.experimental import checkify

normal = flatppl(r"""
    sigma = external(reals)
    x = external(reals)
    inputs = (sigma, x)
    outputs = logdensityof(Normal(0.0, sigma), x)
""")
print(float(jax.jit(normal.compile())(-1.0, 0.5)))
checked = jax.jit(checkify.checkify(normal.compile(checks="raise")))
error, _ = checked(-1.0, 0.5)
print("outside its declared value set" in error.get())
