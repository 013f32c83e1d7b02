//! What the targets share: how libFuzzer calls them, texts out of bytes, and how long they may take.

// Only linked: it has the `main` that calls a target.
#[cfg(feature = "engine")]
extern crate libfuzzer_sys as _;

/// What a target does with any bytes. A panic is a finding: it ends the process, since it may not leave a C function.
#[macro_export]
macro_rules! target {
    (|$data:ident| $body:block) => {
        fn look($data: &[u8]) {
            $body
        }

        /// What libFuzzer's own crate calls.
        #[unsafe(no_mangle)]
        #[allow(improper_ctypes_definitions, reason = "both sides are Rust")]
        pub extern "C" fn rust_fuzzer_test_input(data: &[u8]) -> i32 {
            look(data);
            0
        }
    };
}

use std::time::Duration;

/// Most characters of a message.
pub const LONGEST: usize = 8_000;

/// How long a message of any length may be read, in time of the processor.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// A text out of any bytes. Some are repeated to the greatest length, because what is slower than linear shows there.
pub fn text(data: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(data).chars().take(LONGEST).collect();
    let long = data.iter().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte)) % 16 == 0;
    if long && !text.is_empty() { text.chars().cycle().take(LONGEST).collect() } else { text }
}

/// Runs something twice more if it took too long, since the machine may have been busy; then it is a finding.
pub fn soon<T>(text: &str, mut run: impl FnMut() -> T) -> T {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let begun = processor_time();
        let done = run();
        best = best.min(processor_time() - begun);
        if best <= PATIENCE {
            return done;
        }
    }
    panic!("{} characters took {best:?}", text.chars().count());
}

/// What this thread has used of a processor.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of our own, and the clock is there on every Linux.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "there is no clock of this thread");
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("less than a second"))
}
