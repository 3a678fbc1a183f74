"""Commands about a server: serve, worker, and what people ask of one from afar."""
