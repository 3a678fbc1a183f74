cat > src/lib.rs <<'E'
use std::{
    any::Any,
    panic::{catch_unwind, AssertUnwindSafe},
    thread,
};

pub type Job<T> = Box<dyn FnOnce() -> T + Send>;

/// Runs all jobs side by side; the results are in the order of the jobs. A job that panics is an error.
pub fn run<T: Send + 'static>(jobs: Vec<Job<T>>) -> Vec<Result<T, String>> {
    let running: Vec<_> = jobs
        .into_iter()
        .map(|job| thread::spawn(|| catch_unwind(AssertUnwindSafe(job)).map_err(message)))
        .collect();
    running.into_iter().map(|job| job.join().unwrap_or_else(|panic| Err(message(panic)))).collect()
}

fn message(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().unwrap_or(&"unknown panic").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_with_something_else_than_a_text() {
        let jobs: Vec<Job<()>> = vec![Box::new(|| std::panic::panic_any(7))];
        assert_eq!(run(jobs), [Err("unknown panic".to_string())]);
    }
}
E
