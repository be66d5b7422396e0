"""Results as data: records of numbers with names, axes and units, files of them, and the way back."""
