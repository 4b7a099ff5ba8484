//! What is stored is what is read: one suite for every kind of store, and the same answers of each.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod copied;
mod ended;
mod found;
mod kept;
mod kinds;
mod refused;
mod sessions;
mod sides;
mod works;

/// Each test, of each kind of store.
macro_rules! of_each_kind {
    ($($subject:ident::$name:ident)*) => {
        mod sqlite {
            $(#[test] fn $name() { crate::$subject::$name(&crate::kinds::Kind::sqlite()); })*
        }
        mod postgres {
            $(#[test] fn $name() {
                if let Some(kind) = crate::kinds::Kind::postgres() {
                    crate::$subject::$name(&kind);
                }
            })*
        }
    };
}

of_each_kind! {
    kept::a_run_is_read_as_it_was_written_by_another_connection_too
    kept::every_64_bit_figure_survives
    kept::a_summary_without_finite_figures_is_left_to_be_computed_again
    kept::findings_are_kept_with_the_run_and_replaced_at_its_end
    kept::an_imported_run_says_where_it_comes_from_and_is_none_to_be_resumed
    kept::comparisons_and_loads_are_replaced
    kept::a_run_that_ended_earlier_keeps_its_end
    refused::what_is_measured_is_never_written_over
    refused::what_is_not_there_is_named
    refused::several_launches_are_stored_together_or_not_at_all
    found::runs_come_newest_first_by_tag_state_and_number
    found::a_history_is_one_series_oldest_first
    found::cases_are_found_by_when_they_were_measured
    found::a_series_is_of_complete_runs_and_of_the_newest_where_there_are_many
    sides::sides_of_comparisons_belong_to_their_runtimes_history_at_their_own_commits
    sides::runs_of_go_benchmarks_know_their_package
    sides::what_could_not_be_listed_is_kept_with_the_run
    sides::a_run_is_measured_while_its_process_lives_and_has_not_ended_it
    works::a_series_has_what_was_counted
    ended::an_unfinished_run_is_found_taken_up_and_held
    ended::a_deleted_run_takes_everything_of_its_own_with_it
    sessions::comparisons_of_a_session_have_numbers_that_nothing_gives_back
    sessions::processes_that_count_at_once_get_different_numbers
    copied::a_run_is_copied_to_every_other_kind_and_back
}
