use std::thread;

pub type Job<T> = Box<dyn FnOnce() -> T + Send>;

/// Runs all jobs side by side; the results are in the order of the jobs.
pub fn run<T: Send + 'static>(jobs: Vec<Job<T>>) -> Vec<Result<T, String>> {
    let running: Vec<_> = jobs.into_iter().map(thread::spawn).collect();
    running.into_iter().map(|job| Ok(job.join().unwrap())).collect()
}
