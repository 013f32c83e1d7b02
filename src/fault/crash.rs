//! A process that dies at a commit, for tests: it stops there for ever, or kills itself as `kill -9` does. Not in release builds.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::Commit;

/// On which side of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Nothing of it is durable.
    Before,
    /// All of it is.
    After,
}

/// A place to die at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    pub side: Side,
    pub commit: Commit,
}

/// How to die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Nothing of the process goes on; whoever planned it drops the rest.
    Stop,
    /// SIGKILL.
    Kill,
}

/// What is planned, and what was reached so far.
#[derive(Debug)]
pub struct Crashes {
    /// Where, how often it is to be reached until then (from 1), and how.
    plan: Option<(Point, usize, Act)>,
    reached: Mutex<Vec<Point>>,
    dead: AtomicBool,
    down: Notify,
}

impl Point {
    /// Every point.
    pub fn all() -> impl Iterator<Item = Self> {
        Commit::ALL.iter().flat_map(|&commit| [Side::Before, Side::After].map(|side| Self { side, commit }))
    }
}

impl Crashes {
    /// No crash: only sees which points are reached.
    pub fn watch() -> Self {
        Self { plan: None, reached: Mutex::default(), dead: AtomicBool::new(false), down: Notify::new() }
    }

    /// Dies when `point` is reached for the `nth` time, from 1.
    pub fn at(point: Point, nth: usize, act: Act) -> Self {
        Self { plan: Some((point, nth, act)), ..Self::watch() }
    }

    /// Reads `before step`, `after finish 2`: dies by SIGKILL.
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

    /// Passes by, or never returns.
    pub(super) async fn reach(&self, point: Point) {
        let strikes = {
            let mut reached = self.reached.lock().expect("a plan is never poisoned");
            // What runs beside the crash may still come by, and reaches nothing any more.
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
        // What runs beside the crash must not outlive it.
        if self.dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until it has happened.
    pub async fn down(&self) {
        self.down.notified().await;
    }

    /// The points that were reached, in order, each as often as it was.
    pub fn reached(&self) -> Vec<Point> {
        self.reached.lock().expect("a plan is never poisoned").clone()
    }

    /// The same without order and number.
    pub fn seen(&self) -> BTreeSet<Point> {
        self.reached().into_iter().collect()
    }
}

/// Ends this process here and now, as a power cut would: nothing is flushed, closed or told.
fn kill() -> ! {
    #[cfg(unix)]
    // SAFETY: both calls take and give plain numbers.
    unsafe {
        libc::kill(libc::getpid(), libc::SIGKILL);
    }
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
