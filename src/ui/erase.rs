//! Views without their types. Every view ends here, or each page would be one type of thousands of characters that takes
//! minutes to compile.

use leptos::prelude::*;

/// A view without its type.
#[cfg(not(feature = "hydrate"))]
pub type Piece = AnyView;
#[cfg(feature = "hydrate")]
pub use browser::Piece;

/// Forgets the type of a view.
pub trait Erase {
    fn erase(self) -> Piece;
}

#[cfg(not(feature = "hydrate"))]
impl<V: RenderHtml + 'static> Erase for V
where
    V: IntoAny,
{
    fn erase(self) -> Piece {
        self.into_any()
    }
}

#[cfg(feature = "hydrate")]
impl<V: RenderHtml + 'static> Erase for V {
    fn erase(self) -> Piece {
        Piece::new(self)
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

    /// A view without its type, as the browser needs it: it can be built, hydrated at once and changed. Leptos's own
    /// [`AnyView`](leptos::prelude::AnyView) also carries code for hydrating bit by bit, which only lazy routes need, and
    /// for attributes from outside; for all views of this application that is a quarter of the download.
    pub struct Piece(Box<dyn Part>);

    /// What became of a piece on the page.
    pub struct PieceState {
        kind: TypeId,
        state: Box<dyn Mounted>,
        /// In the place of a view that is nothing on the page.
        placeholder: Option<Placeholder>,
    }

    trait Mounted: Mountable + Any {}

    impl<S: Mountable + 'static> Mounted for S {}

    trait Part: Send {
        fn kind(&self) -> TypeId;
        fn exists(&self) -> bool;
        fn build(self: Box<Self>) -> Box<dyn Mounted>;
        fn hydrate(self: Box<Self>, cursor: &Cursor, position: &PositionState) -> Box<dyn Mounted>;
        fn rebuild(self: Box<Self>, state: &mut dyn Any);
    }

    impl<V: RenderHtml + 'static> Part for V {
        fn kind(&self) -> TypeId {
            TypeId::of::<V>()
        }

        fn exists(&self) -> bool {
            V::EXISTS
        }

        fn build(self: Box<Self>) -> Box<dyn Mounted> {
            Box::new(Render::build(*self))
        }

        fn hydrate(self: Box<Self>, cursor: &Cursor, position: &PositionState) -> Box<dyn Mounted> {
            Box::new(RenderHtml::hydrate::<true>(*self, cursor, position))
        }

        fn rebuild(self: Box<Self>, state: &mut dyn Any) {
            // It is of this type: the kinds were compared.
            if let Some(state) = state.downcast_mut::<V::State>() {
                Render::rebuild(*self, state);
            }
        }
    }

    impl Piece {
        pub fn new<V: RenderHtml + 'static>(view: V) -> Self {
            Self(Box::new(view))
        }
    }

    impl Render for Piece {
        type State = PieceState;

        fn build(self) -> PieceState {
            let placeholder = (!self.0.exists()).then(Rndr::create_placeholder);
            PieceState { kind: self.0.kind(), state: self.0.build(), placeholder }
        }

        fn rebuild(self, state: &mut PieceState) {
            if self.0.kind() == state.kind {
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

        /// Html is written by the server, which has other pieces.
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
            let (kind, exists) = (self.0.kind(), self.0.exists());
            let state = self.0.hydrate(cursor, position);
            PieceState { kind, state, placeholder: (!exists).then(|| cursor.next_placeholder(position)) }
        }

        async fn hydrate_async(self, _cursor: &Cursor, _position: &PositionState) -> PieceState {
            unreachable!("no route is lazy")
        }

        fn into_owned(self) -> Self {
            self
        }
    }
}
