//! When something is due or recurs: the one date parser of quick add, the tools' `due` and the rules engine.
