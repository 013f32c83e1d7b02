//! One round with the engine: what comes to mind before the first, the question, and whether the user's share allows it.

use std::time::Instant;

use super::Run;
use crate::agent::context;
use crate::agent::engine::{self, Usage};
use crate::agent::machine::{Origin, Step};
use crate::domain::decision::Engine;
use crate::store;
use crate::usecases::spending;
use crate::workflow::finish::Close;
use crate::workflow::{Error, asking, closing, history, memories, stop};

impl Run<'_> {
    /// What comes to mind, for an engine that can read it. The rules cannot: they understand commands about tasks, so that their
    /// turns neither look for memories nor wait for them, with a key or without one.
    pub(super) async fn recall(&mut self) -> Result<(), Error> {
        if self.engine.engine() == Engine::Rules {
            return Ok(());
        }
        // Somebody counts these tokens as well: whoever has no share left is answered by the rules.
        if self.state.embedder_of(self.caller.user.uses_model).is_remote() {
            self.spent = Box::pin(self.has_spent()).await?;
            if self.spent {
                return Ok(());
            }
        }
        let (found, took) = memories::recall(self.state, &self.caller.user, &self.context.entries).await?;
        self.bill.settle(took);
        self.memories = found.iter().map(|memory| memory.memory_id).collect();
        self.context.memories = found.into_iter().map(|memory| memory.text).collect();
        Ok(())
    }

    /// Asks for the next step, or says how the turn ends without one.
    pub(super) async fn ask(&mut self, tools: bool) -> Result<Result<Step, Close>, Error> {
        // Before the first round, what the claim has read is new enough.
        if !self.machine.steps().is_empty() && Box::pin(stop::asked(self.state, self.turn)).await? {
            return Ok(Err(closing::stopped(self.machine.steps())));
        }
        let begun = engine::begun(self.machine.steps());
        // The model that began is not configured any more.
        if self.engine.engine() == Engine::Rules && begun {
            return Ok(Err(closing::unavailable(self.machine.steps(), false)));
        }
        if !Box::pin(self.still_wants_a_model()).await? {
            if begun {
                return Ok(Err(closing::opted_out(self.machine.steps())));
            }
            self.engine = self.state.rules();
        }
        self.spent = self.spent || Box::pin(self.has_spent()).await?;
        let mut request = self.context.request(self.machine.steps(), tools);
        let begun_at = Instant::now();
        let answer = if self.spent && begun {
            // As if the model had failed: its steps are none that the rules could go on from.
            self.engine.instead(&request).await
        } else {
            request.stood_in |= self.spent;
            let (patience, bill) = (&mut self.patience, &mut self.bill);
            let mut said = String::new();
            tokio::select! {
                biased;
                answer = asking::ask(self.state, self.engine, self.turn, patience, bill, &request, &mut said) => answer?.ok(),
                // The call is given up with its future: nobody waits for the provider any more.
                () = stop::heard(self.state, self.turn) => {
                    self.asked = Some(context::asked(&request, since_ms(begun_at)));
                    return Ok(Err(self.stopped(said)));
                }
            }
        };
        self.asked = Some(context::asked(&request, since_ms(begun_at)));
        Ok(match answer {
            Some(reply) => Ok(Step { origin: Origin::Engine, reply, results: vec![] }),
            None => Err(closing::unavailable(self.machine.steps(), self.spent)),
        })
    }

    /// What was said by then is kept as the turn's last step, from which a replay takes it.
    fn stopped(&mut self, said: String) -> Close {
        if !said.trim().is_empty() {
            self.machine.push(Step { origin: Origin::Engine, reply: engine::broken_off(said), results: vec![] });
        }
        closing::stopped(self.machine.steps())
    }

    /// Whether the person may still be answered by a model: they may have chosen otherwise since it began.
    async fn still_wants_a_model(&self) -> Result<bool, Error> {
        // Before the first question, what the turn began with is new enough, unless others were asked for memories meanwhile.
        let new = self.machine.steps().is_empty() && !self.state.embedder_of(self.caller.user.uses_model).is_remote();
        if new || self.engine.engine() == Engine::Rules {
            return Ok(true);
        }
        let mut tx = self.state.ctx.store.read().await?;
        let now = store::users::get(&mut tx, self.turn.user).await?;
        Ok(now.is_some_and(|user| user.uses_model))
    }

    /// Whether the user's share of the day is used up. That is looked at before each call and counts what turns beside this one
    /// have taken so far: so each of them exceeds it by no more than the call that it was waiting for.
    async fn has_spent(&self) -> Result<bool, Error> {
        let share = i64::try_from(self.state.config.turn.daily_tokens).unwrap_or(i64::MAX);
        if share == 0 || self.engine.engine() == Engine::Rules {
            return Ok(false);
        }
        let mut tx = self.state.ctx.store.read().await?;
        // First, so that a turn that ends meanwhile is counted twice rather than not at all.
        let under_way = history::under_way(&mut tx, self.turn.user).await?;
        let under_way = under_way.saturating_add(self.bill.lost().map_or(0, Usage::all));
        Ok(spending::used_up(&mut tx, &self.caller.user, share, under_way, &self.state.ctx.now()).await?)
    }
}

fn since_ms(begun: Instant) -> i64 {
    i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX)
}
