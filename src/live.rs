//! Wakes listeners within the process. Signals carry no content: the events themselves are in the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::domain::id::UserId;

/// The process's signal board: two signals per user with listeners, one for turns that may wait for a worker, one for messages to
/// send. A user's signals wake only that user's listeners.
#[derive(Debug, Clone, Default)]
pub struct Live {
    turns: watch::Sender<()>,
    cards: watch::Sender<()>,
    users: Arc<Users>,
}

#[derive(Debug, Default)]
struct Users(Mutex<HashMap<UserId, Bells>>);

#[derive(Debug, Default)]
struct Bells {
    /// Fires on any new event.
    events: watch::Sender<()>,
    /// Fires when a turn may have ended.
    ends: watch::Sender<()>,
}

impl Users {
    fn bells(&self) -> MutexGuard<'_, HashMap<UserId, Bells>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// Signals new events of the user; `ended` is true if one of them may have ended a turn. Does nothing without listeners.
    pub fn wake(&self, user: UserId, ended: bool) {
        if let Some(bells) = self.users.bells().get(&user) {
            bells.events.send_replace(());
            if ended {
                bells.ends.send_replace(());
            }
        }
    }

    /// Signals that a turn may be waiting for a worker.
    pub fn wake_workers(&self) {
        self.turns.send_replace(());
    }

    /// Signals that there may be messages to send to a channel.
    pub fn wake_senders(&self) {
        self.cards.send_replace(());
    }

    pub fn listen_for_cards(&self) -> Listener {
        Listener { bell: self.cards.subscribe(), user: None }
    }

    /// Subscribes to the user's events.
    pub fn listen(&self, user: UserId) -> Listener {
        let bell = self.users.bells().entry(user).or_default().events.subscribe();
        Listener { bell, user: Some((user, self.users.clone())) }
    }

    /// Returns the number of listeners for the user's events.
    pub fn listeners(&self, user: UserId) -> usize {
        self.users.bells().get(&user).map_or(0, |bells| bells.events.receiver_count())
    }

    /// Subscribes to the ends of the user's turns.
    pub fn listen_for_ends(&self, user: UserId) -> Listener {
        let bell = self.users.bells().entry(user).or_default().ends.subscribe();
        Listener { bell, user: Some((user, self.users.clone())) }
    }

    pub fn listen_for_turns(&self) -> Listener {
        Listener { bell: self.turns.subscribe(), user: None }
    }
}

/// A subscription to one signal.
#[derive(Debug)]
pub struct Listener {
    bell: watch::Receiver<()>,
    user: Option<(UserId, Arc<Users>)>,
}

impl Listener {
    /// Waits until the signal has fired since the last call; repeated signals count once. Returns false if the board is gone.
    pub async fn woken(&mut self) -> bool {
        self.bell.changed().await.is_ok()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let Some((user, users)) = &self.user else { return };
        let mut bells = users.bells();
        if bells.get(user).is_some_and(|bells| bells.events.receiver_count() + bells.ends.receiver_count() == 1) {
            bells.remove(user);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_listener_hears_its_own_user_and_nobody_else() {
        let (live, ana, ben) = (Live::default(), UserId::new(), UserId::new());
        let (mut hers, mut his) = (live.listen(ana), live.listen(ben));
        live.wake(ana, true);
        live.wake(ana, true);
        assert_eq!(hers.woken().now_or_never(), Some(true));
        assert_eq!(hers.woken().now_or_never(), None, "two rings are one when nobody looked in between");
        assert_eq!(his.woken().now_or_never(), None);
        assert_eq!([ana, ben, UserId::new()].map(|user| live.listeners(user)), [1, 1, 0]);
    }

    #[test]
    fn who_waits_for_an_end_hears_of_nothing_else() {
        let (live, ana) = (Live::default(), UserId::new());
        let (mut events, mut ends) = (live.listen(ana), live.listen_for_ends(ana));
        live.wake(ana, false);
        assert_eq!(events.woken().now_or_never(), Some(true));
        assert_eq!(ends.woken().now_or_never(), None);
        live.wake(ana, true);
        assert_eq!(events.woken().now_or_never(), Some(true));
        assert_eq!(ends.woken().now_or_never(), Some(true));
    }

    #[test]
    fn nothing_is_kept_of_those_who_have_gone() {
        let (live, ana) = (Live::default(), UserId::new());
        let (first, mut second) = (live.listen_for_ends(ana), live.listen(ana));
        drop(first);
        live.wake(ana, true);
        assert_eq!(second.woken().now_or_never(), Some(true), "the other one still hears");
        drop(second);
        assert!(live.users.bells().is_empty());
    }
}
