//! Go benchmarks whose samples hold something else than their calls.

use serde_json::json;

use crate::go_listings::{module, run};
use crate::harness::assert_failure;

const BODY: &str = r#"
var sum int

func BenchmarkSetsUp(b *testing.B) {
	time.Sleep(5 * time.Millisecond)
	for i := 0; i < b.N; i++ {
		os.Getpid()
	}
}

func BenchmarkSetsUpForNothing(b *testing.B) {
	time.Sleep(5 * time.Millisecond)
	for i := 0; i < b.N; i++ {
	}
}

func BenchmarkGoesByMillions(b *testing.B) {
	for i := 0; i < b.N; i += 1 << 20 {
		for k := 0; k < 200_000; k++ {
			sum += k
		}
	}
}

func BenchmarkIgnoresN(b *testing.B) { time.Sleep(2 * time.Millisecond) }

func BenchmarkNeverTimed(b *testing.B) {
	b.StopTimer()
	for i := 0; i < b.N; i++ {
		os.Getpid()
	}
	b.ReportMetric(100, "ns/op")
}
"#;

/// Of what stands before the loop a short sample would be made, and a line through two of them says nothing of the loop.
#[test]
fn calls_are_made_half_of_a_sample_or_there_is_no_loop() {
    let Some(dir) = module(BODY) else { return };
    let document = dir.run_calibrated(&["./...", "--json"]).finish(4).document();
    let case = document.case("BenchmarkSetsUp");
    assert_eq!(case["status"], "ok");
    assert_eq!(document.case("BenchmarkSetsUpForNothing")["status"], "ok", "an empty loop is one");
    assert_eq!(document.case("BenchmarkGoesByMillions")["status"], "ok", "so is one that goes on by many");
    // A call takes a microsecond at most, and they are to take as long as the 5 ms before them, nearly.
    assert!(case["iterations"].as_u64().unwrap() > 2_000, "{case:#}");

    let (ignores, untimed) = (document.case("BenchmarkIgnoresN"), document.case("BenchmarkNeverTimed"));
    assert_eq!((&ignores["status"], &untimed["status"]), (&json!("failed"), &json!("failed")));
    assert_failure(&ignores["failure"], &json!({"kind": "exception", "message": "it doesn't loop b.N times"}));
    assert_failure(&untimed["failure"], &json!({"kind": "exception", "message": "is timed: the timer is stopped"}));
}

#[test]
fn who_asks_for_allocations_is_told_that_there_are_none() {
    let loops = "for i := 0; i < b.N; i++ {\n\t\tos.Getpid()\n\t}\n}\n";
    let body = format!(
        "func BenchmarkAsks(b *testing.B) {{\n\tb.ReportAllocs()\n\t{loops}\nfunc BenchmarkIsSilent(b *testing.B) {{\n\t{loops}"
    );
    let Some(dir) = module(&body) else { return };
    run(&dir, &[]).finish(0).says_once(&["B/op", "allocs/op"]);
    dir.tare(&["show"]).finish(0).says_once(&["B/op", "allocs/op"]);
    run(&dir, &["--filter", "IsSilent"]).finish(0).never_says(&["B/op", "allocs/op"]);
}

/// Go's own output has no `ns/op` then; here there is a time all the same, and who reads it should know. Names that go to a file are whole, however deep
/// they are nested.
#[test]
fn a_time_that_its_author_leaves_out_is_labelled_and_nested_names_stay_whole() {
    let body = r#"
func BenchmarkDecode(b *testing.B) {
	for _, level := range []string{"a-directory-of-test-vectors", "another-directory-of-test-vectors"} {
		b.Run(level, func(b *testing.B) {
			b.Run("with-a-long-name-of-its-own/and-more-of-it-behind-a-slash-than-a-column-of-names-usually-holds", func(b *testing.B) {
				for i := 0; i < b.N; i++ {
					os.Getpid()
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(7, "pages/op")
			})
		})
	}
}
"#;
    let Some(dir) = module(body) else { return };
    let name = "BenchmarkDecode/another-directory-of-test-vectors/with-a-long-name-of-its-own/and-more-of-it-behind-a-slash-than-a-column-of-names-usually-holds";
    let shown = run(&dir, &["--json"]).finish(0);
    let document = shown.document();
    assert_eq!(document.statuses().len(), 2);
    let case = document.case(name);
    assert_eq!(case["status"], "ok");
    assert!(case.to_string().contains("its author leaves ns/op out"), "{case:#}");
    // A row is a benchmark's last part below its parents; none of the parts is cut.
    let table = dir.tare(&["show"]).finish(0);
    for part in [
        "another-directory-of-test-vectors",
        "with-a-long-name-of-its-own",
        "and-more-of-it-behind-a-slash-than-a-column-of-names-usually-holds",
    ] {
        assert!(table.stdout.contains(part), "{part}\n{table}");
    }
}

/// Under `go test` it has every CPU.
#[test]
fn what_runs_in_parallel_has_every_cpu_unless_some_are_named() {
    let body = "func BenchmarkTogether(b *testing.B) {\n\tb.RunParallel(func(pb *testing.PB) {\n\t\tfor pb.Next() {\n\t\t\tos.Getpid()\n\t\t}\n\t})\n}\n";
    let Some(dir) = module(body) else { return };
    if std::thread::available_parallelism().map_or(1, usize::from) == 1 {
        eprintln!("skipped: there is one CPU");
        return;
    }
    let only_one = |arguments: &[&str]| {
        let document = run(&dir, &[&["--json"], arguments].concat()).finish(0).document();
        let labels = document.case("BenchmarkTogether")["reported"]["labels"].as_array().unwrap();
        let processors = labels.iter().find_map(|label| label.as_str().unwrap().strip_prefix("GOMAXPROCS="));
        processors.unwrap().starts_with("1 ")
    };
    assert!(!only_one(&[]));
    let cpu = tare_machine::allowed_cpus().unwrap()[0].to_string();
    assert!(only_one(&["--cpus", &cpu]));
}
