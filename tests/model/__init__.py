"""The scripted model: one small server that speaks to real agent CLIs in their own wire formats."""
