//! Crashes at a commit, for tests: the process stops there forever, or ends as with `kill -9`. Not in release builds.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::Commit;

/// Side of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Before it: nothing is durable.
    Before,
    /// After it: everything is durable.
    After,
}

/// A point of a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    pub side: Side,
    pub commit: Commit,
}

/// Kind of a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Stops at the point. The test drops the other tasks.
    Stop,
    /// SIGKILL.
    Kill,
}

/// A planned crash, and the points reached so far.
#[derive(Debug)]
pub struct Crashes {
    /// Point, number of the pass at which to crash (from 1), and kind.
    plan: Option<(Point, usize, Act)>,
    reached: Mutex<Vec<Point>>,
    dead: AtomicBool,
    down: Notify,
}

impl Point {
    /// Returns every point.
    pub fn all() -> impl Iterator<Item = Self> {
        Commit::ALL.iter().flat_map(|&commit| [Side::Before, Side::After].map(|side| Self { side, commit }))
    }
}

impl Crashes {
    /// Creates a plan without a crash, which records the points reached.
    pub fn watch() -> Self {
        Self { plan: None, reached: Mutex::default(), dead: AtomicBool::new(false), down: Notify::new() }
    }

    /// Creates a plan that crashes at the `nth` pass of `point`, from 1.
    pub fn at(point: Point, nth: usize, act: Act) -> Self {
        Self { plan: Some((point, nth, act)), ..Self::watch() }
    }

    /// Parses `before step` and `after finish 2` as a crash by SIGKILL.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let side = match words.next()? {
            "before" => Side::Before,
            "after" => Side::After,
            _ => return None,
        };
        let name = words.next()?;
        let commit = *Commit::ALL.iter().find(|commit| commit.as_str() == name)?;
        let nth = words.next().map_or(Some(1), |nth| nth.parse().ok().filter(|nth| *nth > 0))?;
        words.next().is_none().then(|| Self::at(Point { side, commit }, nth, Act::Kill))
    }

    /// Returns unless the crash is planned for this pass.
    pub(super) async fn reach(&self, point: Point) {
        let strikes = {
            let mut reached = self.reached.lock().expect("a plan is never poisoned");
            // Concurrent tasks may still get here after the crash.
            let alive = !self.dead.load(Ordering::SeqCst);
            if alive {
                reached.push(point);
            }
            let count = || reached.iter().filter(|one| **one == point).count();
            let strikes = self.plan.filter(|(at, nth, _)| alive && *at == point && count() == *nth);
            self.dead.fetch_or(strikes.is_some(), Ordering::SeqCst);
            strikes
        };
        match strikes {
            Some((_, _, Act::Kill)) => kill(),
            Some((_, _, Act::Stop)) => self.down.notify_one(),
            None => {}
        }
        // Concurrent tasks must not outlive the crash.
        if self.dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }

    /// Waits for the crash.
    pub async fn down(&self) {
        self.down.notified().await;
    }

    /// Returns the points reached, in order, with repetitions.
    pub fn reached(&self) -> Vec<Point> {
        self.reached.lock().expect("a plan is never poisoned").clone()
    }

    /// Returns the set of points reached.
    pub fn seen(&self) -> BTreeSet<Point> {
        self.reached().into_iter().collect()
    }
}

/// Ends the process at once, as a power cut does: nothing is flushed or closed.
fn kill() -> ! {
    #[cfg(unix)]
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).ok();
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_side_commit_and_how_often() {
        let plan = |text: &str| Crashes::parse(text).and_then(|crashes| crashes.plan);
        let finish = Point { side: Side::After, commit: Commit::Finish };
        assert_eq!(plan("after finish"), Some((finish, 1, Act::Kill)));
        assert_eq!(plan("after finish 3"), Some((finish, 3, Act::Kill)));
        for wrong in ["", "after", "finish", "after nothing", "during finish", "after finish 0", "after finish 1 2"] {
            assert_eq!(plan(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_commit_has_a_name_of_its_own() {
        let names: BTreeSet<_> = Commit::ALL.iter().map(|commit| commit.as_str()).collect();
        assert_eq!(names.len(), Commit::ALL.len());
        assert_eq!(Point::all().count(), 2 * Commit::ALL.len());
    }
}
