"""Code of a change that games its judge instead of doing the work."""
