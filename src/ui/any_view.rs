//! Type-erased views. Without erasure each page would be one type of thousands of characters that takes minutes to compile.

use leptos::children::{ChildrenOptContainer, ToChildren};
use leptos::prelude::*;

/// A type-erased view.
#[cfg(not(feature = "hydrate"))]
pub type Piece = AnyView;
#[cfg(feature = "hydrate")]
pub use browser::Piece;

/// Erasure of a view's type.
pub trait Erase {
    /// Erases the type. A changed view replaces its elements instead of being diffed, since code for diffing would dominate the download.
    fn erase(self) -> Piece;

    /// Erases the type, but diffs changes, so that elements keep the focus and typed text.
    fn erase_lasting(self) -> Piece;
}

#[cfg(not(feature = "hydrate"))]
impl<V: RenderHtml + 'static> Erase for V
where
    V: IntoAny,
{
    fn erase(self) -> Piece {
        self.into_any()
    }

    fn erase_lasting(self) -> Piece {
        self.into_any()
    }
}

#[cfg(feature = "hydrate")]
impl<V: RenderHtml + 'static> Erase for V {
    fn erase(self) -> Piece {
        Piece::new(self)
    }

    fn erase_lasting(self) -> Piece {
        Piece::lasting(self)
    }
}

/// A boxed closure that computes a changing part of a view.
pub type Changing<V> = Box<dyn FnMut() -> V + Send>;

/// Boxes a closure for text, a number or an attribute that changes.
pub fn held<V>(make: impl FnMut() -> V + Send + 'static) -> Changing<V> {
    Box::new(make)
}

/// Boxes a closure for a view that changes.
pub fn whole<V: Erase>(mut make: impl FnMut() -> V + Send + 'static) -> Changing<Piece> {
    Box::new(move || make().erase())
}

/// Boxes a closure for an optional view.
pub fn part<V: Erase>(mut make: impl FnMut() -> Option<V> + Send + 'static) -> Changing<Option<Piece>> {
    Box::new(move || make().map(Erase::erase))
}

/// The type-erased children of a component.
pub struct Contents(Box<dyn FnOnce() -> Piece + Send>);

impl Contents {
    pub fn erase(self) -> Piece {
        (self.0)()
    }
}

impl<F, V> ToChildren<F> for Contents
where
    F: FnOnce() -> V + Send + 'static,
    V: Erase,
{
    fn to_children(make: F) -> Self {
        Self(Box::new(move || make().erase()))
    }
}

impl<V: Erase + Send + 'static> ToChildren<ChildrenOptContainer<V>> for Contents {
    fn to_children(made: ChildrenOptContainer<V>) -> Self {
        Self(Box::new(move || made.0.erase()))
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::any::{Any, TypeId};

    use leptos::attr::Attribute;
    use leptos::attr::any_attribute::AnyAttribute;
    use leptos::prelude::{AddAnyAttr, Mountable, Render, RenderHtml};
    use leptos::tachys::hydration::Cursor;
    use leptos::tachys::renderer::Rndr;
    use leptos::tachys::renderer::types::{Element, Node, Placeholder};
    use leptos::tachys::view::{Position, PositionState};

    /// A type-erased view that can be built, hydrated at once and replaced. Leptos's own [`AnyView`](leptos::prelude::AnyView) also has
    /// code for incremental hydration, which only lazy routes need, and for attributes from outside. That code would enlarge the download.
    pub struct Piece(Box<dyn Part>);

    pub struct PieceState {
        /// Type of a view that is diffed.
        lasting: Option<TypeId>,
        state: Box<dyn Mounted>,
        /// Marks the position of a view that renders nothing.
        placeholder: Option<Placeholder>,
    }

    trait Mounted: Mountable + Any {}

    impl<S: Mountable + 'static> Mounted for S {}

    trait Part: Send {
        /// Returns the type of a view that is diffed.
        fn lasting(&self) -> Option<TypeId> {
            None
        }
        fn exists(&self) -> bool;
        fn build(self: Box<Self>) -> Box<dyn Mounted>;
        fn hydrate(self: Box<Self>, cursor: &Cursor, position: &PositionState) -> Box<dyn Mounted>;
        fn rebuild(self: Box<Self>, _state: &mut dyn Any) {}
    }

    impl<V: RenderHtml + 'static> Part for V {
        fn exists(&self) -> bool {
            V::EXISTS
        }

        fn build(self: Box<Self>) -> Box<dyn Mounted> {
            Box::new(Render::build(*self))
        }

        fn hydrate(self: Box<Self>, cursor: &Cursor, position: &PositionState) -> Box<dyn Mounted> {
            Box::new(RenderHtml::hydrate::<true>(*self, cursor, position))
        }
    }

    struct Lasting<V>(V);

    impl<V: RenderHtml + 'static> Part for Lasting<V> {
        fn lasting(&self) -> Option<TypeId> {
            Some(TypeId::of::<V>())
        }

        fn exists(&self) -> bool {
            V::EXISTS
        }

        fn build(self: Box<Self>) -> Box<dyn Mounted> {
            Box::new(Render::build(self.0))
        }

        fn hydrate(self: Box<Self>, cursor: &Cursor, position: &PositionState) -> Box<dyn Mounted> {
            Box::new(RenderHtml::hydrate::<true>(self.0, cursor, position))
        }

        fn rebuild(self: Box<Self>, state: &mut dyn Any) {
            // The caller has compared the types.
            if let Some(state) = state.downcast_mut::<V::State>() {
                Render::rebuild(self.0, state);
            }
        }
    }

    impl Piece {
        pub fn new<V: RenderHtml + 'static>(view: V) -> Self {
            Self(Box::new(view))
        }

        pub fn lasting<V: RenderHtml + 'static>(view: V) -> Self {
            Self(Box::new(Lasting(view)))
        }
    }

    impl Render for Piece {
        type State = PieceState;

        fn build(self) -> PieceState {
            let placeholder = (!self.0.exists()).then(Rndr::create_placeholder);
            PieceState { lasting: self.0.lasting(), state: self.0.build(), placeholder }
        }

        fn rebuild(self, state: &mut PieceState) {
            if state.lasting.is_some() && self.0.lasting() == state.lasting {
                self.0.rebuild(&mut *state.state);
                return;
            }
            let mut new = self.build();
            state.insert_before_this(&mut new);
            state.unmount();
            *state = new;
        }
    }

    impl Mountable for PieceState {
        fn unmount(&mut self) {
            self.state.unmount();
            if let Some(placeholder) = &mut self.placeholder {
                placeholder.unmount();
            }
        }

        fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
            self.state.mount(parent, marker);
            if let Some(placeholder) = &mut self.placeholder {
                placeholder.mount(parent, marker);
            }
        }

        /// A list may change before it is in the document: then there is nothing to mount to.
        fn try_mount(&mut self, parent: &Element, marker: Option<&Node>) -> bool {
            let mounted = self.state.try_mount(parent, marker);
            self.placeholder.as_mut().map_or(mounted, |placeholder| placeholder.try_mount(parent, marker))
        }

        fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
            match &self.placeholder {
                Some(placeholder) => placeholder.insert_before_this(child),
                None => self.state.insert_before_this(child),
            }
        }

        fn elements(&self) -> Vec<Element> {
            self.state.elements()
        }
    }

    impl AddAnyAttr for Piece {
        type Output<A: Attribute> = Self;

        /// Components here take no attributes from outside (`attr:`, spreading).
        fn add_any_attr<A: Attribute>(self, _attr: A) -> Self {
            self
        }
    }

    impl RenderHtml for Piece {
        type AsyncOutput = Self;
        type Owned = Self;

        const MIN_LENGTH: usize = 0;

        fn dry_resolve(&mut self) {}

        async fn resolve(self) -> Self {
            self
        }

        /// Unused: the server writes HTML with another type.
        fn to_html_with_buf(
            self,
            _buf: &mut String,
            _position: &mut Position,
            _escape: bool,
            _mark_branches: bool,
            _extra_attrs: Vec<AnyAttribute>,
        ) {
        }

        fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> PieceState {
            let (lasting, exists) = (self.0.lasting(), self.0.exists());
            let state = self.0.hydrate(cursor, position);
            PieceState { lasting, state, placeholder: (!exists).then(|| cursor.next_placeholder(position)) }
        }

        async fn hydrate_async(self, _cursor: &Cursor, _position: &PositionState) -> PieceState {
            unreachable!("no route is lazy")
        }

        fn into_owned(self) -> Self {
            self
        }
    }
}
