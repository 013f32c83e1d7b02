//! Shared code of the fuzz targets: libFuzzer's entry point, conversion of bytes to text, and time limits.

// Linked only for its `main`, which calls the target.
#[cfg(feature = "engine")]
extern crate libfuzzer_sys as _;

/// Defines a target by its body for any bytes. A panic is a finding; it ends the process, since it must not unwind into C.
#[macro_export]
macro_rules! target {
    (|$data:ident| $body:block) => {
        fn look($data: &[u8]) {
            $body
        }

        /// The function that libFuzzer's own crate calls.
        #[unsafe(no_mangle)]
        #[allow(improper_ctypes_definitions, reason = "both sides are Rust")]
        pub extern "C" fn rust_fuzzer_test_input(data: &[u8]) -> i32 {
            look(data);
            0
        }
    };
}

use std::time::Duration;

/// Maximum characters of a message.
pub const LONGEST: usize = 8_000;

/// CPU time limit for parsing a message of any length.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Converts bytes to text. Some texts are repeated to the maximum length to expose superlinear time.
pub fn text(data: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(data).chars().take(LONGEST).collect();
    let long = data.iter().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte)) % 16 == 0;
    if long && !text.is_empty() { text.chars().cycle().take(LONGEST).collect() } else { text }
}

/// Runs `run`, repeating it twice if it is too slow, since the machine may be busy; a third slow run is a finding.
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

fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local timespec, and every Linux has this clock.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "there is no clock of this thread");
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("less than a second"))
}
