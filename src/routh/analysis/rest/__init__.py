"""Where a system rests or moves steadily."""
