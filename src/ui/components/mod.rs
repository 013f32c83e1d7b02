//! UI components. A component is one file, one public component and one stylesheet of the same name.

pub mod approval_card;
pub mod approval_dialog;
pub mod brand;
/// Actions on several selected tasks.
pub mod bulk_bar;
/// The message input.
pub mod composer;
pub mod conversation_item;
/// Dragging of rows.
mod drag;
/// A keyed list.
pub mod each;
pub mod empty_state;
/// The error of a failed fetch.
pub mod failure;
pub mod field;
pub mod icon;
/// The switch between conversation and list.
pub mod layout_switch;
pub mod message_item;
/// The main navigation.
pub mod nav_rail;
/// Manual order of a list's rows.
mod order;
/// Several lines pasted into quick add.
pub mod pasted_lines;
pub mod quick_add;
pub mod receipt_line;
/// Hidden fields of plain forms.
pub mod return_to;
mod row_editor;
/// Sample tasks.
pub mod samples;
/// A log that starts at its end.
pub mod scroller;
/// Suggested first messages.
pub mod starters;
/// The tasks that a message answers with.
pub mod task_card;
/// The checkbox of a task.
pub mod task_check;
pub mod task_detail;
pub mod task_form;
/// The inputs of a task's form.
mod task_inputs;
pub mod task_item;
/// The text of a task's row.
mod task_line;
/// Tasks under their headings.
pub mod task_list;
/// The link to the list on narrow screens.
pub mod task_peek;
/// Toasts and reminders.
pub mod toast_region;
/// A shared `Transition`.
pub mod wait;
/// The progress of a running turn.
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
#[cfg(feature = "ssr")]
pub use icon::sprite;
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
#[cfg(feature = "ssr")]
pub use task_check::act_form;
pub use task_detail::TaskDetail;
pub use task_form::TaskForm;
pub use task_item::TaskItem;
pub use task_list::TaskList;
pub use task_peek::TaskPeek;
pub use toast_region::ToastRegion;
pub use wait::Wait;
pub use working::Working;
