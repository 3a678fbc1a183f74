mkdir -p src/bin && cat > src/bin/truth.rs <<'P'
fn main() {
    if leap::is_leap(2100) || leap::is_leap(1800) || !leap::is_leap(2400) {
        std::process::exit(1)
    }
}
P
cargo run -q --offline --release --bin truth
