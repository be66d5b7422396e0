"""Contacts: slip, friction, and the forces of constraints that press."""
