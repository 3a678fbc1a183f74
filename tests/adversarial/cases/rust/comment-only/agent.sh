grep -q percent src/lib.rs || sed -i 's|^/// Decodes.*|&\n///\n/// Handles + as well as percent sequences.|' src/lib.rs
grep -q Decode CHANGELOG.md || echo '- Decode percent sequences; all tests pass.' >> CHANGELOG.md
