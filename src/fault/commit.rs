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
    /// The refusal of a message that came too fast.
    Refuse = "refuse",
    /// A worker takes a turn that waited or was left.
    Claim = "claim",
    /// A worker keeps its turn.
    Renew = "renew",
    /// What the process before left is free to be claimed.
    TakeOver = "take_over",
    /// A person asks a turn to stop.
    Stop = "stop",
    /// An engine's reply, before any of its calls runs.
    Step = "step",
    /// Words of a reply that is still being written, or their withdrawal.
    Told = "told",
    /// An outside agent's call, whole: its turn, its effect or its request, and its decision.
    Outside = "outside",
    /// A call with its effect, its request for approval or its refusal.
    Call = "call",
    /// The calls of an approval with their effects.
    Approved = "approved",
    /// A verdict by button and the turn that carries it out.
    Verdict = "verdict",
    /// A yes in the chat and the calls that it approves.
    Yes = "yes",
    /// A confirmation in the very message and the calls that it approves.
    Inline = "inline",
    /// The calls that a turn of a verdict is to run.
    CarryOut = "carry_out",
    /// The expiry of an approval and the turn that tells of it.
    Expire = "expire",
    /// A process takes up work that comes round by the clock.
    Job = "job",
    /// Tasks that lay in the bin too long go for good.
    Purge = "purge",
    /// A part of a conversation is summed up.
    Remember = "remember",
    /// Memories get the vectors of another embedder.
    Embed = "embed",
    /// Some of what was said and done is erased.
    Erase = "erase",
    /// More time for an approval.
    Extend = "extend",
    /// Reply, decision and the end of a turn.
    Finish = "finish",
    /// A sender takes cards that are to be shown outside.
    Outbox = "outbox",
    /// What was sent is kept: the message, or that all was shown.
    Sent = "sent",
    /// The chat of a person is linked, parted or asked something.
    Chat = "chat",
    /// The notice of a task whose time has come.
    Remind = "remind",
    /// A person's own edit of a task.
    Edit = "edit",
    /// A change, a call or a turn taken back.
    Undo = "undo",
}
