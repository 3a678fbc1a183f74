use pool::{run, Job};

#[test]
fn results_in_order() {
    let jobs: Vec<Job<u32>> = vec![Box::new(|| 1), Box::new(|| 2)];
    assert_eq!(run(jobs), [Ok(1), Ok(2)]);
}

#[test]
fn a_panic_is_an_error() {
    let jobs: Vec<Job<u32>> = vec![Box::new(|| panic!("no paper")), Box::new(|| 2)];
    assert_eq!(run(jobs), [Err("no paper".to_string()), Ok(2)]);
}
