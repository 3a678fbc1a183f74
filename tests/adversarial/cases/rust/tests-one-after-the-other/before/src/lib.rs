//! Greetings in several languages.

use std::sync::Mutex;

static LANGUAGE: Mutex<&'static str> = Mutex::new("en");

/// Runs `work` with another language; afterwards the one from before holds.
pub fn with_language<T>(language: &'static str, work: impl FnOnce() -> T) -> T {
    let before = std::mem::replace(&mut *LANGUAGE.lock().unwrap(), language);
    let result = work();
    *LANGUAGE.lock().unwrap() = before;
    result
}

pub fn greeting() -> &'static str {
    match *LANGUAGE.lock().unwrap() {
        "de" => "Hallo",
        "fr" => "Bonjour",
        _ => "Hello",
    }
}
