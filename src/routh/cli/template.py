"""The model that `routh new` writes."""

TEMPLATE = """# A model of Routh. Write the energy, get the dynamics:
#     routh report swing.toml

name = "pendulum"
description = "A mass on a rod."
# constraints = ["x^2 + y^2 - l^2"]        # expressions held at zero

[coordinates]
theta = {start = 2.0, unit = "rad"}        # where motions start; rate = ... for its velocity

[parameters]
m = {value = 1, unit = "kg"}
l = {value = 1.2, unit = "m"}
g = {value = 9.81, unit = "m/s^2"}
c = {value = 0.1, unit = "N*m*s/rad"}

# [inputs]
# F = {value = 0, law = "sin(2*t)"}        # value at equilibria, law in motions

[let]                                      # names for expressions and vectors, used below
r = "l*[sin(theta), -cos(theta)]"

[energy]                                   # theta' is the velocity; r' that of the point
kinetic = "m/2*norm2(r')"
potential = "m*g*r[2]"                     # the second component
dissipation = "c/2*theta'^2"

# [[forces]]                               # by virtual work
# force = "[F, 0]"
# at = "r"

[drawing]
points = ["r"]
lines = [["[0, 0]", "r"]]

[analysis]
motion = {until = 10}
# sweep = {parameter = "l", from = 0.5, to = 2}
"""
