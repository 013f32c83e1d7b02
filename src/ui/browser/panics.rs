//! Panic reporting in the browser.

use leptos::web_sys::console;

/// Logs each panic to the console, with its location.
pub fn tell() {
    std::panic::set_hook(Box::new(|panic| console::error_1(&panic.to_string().into())));
}
