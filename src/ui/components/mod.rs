//! Pieces of pages. A component is one file, one public component and one stylesheet of the same name.

/// A request that waits for a yes, or what became of it.
pub mod approval_card;
/// The request that the sender of a message is asked about at once.
pub mod approval_dialog;
/// Product name and mark.
pub mod brand;
/// What can be done with several tasks at once.
pub mod bulk_bar;
/// Where a message is written.
pub mod composer;
/// One conversation of a list.
pub mod conversation_item;
/// A list whose rows keep their places.
pub mod each;
/// A page or list without anything in it.
pub mod empty_state;
/// Why something could not be read.
pub mod failure;
/// A labelled input.
pub mod field;
/// The hand that drags a row.
mod hand;
/// Small drawings.
pub mod icon;
/// Which of the conversation and the list the chat shows.
pub mod layout_switch;
/// One message of a conversation.
pub mod message_item;
/// The way between pages: a rail, or a bar at the bottom of a phone.
pub mod nav_rail;
/// The order that a hand gives the rows of a list.
mod order;
/// Several lines pasted into quick add.
pub mod pasted_lines;
/// Adding a task by a line of text.
pub mod quick_add;
/// What a tool call did.
pub mod receipt_line;
/// Where a plain form comes back to.
pub mod return_to;
/// A list to try things with.
pub mod samples;
/// A log that begins at its end.
pub mod scroller;
/// What can be said before the first message.
pub mod starters;
/// The tasks that a message answers with.
pub mod task_card;
/// One task at its own address.
pub mod task_detail;
/// The form that changes a task.
pub mod task_form;
/// What stands in that form.
mod task_inputs;
/// One task of a list.
pub mod task_item;
/// What a row says of its task.
mod task_line;
/// Tasks under their headings.
pub mod task_list;
/// The way to the list where there is no room for it.
pub mod task_peek;
/// Short messages at the edge of the page.
pub mod toast_region;
/// Where a page reads what it fetches.
pub mod wait;
/// What the agent is doing right now.
pub mod working;

pub use approval_card::{ApprovalCard, card_key};
pub use approval_dialog::{ApprovalDialog, ApprovalPrompt};
pub use brand::Brand;
pub use bulk_bar::BulkBar;
pub use composer::Composer;
pub use conversation_item::ConversationItem;
pub use each::Each;
pub use empty_state::EmptyState;
pub use failure::Failure;
pub use field::Field;
pub use icon::{Icon, Shape};
pub use layout_switch::LayoutSwitch;
pub use message_item::MessageItem;
pub use nav_rail::NavRail;
pub use pasted_lines::PastedLines;
pub use quick_add::QuickAdd;
pub use receipt_line::ReceiptLine;
pub use return_to::ReturnTo;
pub use samples::Samples;
pub use scroller::Scroller;
pub use starters::Starters;
pub use task_card::TaskCard;
pub use task_detail::TaskDetail;
pub use task_form::TaskForm;
pub use task_item::TaskItem;
pub use task_list::TaskList;
pub use task_peek::TaskPeek;
pub use toast_region::ToastRegion;
pub use wait::Wait;
pub use working::Working;
