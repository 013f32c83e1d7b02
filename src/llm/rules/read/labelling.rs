//! Patterns for projects and tags.

use crate::llm::rules::read::rule::{Row, Rule};

/// `j` captures `#Work`, `g` captures `@home`, `y` a name without a marker.
pub(in crate::llm::rules) const LABELS: &[Row] = &[
    (
        Rule::NoProject,
        &[
            "@delete the|its? project from|of|on|for *x",
            "@delete *x from its|the project",
            "take|move *x out of its|the project",
            "@delete *x from *j",
            "take|move *x out of *j",
        ],
    ),
    (
        Rule::Project,
        &[
            "move|file|assign|shift|set|change *x to|into|in|under *j",
            "put|stick|pop it|that|this one? in|into|under *j",
            "move|file|assign|shift|put|change *x to|into|in|under the? project *y",
            "move|file|assign|shift|put|change *x to|into|in|under the? *y project",
            "set|change|make the? project of|for|on *x to|as *y",
            "set|change *x project to *y",
            "file|group|sort|put *t under my|the? *y",
            "put|file|move|stick|place|group|pop|bung *x in|into|under|within|inside a|the|my? new? project? called|named? *k project?",
            "*x should|must|needs|need|has|have|ought|can|could|goes|go to? both|all? be|go|belong|live? in|into|under a|the|my? new? project? called|named? *k project?",
            "*x belongs|belong|goes|go|fits|should|needs|must go|be|belong|to? to|in|into|under my|the? *y project",
            "*x is|are part of|in|under my|the? *y project",
            "*x is|are|was for|in|part|under of? my|the? project called|named? *k",
        ],
    ),
    (
        Rule::Tag,
        &[
            "tag|label *x with|as the? tag|label? *y",
            "tag|label *x *g",
            "add|put|attach the|a? tag|tags|label|labels *y to|on *x",
            "add|put|attach *g to|on *t",
            "give *x the? tag|tags|label|labels *y",
            "stick|put|slap|pop|add|attach|whack|stamp a|an|the *y tag|label|tags|labels on|to|onto *x",
            "stick|put|slap|pop|add|attach|whack|stamp a|the? tag|label|tags|labels *y on|to|onto *x",
            "give *x a|an|the *y tag|label",
            "*x needs|need|wants|should|could|gets have|get? a|an|the *y tag|label",
            "*x needs|need|wants|should|must to? be tagged|labelled|labeled as|with? *y",
            "tag|label *t *y",
            "tag it|that|this|them *y",
        ],
    ),
    (
        Rule::Untag,
        &[
            "untag *x",
            "@delete the|its|all? tag|tags|label|labels from|of|on|off *x",
            "@delete the? tag|tags|label|labels *y from|off|of|on *x",
            "take the? tag|tags|label|labels *y from|off *x",
            "take the|its|all? tag|tags|label|labels from|off *x",
            "@delete *g from|off *x",
            "take *g from|off *x",
        ],
    ),
];
