//! One round with the engine: recall before the first one, the daily quota, and the model call.

use std::time::Instant;

use super::Run;
use crate::agent::context;
use crate::agent::engine::{self, Usage};
use crate::agent::machine::{Origin, Step};
use crate::domain::decision::Engine;
use crate::store;
use crate::usecases::spending;
use crate::workflow::commit_turn::TurnReply;
use crate::workflow::{Error, history, memories, reply, stop, stream_reply};

impl Run<'_> {
    /// Recalls memories for a model. The rules could not use memories, so their turns skip the search.
    pub(super) async fn recall(&mut self) -> Result<(), Error> {
        if self.engine.engine() == Engine::Rules {
            return Ok(());
        }
        // A remote embedder's tokens count too: with the quota used up, the rules answer.
        if self.state.embedder_of(self.caller.user.uses_model).is_remote() {
            self.spent = Box::pin(self.has_spent()).await?;
            if self.spent {
                return Ok(());
            }
        }
        let (found, took) = memories::recall(self.state, &self.caller.user, &self.context.entries).await?;
        self.bill.finish(took);
        self.memories = found.iter().map(|memory| memory.memory_id).collect();
        self.context.memories = found.into_iter().map(|memory| memory.text).collect();
        Ok(())
    }

    /// Asks for the next step, or returns the reply that ends the turn.
    pub(super) async fn ask(&mut self, tools: bool) -> Result<Result<Step, TurnReply>, Error> {
        // Before the first round, the claim's data is recent enough.
        if !self.machine.steps().is_empty() && Box::pin(stop::asked(self.state, self.turn)).await? {
            return Ok(Err(reply::stopped(self.machine.steps())));
        }
        let begun = engine::begun(self.machine.steps());
        // The model that started the turn is no longer configured.
        if self.engine.engine() == Engine::Rules && begun {
            return Ok(Err(reply::unavailable(self.machine.steps(), false)));
        }
        if !Box::pin(self.still_wants_a_model()).await? {
            if begun {
                return Ok(Err(reply::opted_out(self.machine.steps())));
            }
            self.engine = self.state.rules();
        }
        self.spent = self.spent || Box::pin(self.has_spent()).await?;
        let mut request = self.context.request(self.machine.steps(), tools);
        let begun_at = Instant::now();
        let answer = if self.spent && begun {
            // Treated as a model failure: the rules cannot continue a model's steps.
            self.engine.instead(&request).await
        } else {
            request.stood_in |= self.spent;
            let (patience, bill) = (&mut self.patience, &mut self.bill);
            let mut said = String::new();
            tokio::select! {
                biased;
                answer = stream_reply::call_model(self.state, self.engine, self.turn, patience, bill, &request, &mut said) => answer?.ok(),
                // Dropping the future cancels the model call.
                () = stop::heard(self.state, self.turn) => {
                    self.asked = Some(context::asked(&request, since_ms(begun_at)));
                    return Ok(Err(self.stopped(said)));
                }
            }
        };
        self.asked = Some(context::asked(&request, since_ms(begun_at)));
        Ok(match answer {
            Some(reply) => Ok(Step { origin: Origin::Engine, reply, results: vec![] }),
            None => Err(reply::unavailable(self.machine.steps(), self.spent)),
        })
    }

    /// Stores the partial reply as the turn's last step, for replays.
    fn stopped(&mut self, said: String) -> TurnReply {
        if !said.trim().is_empty() {
            self.machine.push(Step { origin: Origin::Engine, reply: engine::broken_off(said), results: vec![] });
        }
        reply::stopped(self.machine.steps())
    }

    /// True if the user still allows a model; they may have opted out since the turn started.
    async fn still_wants_a_model(&self) -> Result<bool, Error> {
        // Before the first round, the loaded choice is recent enough, unless recall used a remote embedder in the meantime.
        let new = self.machine.steps().is_empty() && !self.state.embedder_of(self.caller.user.uses_model).is_remote();
        if new || self.engine.engine() == Engine::Rules {
            return Ok(true);
        }
        let mut tx = self.state.ctx.store.read().await?;
        let now = store::users::get(&mut tx, self.turn.user).await?;
        Ok(now.is_some_and(|user| user.uses_model))
    }

    /// True if the user's daily tokens are used up. Checked before each call, including the usage of concurrent turns, so that each turn
    /// exceeds the quota by at most one call.
    async fn has_spent(&self) -> Result<bool, Error> {
        let share = i64::try_from(self.state.config.turn.daily_tokens).unwrap_or(i64::MAX);
        if share == 0 || self.engine.engine() == Engine::Rules {
            return Ok(false);
        }
        let mut tx = self.state.ctx.store.read().await?;
        // Read first, so that a turn that ends in the meantime counts twice rather than not at all.
        let under_way = history::under_way(&mut tx, self.turn.user).await?;
        let under_way = under_way.saturating_add(self.bill.lost().map_or(0, Usage::all));
        Ok(spending::used_up(&mut tx, &self.caller.user, share, under_way, &self.state.ctx.now()).await?)
    }
}

fn since_ms(begun: Instant) -> i64 {
    i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX)
}
