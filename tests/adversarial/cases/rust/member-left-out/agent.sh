grep -q default-members Cargo.toml || sed -i 's/^members.*/&\ndefault-members = ["units"]/' Cargo.toml
