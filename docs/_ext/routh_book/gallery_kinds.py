"""What stands in the gallery, by kind: model files and scripts."""

from __future__ import annotations

MODELS = {
    "First problems of every course": "pendulum double_pendulum double_pendulum_absolute"
    " coupled_pendulums elastic_pendulum pushed_pendulum inclined_plane double_well spherical_pendulum"
    " hardening_spring",
    "Turning and accelerated frames": "rotating_mass turning_table table_with_springs bead_on_hoop"
    " bead_on_rotating_rod accelerated_pendulum accelerated_arm accelerated_hub accelerated_table"
    " watt_governor two_link_hub tip_mass_hub rod_arm_hub furuta_pendulum",
    "Held by constraints": "cartesian_pendulum cartesian_double_pendulum length_angle_pendulum"
    " hanging_chain sliding_ladder reeled_crane",
    "Machines and control": "cart_pole crane hoisting_crane prescribed_crane two_rod_arm quarter_car"
    " tuned_mass_damper winch_weight",
    "Rigid bodies and rolling": "spinning_top quaternion_top drilled_disc ball_on_turning_plate",
    "Bodies that bend": "hub_beam rotating_beam shaken_beam t_structure graded_foundation"
    " moving_string",
    "Dry friction": "stick_slip block_on_belt block_on_wedge shoe_brake thrown_disc",
    "Driven, follower and circulatory forces": "shaken_pendulum ziegler_column circulatory_forces",
    "Tethers, kites, masses that change": "slack_tether tethered_mass carousel_kite pumping_kite rocket"
    " unfolding_chain",
    "Beyond mechanics": "rlc_circuit dc_motor loudspeaker relativistic_particle",
}
"""Models by kind, in the order in which they are shown."""

SCRIPTS = {
    "A tour": "tour",
    "Equilibria and branches": "equilibria_coupled_pendulums equilibria_three_bodies"
    " bifurcation_bead_on_hoop follower_ziegler_column",
    "Turning frames, gyroscopic systems, rotors": "gyroscopic_rotating_table gyroscopic_trojan_points"
    " rheonomic_accelerated_pendulum rotor_campbell_diagram steady_heavy_top steady_rolling_disc",
    "Rigid bodies, rolling, chains": "rigid_body_compound_pendulum rigid_body_heavy_top"
    " rigid_body_tennis_racket rolling_disc rolling_ball_turning_plate chain_many_links arm_puma_560"
    " constraint_pendulum_tension",
    "Bodies that bend": "continuous_buckled_column continuous_rotating_beam hybrid_hub_beam",
    "Motions, Hamilton, action": "motion_double_pendulum hamilton_heavy_top action_oscillator",
    "Dry friction": "friction_stick_slip friction_ladder friction_painleve",
    "Periodic systems": "periodic_shaken_pendulum periodic_million_points",
    "Control and optimal control": "control_crane control_swing_up optimal_cart_pole optimal_kite_loop"
    " optimal_kite_power",
    "Kites": "kite_carousel kite_pumping",
    "Studies": "monte_carlo_pendulum study_unround_shaft",
}
"""Scripts by kind."""


def every(kinds: dict[str, str]) -> list[str]:
    """All names of a table, in its order."""
    return [name for names in kinds.values() for name in names.split()]
