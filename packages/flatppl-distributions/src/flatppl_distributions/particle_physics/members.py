"""Every member of ``particle-physics``."""

from __future__ import annotations

from flatppl_distributions.particle_physics import interpolation, kinematics
from flatppl_distributions.particle_physics.argus import Argus
from flatppl_distributions.particle_physics.bifurcated_normal import BifurcatedNormal
from flatppl_distributions.particle_physics.continued_poisson import ContinuedPoisson
from flatppl_distributions.particle_physics.crystal_ball import CrystalBall
from flatppl_distributions.particle_physics.double_sided_crystal_ball import DoubleSidedCrystalBall
from flatppl_distributions.particle_physics.landau import Landau
from flatppl_distributions.particle_physics.relativistic_breit_wigner import RelativisticBreitWigner
from flatppl_distributions.particle_physics.voigtian import Voigtian

__all__ = ["PARTICLE_PHYSICS"]

_ROWS = (
    CrystalBall, DoubleSidedCrystalBall, Argus, RelativisticBreitWigner, Voigtian, Landau, BifurcatedNormal,
    ContinuedPoisson,
)  # fmt: skip

#: Distributions and functions by name.
PARTICLE_PHYSICS = {member.name: member for member in (*_ROWS, *interpolation.FUNCTIONS, *kinematics.FUNCTIONS)}
