//! What is measured with what.

pub(crate) mod machine_code;
pub(crate) mod part;
pub(crate) mod plan;
pub(crate) mod planned;
