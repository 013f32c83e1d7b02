//! Views without their types. Every view ends here, or each page would be one type of thousands of characters that takes
//! minutes to compile.

use leptos::prelude::*;

/// Forgets the type of a view.
pub trait Erase {
    fn erase(self) -> AnyView;
}

#[cfg(not(feature = "hydrate"))]
impl<V: RenderHtml + 'static> Erase for V
where
    V: IntoAny,
{
    fn erase(self) -> AnyView {
        self.into_any()
    }
}

#[cfg(feature = "hydrate")]
impl<V: RenderHtml + 'static> Erase for V {
    fn erase(self) -> AnyView {
        browser::Whole(self).into_any()
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::attr::Attribute;
    use leptos::attr::any_attribute::AnyAttribute;
    use leptos::prelude::{AddAnyAttr, Render, RenderHtml};
    use leptos::tachys::hydration::Cursor;
    use leptos::tachys::view::{Position, PositionState};

    /// A view that hydrates at once. An erased view carries code for hydrating bit by bit, which only lazy routes need;
    /// for all views of this application that is a fifth of the download.
    pub struct Whole<V>(pub V);

    impl<V: Render> Render for Whole<V> {
        type State = V::State;

        fn build(self) -> Self::State {
            self.0.build()
        }

        fn rebuild(self, state: &mut Self::State) {
            self.0.rebuild(state);
        }
    }

    impl<V: RenderHtml + 'static> AddAnyAttr for Whole<V> {
        type Output<A: Attribute> = Self;

        /// Components here take no attributes from outside (`attr:`, spreading).
        fn add_any_attr<A: Attribute>(self, _attr: A) -> Self::Output<A> {
            self
        }
    }

    impl<V: RenderHtml + 'static> RenderHtml for Whole<V> {
        type AsyncOutput = Self;
        type Owned = Self;

        const MIN_LENGTH: usize = V::MIN_LENGTH;
        const EXISTS: bool = V::EXISTS;

        fn dry_resolve(&mut self) {}

        async fn resolve(self) -> Self {
            self
        }

        /// Html is written by the server, which does not wrap its views.
        fn to_html_with_buf(
            self,
            _buf: &mut String,
            _position: &mut Position,
            _escape: bool,
            _mark_branches: bool,
            _extra_attrs: Vec<AnyAttribute>,
        ) {
        }

        fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> Self::State {
            self.0.hydrate::<FROM_SERVER>(cursor, position)
        }

        async fn hydrate_async(self, _cursor: &Cursor, _position: &PositionState) -> Self::State {
            unreachable!("no route is lazy")
        }

        fn into_owned(self) -> Self {
            self
        }
    }
}
