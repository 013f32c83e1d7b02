//! Tables of phrases and what they mean.
