"""Gates: checks that Ralph itself runs. kinds.py finds a kind by its name."""
