//! The engine that needs no model: grammar, tables and no state.
