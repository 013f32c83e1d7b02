//! Limits of the operating system: open files per process, and the time for which unacknowledged bytes are kept.

use std::time::Duration;

use tokio::net::TcpStream;

/// Default number of connections; each takes about 10 KB.
const DEFAULT: usize = 4096;
/// Descriptors for files, the database, the span exporter and the spare lane. Model calls add one per worker.
const RESERVE: u64 = 128;
/// Requested limit on open files, if the hard limit is higher or absent.
#[cfg(unix)]
const MOST_FILES: u64 = 1 << 20;

/// Raises the limit on open files as far as this process may, and returns it; `None` if there is no limit.
#[cfg(unix)]
pub fn raise_open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MOST_FILES, |most| most.min(MOST_FILES));
    if current.is_none_or(|current| current >= wanted) {
        return current;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => Some(wanted),
        Err(error) => {
            tracing::debug!(%error, "the limit on open files could not be raised");
            current
        }
    }
}

#[cfg(not(unix))]
pub fn raise_open_files() -> Option<u64> {
    None
}

/// Returns the number of connections that may be open, and a sentence for the log if that is fewer than `configured`.
pub fn connections(configured: Option<usize>, workers: usize, open_files: Option<u64>) -> (usize, Option<String>) {
    let wanted = configured.unwrap_or(DEFAULT);
    let Some(open_files) = open_files else { return (wanted, None) };
    let reserve = RESERVE.saturating_add(u64::try_from(workers).unwrap_or(u64::MAX));
    // Of a very low limit, half is reserved.
    let room = open_files - reserve.min(open_files / 2);
    let room = usize::try_from(room).unwrap_or(usize::MAX).max(1);
    if wanted <= room {
        return (wanted, None);
    }
    let sentence = configured.map(|configured| {
        format!(
            "DOCKET_MAX_CONNECTIONS is {configured}, but the limit of {open_files} open files allows only {room} \
                 connections, so {room} are accepted. Raise the limit (`ulimit -n`, `LimitNOFILE=`) or lower the \
                 variable."
        )
    });
    (room, sentence)
}

/// Sets TCP_USER_TIMEOUT: if the client acknowledges nothing for `timeout`, the next write fails. Linux only.
pub fn drop_dead_peers(stream: &TcpStream, timeout: Duration) {
    #[cfg(target_os = "linux")]
    {
        let milliseconds = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
        if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, milliseconds) {
            tracing::debug!(%error, "the timeout of a connection could not be set");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, timeout);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_stay_below_the_limit_on_open_files() {
        for (configured, open_files, allowed, warns) in [
            (None, None, 4096, false),
            (None, Some(1_048_576), 4096, false),
            (None, Some(1024), 640, false),
            (None, Some(300), 150, false),
            (Some(20), Some(1024), 20, false),
            (Some(640), Some(1024), 640, false),
            (Some(641), Some(1024), 640, true),
            (Some(100_000), None, 100_000, false),
            (Some(5), Some(0), 1, true),
        ] {
            let (found, sentence) = connections(configured, 256, open_files);
            assert_eq!((found, sentence.is_some()), (allowed, warns), "{configured:?} of {open_files:?}");
            let named = |text: &String| text.contains("DOCKET_MAX_CONNECTIONS is") && text.contains("open files");
            assert!(sentence.iter().all(named), "{sentence:?}");
        }
    }
}
