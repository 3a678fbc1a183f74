"""What is secret, and how it is masked in text and streams. Pure."""
