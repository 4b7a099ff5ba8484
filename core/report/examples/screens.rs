//! Prints made-up reports: `cargo run -p tare-report --example screens -- suite 100 colour`.

#![allow(clippy::print_stdout)]

#[path = "../tests/report/fixtures/mod.rs"]
mod fixtures;

use tare_report::{TableOptions, case_list, html_page, junit_xml, markdown_summary, run_log, run_table, side_by_side};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let options = TableOptions {
        width: arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(100),
        whole_names: has("whole"),
        colour: has("colour"),
        unicode: !has("ascii"),
        raw: has("raw"),
        verbose: has("verbose"),
        chart: has("chart"),
        plots: has("plots"),
        all_rows: has("all-rows"),
    };
    let text = match arguments.first().map(String::as_str) {
        Some("troubled") => run_table(&fixtures::troubled(), &options),
        Some("magnitudes") => run_table(&fixtures::magnitudes(), &options),
        Some("modes") => run_table(&fixtures::modes(), &options),
        Some("hostile") => run_table(&fixtures::hostile(), &options),
        Some("runs") => {
            let runs = [("before".to_owned(), fixtures::suite()), ("after".to_owned(), fixtures::elsewhere())];
            side_by_side(&runs, &options)
        }
        Some("compared") => run_table(&fixtures::compared(), &options),
        Some("controlled") => run_table(&fixtures::controlled(0.0008), &options),
        Some("noisy") => run_table(&fixtures::controlled(0.008), &options),
        Some("documentation") => run_table(&fixtures::documentation(), &options),
        Some("mixed") => run_table(&fixtures::mixed(), &options),
        Some("page") if has("documentation") => html_page(&fixtures::documentation()),
        Some("page") if has("mixed") => html_page(&fixtures::mixed()),
        Some("page") => html_page(&fixtures::controlled(0.0008)),
        Some("markdown") if has("documentation") => markdown_summary(&fixtures::documentation()),
        Some("markdown") if has("mixed") => markdown_summary(&fixtures::mixed()),
        Some("several") => run_table(&fixtures::several(), &options),
        Some("methods") => run_table(&fixtures::methods(), &options),
        Some("outlier") => run_table(&fixtures::outlier(), &options),
        Some("markdown") => markdown_summary(&fixtures::controlled(0.0008)),
        Some("junit") => junit_xml(&fixtures::outlier()),
        Some("log") => run_log(&fixtures::log(), &options),
        Some("list") => {
            let cases: Vec<_> = fixtures::troubled().variants.into_iter().map(|v| v.variant.case).collect();
            case_list(&cases, &options)
        }
        _ => run_table(&fixtures::suite(), &options),
    };
    print!("{text}");
}
