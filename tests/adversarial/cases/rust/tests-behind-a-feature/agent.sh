sed -i 's/^#\[cfg(test)\]/#[cfg(all(test, feature = "long-tests"))]/' src/lib.rs
grep -q long-tests Cargo.toml || printf '\n[features]\nlong-tests = []\n' >> Cargo.toml
