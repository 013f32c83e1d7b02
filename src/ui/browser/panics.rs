//! Panics in the browser, told in its console.

use leptos::web_sys::console;

/// Has each panic told in the console, with its place.
pub fn tell() {
    std::panic::set_hook(Box::new(|panic| console::error_1(&panic.to_string().into())));
}
