//! The closed table of commits that a turn, a verdict or an undo consists of.

macro_rules! commits {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// A commit that a turn, a verdict or an undo consists of: the moments between which a process can die.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Commit {
            $($(#[$doc])* $name,)+
        }

        impl Commit {
            /// Every commit.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

commits! {
    /// A message and its turn.
    Accept = "accept",
    /// The refusal of a message over the rate limit.
    Refuse = "refuse",
    /// A worker claims a turn.
    Claim = "claim",
    /// A worker renews its lease.
    Renew = "renew",
    /// Turns of an ended process become claimable.
    TakeOver = "take_over",
    /// A person asks a turn to stop.
    Stop = "stop",
    /// An engine's reply, before any of its calls runs.
    Step = "step",
    /// Text deltas of a reply, or their retraction.
    Told = "told",
    /// An agent's call: its turn, its effect or approval, and its decision.
    Outside = "outside",
    /// A call with its effect, its request for approval or its refusal.
    Call = "call",
    /// The calls of an approval with their effects.
    Approved = "approved",
    /// A verdict by button and the turn that carries it out.
    Verdict = "verdict",
    /// A yes in the chat and the calls that it approves.
    Yes = "yes",
    /// A confirmation in the requesting message, and the calls that it approves.
    Inline = "inline",
    /// The calls that a verdict's turn runs.
    CarryOut = "carry_out",
    /// The expiry of an approval, and its turn.
    Expire = "expire",
    /// A process claims a scheduled job.
    Job = "job",
    /// The purge of overdue tasks in the bin.
    Purge = "purge",
    /// A summary of a part of a conversation.
    Remember = "remember",
    /// New vectors of memories for another embedder.
    Embed = "embed",
    /// A batch of an erasure.
    Erase = "erase",
    /// The extension of an approval.
    Extend = "extend",
    /// Reply, decision and the end of a turn.
    Finish = "finish",
    /// A sender claims entries of the outbox.
    Outbox = "outbox",
    /// The result of a delivery.
    Sent = "sent",
    /// A chat is linked, unlinked or asked a question.
    Chat = "chat",
    /// The reminder of a due task.
    Remind = "remind",
    /// A person's edit of a task.
    Edit = "edit",
    /// The undo of a change, a call or a turn.
    Undo = "undo",
}
