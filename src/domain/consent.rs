//! What counts as a yes, a no, and a confirmation inside a request.
