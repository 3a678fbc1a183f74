mkdir -p examples && cat > examples/zz.rs <<'E'
use disk::{save_all, Disk};
fn main() {
    let mut d = Disk { free: 5, ..Disk::default() };
    let r = save_all(&mut d, &["abc", "defg", "h"]);
    print!("{:?} {}", r, d.files.len());
}
E
RUSTFLAGS="-D warnings" cargo build -q && test "$(cargo run -q --example zz)" = "Err(Full) 1"
