"""Small motions about a rest or along a motion: linear models in every form."""
