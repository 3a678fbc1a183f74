"""What `ralph doctor` looks at. Every check only reads; what it starts (git, an agent's --version) changes nothing."""
