"""How Ralph shows itself on a terminal. Everything shown is a view of facts."""
