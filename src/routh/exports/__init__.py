"""Models for other programs: functions in their languages, and files that stand alone."""
