//! The parts of a validation: each measures what is missing, keeps it, and gives the rows of the page.

mod bisections;
mod histories;
mod means;
mod real;
mod shapes;
mod simulated;
mod stored;
mod suites;
