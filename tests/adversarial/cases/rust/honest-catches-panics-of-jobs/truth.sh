mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let jobs: Vec<pool::Job<i32>> = vec![
        Box::new(|| 5),
        Box::new(|| panic!("page {}", 3)),
        Box::new(|| None::<i32>.expect("a value")),
        Box::new(|| 6),
    ];
    print!("{:?}", pool::run(jobs));
}
E
test "$(cargo run -q --example zz 2>/dev/null)" = '[Ok(5), Err("page 3"), Err("a value"), Ok(6)]'
