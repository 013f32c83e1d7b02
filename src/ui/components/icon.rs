//! Icons on a 24-unit grid, in the colour of the surrounding text.

use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Agent,
    Alert,
    Arrow,
    Bin,
    Book,
    Calendar,
    Chat,
    Check,
    Chevron,
    Clock,
    Cross,
    Diamond,
    Dot,
    Down,
    Eye,
    Flag,
    Gear,
    Leave,
    List,
    Plus,
    Repeat,
    Search,
    Send,
    Shield,
    Stop,
    Undo,
    Up,
}

impl Shape {
    /// Returns the icon's fragment in the sprite.
    fn href(self) -> &'static str {
        match self {
            Self::Agent => "#icon-agent",
            Self::Alert => "#icon-alert",
            Self::Arrow => "#icon-arrow",
            Self::Bin => "#icon-bin",
            Self::Book => "#icon-book",
            Self::Calendar => "#icon-calendar",
            Self::Chat => "#icon-chat",
            Self::Check => "#icon-check",
            Self::Chevron => "#icon-chevron",
            Self::Clock => "#icon-clock",
            Self::Cross => "#icon-cross",
            Self::Diamond => "#icon-diamond",
            Self::Dot => "#icon-dot",
            Self::Down => "#icon-down",
            Self::Eye => "#icon-eye",
            Self::Flag => "#icon-flag",
            Self::Gear => "#icon-gear",
            Self::Leave => "#icon-leave",
            Self::List => "#icon-list",
            Self::Plus => "#icon-plus",
            Self::Repeat => "#icon-repeat",
            Self::Search => "#icon-search",
            Self::Send => "#icon-send",
            Self::Shield => "#icon-shield",
            Self::Stop => "#icon-stop",
            Self::Undo => "#icon-undo",
            Self::Up => "#icon-up",
        }
    }
}

/// A decorative icon: the text next to it or the control's label has the meaning. Size and stroke are set by `style/components/icon.css`.
#[component]
pub fn Icon(shape: Shape) -> impl IntoView {
    // Opened elements flip it.
    let class = if shape == Shape::Chevron { "icon icon--chevron" } else { "icon" };
    view! { <svg class=class aria-hidden="true"><use_ href=shape.href()/></svg> }
}

/// The sprite: the paths of all icons, once per page. Rendered by the server only.
#[cfg(feature = "ssr")]
mod sprite {
    use leptos::prelude::*;

    use super::Shape;

    impl Shape {
        const ALL: [Self; 27] = [
            Self::Agent,
            Self::Alert,
            Self::Arrow,
            Self::Bin,
            Self::Book,
            Self::Calendar,
            Self::Chat,
            Self::Check,
            Self::Chevron,
            Self::Clock,
            Self::Cross,
            Self::Diamond,
            Self::Dot,
            Self::Down,
            Self::Eye,
            Self::Flag,
            Self::Gear,
            Self::Leave,
            Self::List,
            Self::Plus,
            Self::Repeat,
            Self::Search,
            Self::Send,
            Self::Shield,
            Self::Stop,
            Self::Undo,
            Self::Up,
        ];

        fn path(self) -> &'static str {
            match self {
                Self::Agent => "M12 3.5l1.9 5.1 5.1 1.9-5.1 1.9L12 17.5l-1.9-5.1L5 10.5l5.1-1.9zM18.5 16v4M16.5 18h4",
                Self::Alert => "M12 4L2.8 19.5h18.4zM12 10v4.5M12 17.2v.1",
                Self::Arrow => "M5 12h14M13 6l6 6-6 6",
                Self::Bin => "M4 7h16M9.5 7V4.5h5V7M6 7l1 13h10l1-13M10 11v5.5M14 11v5.5",
                Self::Book => {
                    "M5 4.5h11.5A2.5 2.5 0 0119 7v12.5H7.5A2.5 2.5 0 015 17zM5 17a2.5 2.5 0 012.5-2.5H19M9 8.5h6"
                }
                Self::Calendar => "M4.5 6h15v14h-15zM4.5 10.5h15M8.5 3.5V8M15.5 3.5V8",
                Self::Chat => "M4 5.5h16v11H10.5L6 20.5v-4H4zM8 9.5h8M8 12.5h5",
                Self::Check => "M5 12.5l4.5 4.5L19 7.5",
                Self::Chevron => "M6 9l6 6 6-6",
                Self::Clock => "M12 3.5a8.5 8.5 0 100 17 8.5 8.5 0 000-17zM12 7.5V12l3 2",
                Self::Cross => "M6 6l12 12M18 6L6 18",
                Self::Diamond => "M12 3l8 9-8 9-8-9z",
                Self::Dot => "M12 7a5 5 0 100 10 5 5 0 000-10z",
                Self::Down => "M12 5v14M6 13l6 6 6-6",
                Self::Eye => {
                    "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 100 6 3 3 0 000-6z"
                }
                Self::Flag => "M6 21V4h11.5l-2.5 4 2.5 4H6",
                Self::Gear => "M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h7M15 17h5M13 15v4",
                Self::Leave => "M14 4.5H5v15h9M10 12h11M17.5 8.5L21 12l-3.5 3.5",
                Self::List => {
                    "M4 6.5l1.5 1.5L8 5M4 12.5L5.5 14 8 11M4 18.5L5.5 20 8 17M11.5 7H20M11.5 13H20M11.5 19H20"
                }
                Self::Plus => "M12 5v14M5 12h14",
                Self::Repeat => {
                    "M4 12V10a3.5 3.5 0 013.5-3.5H19M16 3.5l3 3-3 3M20 12v2a3.5 3.5 0 01-3.5 3.5H5M8 20.5l-3-3 3-3"
                }
                Self::Search => "M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM15.5 15.5L20.5 20.5",
                Self::Send => "M12 20V5M5.5 11.5L12 5l6.5 6.5",
                Self::Shield => "M12 3.5l7.5 2.5v6c0 4.5-3.2 7.4-7.5 8.5-4.3-1.1-7.5-4-7.5-8.5V6zM8.5 12l2.5 2.5 4.5-5",
                Self::Stop => "M7 7h10v10H7z",
                Self::Undo => "M4.5 9H15a5 5 0 010 10h-5M8.5 4.5L4 9l4.5 4.5",
                Self::Up => "M12 19V5M6 11l6-6 6 6",
            }
        }
    }

    pub fn sprite() -> impl IntoView {
        let symbols = Shape::ALL.map(|shape| {
            let id = shape.href().trim_start_matches('#');
            view! { <symbol id=id viewBox="0 0 24 24"><path d=shape.path()></path></symbol> }
        });
        view! { <svg hidden aria-hidden="true">{symbols.collect_view()}</svg> }
    }
}

#[cfg(feature = "ssr")]
pub use sprite::sprite;
