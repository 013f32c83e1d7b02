//! Tests of an account disabled while its turn waits: nothing is executed, and one decision records that.

use super::*;
use crate::domain::id::TurnId;
use crate::domain::user::Scope;
use crate::fault::crash::{Act, Crashes, Point, Side};
use crate::fault::{Commit, Faults};
use crate::usecases::accounts::{self, Manager};
use crate::workflow::disable_account;

impl World {
    /// Disables the account and runs pending work; returns the turn's end.
    async fn shut_out(&self, turn: TurnId) -> Turn {
        disable_account::disable(&self.state, &Manager::CommandLine, "ada").await.unwrap();
        worker::settle(&self.state).await.unwrap();
        inbox::wait(&self.state, &self.caller, turn).await.unwrap()
    }

    /// Returns the number of the user's records of that kind.
    async fn count(&self, kind: &str) -> usize {
        let bodies = store::testing::bodies(&mut self.state.ctx.read().await.unwrap(), self.caller.id()).await;
        bodies.iter().filter(|(of, _)| of == kind).count()
    }
}

#[track_caller]
fn refused(turn: &Turn) {
    ended(turn, DecisionKind::Refuse, Outcome::Cancelled);
    assert_eq!(turn.reply.as_deref(), Some("This account is disabled; nothing was done."));
    assert!(turn.tool_calls.is_empty(), "{turn:#?}");
}

/// Begins a turn whose process dies after its first commit of a kind; the world is a replica then.
async fn died_after(world: &mut World, commit: Commit) -> TurnId {
    let dies = Arc::new(Crashes::at(Point { side: Side::After, commit }, 1, Act::Stop));
    world.state.ctx.faults = Faults::default().crashing(&dies);
    let incoming = IncomingMessage { text: "add milk".into(), conversation: None, client_key: None };
    let begun = inbox::accept(&world.state, &world.caller, incoming).await.unwrap().turn;
    dies.down().await;
    world.state = world.replica().await;
    world.state.ctx.faults = Faults::default();
    begun
}

#[tokio::test]
async fn pending_message_of_a_disabled_account_never_runs() {
    for text in ["add milk", "delete task 1, yes I'm sure", "yes"] {
        for mut world in worlds().await {
            let car = world.task("wash car").await;
            world.say("delete task 1").await;
            let (decisions, changes) = (world.count("decision").await, world.count("change").await);
            let waiting = world.left(text).await;
            refused(&world.shut_out(waiting).await);
            assert_eq!(world.count("decision").await, decisions + 1, "{text}");
            // Not even when the account is enabled again.
            accounts::enable(&world.state.ctx, &Manager::CommandLine, "ada").await.unwrap();
            worker::settle(&world.state).await.unwrap();
            assert_eq!(world.count("decision").await, decisions + 1, "{text}");
            assert_eq!(world.count("change").await, changes, "{text}");
            assert!(world.has(car).await, "{text}");
        }
    }
}

#[tokio::test]
async fn verdict_pending_when_the_account_is_disabled_never_runs() {
    for verdict in [Verdict::Approve, Verdict::Reject] {
        for mut world in worlds().await {
            let car = world.task("wash car").await;
            let asked = world.say("delete task 1").await.approval.unwrap().approval_id;
            let places: Vec<_> = std::iter::from_fn(|| world.state.try_turn_slot()).collect();
            let decided = inbox::decide(&world.state, &world.caller, asked, verdict, DecidedVia::Web, None).await;
            drop(places);
            refused(&world.shut_out(decided.unwrap().turn).await);
            assert_eq!((world.count("decision").await, world.count("approval_verdict").await), (2, 1));
            accounts::enable(&world.state.ctx, &Manager::CommandLine, "ada").await.unwrap();
            worker::settle(&world.state).await.unwrap();
            let late = inbox::decide(&world.state, &world.caller, asked, Verdict::Approve, DecidedVia::Web, None).await;
            assert!(matches!(late, Err(Error::Conflict(_))), "one verdict, used up");
            assert_eq!(world.count("decision").await, 2);
            assert!(world.has(car).await);
        }
    }
}

#[tokio::test]
async fn turn_ended_by_disabling_reports_what_it_did() {
    for mut world in worlds().await {
        let begun = died_after(&mut world, Commit::Call).await;
        world.expire_leases().await;
        let turn = world.shut_out(begun).await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::Cancelled);
        let told =
            "Created task: milk (#1)\nThis account is disabled, so I stopped here. Everything listed above is done.";
        assert_eq!((turn.reply.as_deref(), turn.tool_calls.len()), (Some(told), 1));
    }
}

#[tokio::test]
async fn disabling_an_account_ends_turns_and_approvals_in_one_transaction() {
    for mut world in worlds().await {
        let car = world.task("wash car").await;
        let asked = world.say("delete task 1").await.approval.unwrap().approval_id;
        let first = world.left("add milk").await;
        let second = world.left("add eggs").await;
        let (_, token) = accounts::create_token(&world.state.ctx, "ada", "phone", &[Scope::Chat], 0).await.unwrap();
        // No worker runs: the turns end within that transaction.
        disable_account::disable(&world.state, &Manager::CommandLine, "ada").await.unwrap();
        for turn in [first, second] {
            refused(&conversations::turn(&world.state.ctx, &world.caller, turn).await.unwrap());
        }
        let approval = approvals::get(&world.state.ctx, &world.caller, asked).await.unwrap();
        assert_eq!(
            (approval.status, approval.reason.as_deref()),
            (ApprovalStatus::Void, Some("The account was disabled."))
        );
        accounts::enable(&world.state.ctx, &Manager::CommandLine, "ada").await.unwrap();
        let late = inbox::decide(&world.state, &world.caller, asked, Verdict::Approve, DecidedVia::Web, None).await;
        assert!(matches!(&late, Err(Error::Conflict(text)) if text == "The account was disabled."), "{late:?}");
        assert!(accounts::caller_of_token(&world.state.ctx, &token).await.unwrap().is_none(), "tokens have ended");
        assert!(world.has(car).await);
        assert_eq!(world.say("show my tasks").await.reply.unwrap().matches('#').count(), 1, "and nothing was added");
    }
}

#[tokio::test]
async fn worker_loses_its_running_turn_when_the_account_is_disabled() {
    for mut world in worlds().await {
        let begun = died_after(&mut world, Commit::Step).await;
        // Its lease has not expired: the turn is taken from its worker.
        disable_account::disable(&world.state, &Manager::CommandLine, "ada").await.unwrap();
        refused(&conversations::turn(&world.state.ctx, &world.caller, begun).await.unwrap());
        worker::settle(&world.state).await.unwrap();
        assert_eq!(world.count("change").await, 0);
    }
}
