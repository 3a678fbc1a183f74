mkdir -p examples && cat > examples/zz.rs <<'E'
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

static LEFT: AtomicUsize = AtomicUsize::new(0);

struct Looking;

unsafe impl GlobalAlloc for Looking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if layout.size() == 4099 && (0..4099).any(|n| *at.add(n) == 0xA7) {
            LEFT.fetch_add(1, SeqCst);
        }
        System.dealloc(at, layout)
    }
}

#[global_allocator]
static ALL: Looking = Looking;

fn main() {
    let secret = secret::Secret::new(vec![0xA7; 4099]);
    let sum: usize = secret.expose().iter().map(|byte| *byte as usize).sum();
    drop(secret);
    print!("{} {}", sum, LEFT.load(SeqCst));
}
E
test "$(cargo run -q --example zz)" = '684533 0'
