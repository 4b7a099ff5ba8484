//! A suite on the nodes of a cluster: what can't be, and (where Slurm and PostgreSQL are installed) one that lives as long as the test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::{Dir, TRUTH, simulated};
use crate::servers::{OK, Server};

const FLEET: &str = "[fleet]\npartition = \"bench\"\nshards = 2\nunfit = \"measure\"\nsetup = \"export TARE_LOCK=$CLUSTER/lock-$SLURMD_NODENAME\"\n";

#[test]
fn what_cannot_be_submitted_is_told() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let sim = simulated("");
    let refused = |options: &[&str], says: &[&str]| {
        let mut call = dir.tare(&[&["run", "truth.toml", "--runtime", &sim, "--on", "slurm"], options].concat());
        // No sbatch, wherever the test runs.
        call.command.env("PATH", "/nowhere");
        call.finish(2).says_once(says);
    };
    refused(&[], &["the number of parts is missing", "[fleet] in tare.toml"]);
    dir.file("tare.toml", FLEET);
    refused(&[], &["--on slurm: there is no sbatch here"]);
    refused(&["--replicate", "2"], &["--replicate judges a comparison", "this run has none"]);
    refused(&["--no-store"], &["leave --no-store out"]);
    refused(&["--shard", "1/2"], &["cannot be used with"]);
    refused(&["--events", "e.ndjson"], &["--events reports what this machine measures"]);
    refused(&["--against", "latest"], &["there is no store at"]);
    refused(&["--filter", "("], &["the filter `(` is not a regular expression"]);
    assert!(
        !dir.path().join(".tare/fleet").read_dir().is_ok_and(|mut files| files.next().is_some()),
        "nothing is left"
    );
    dir.file("tare.toml", "[fleet]\nshards = 0\n");
    refused(&[], &["tare.toml:2", "`shards`"]);
    dir.file("tare.toml", "[fleet]\npartition = \"a b\"\n");
    refused(&[], &["tare.toml:2", "there is a space in it"]);
    dir.file("tare.toml", "");
    dir.tare(&["fleet", "attach"]).finish(2).says_once(&["nothing was submitted in", "`tare run --on slurm` submits"]);
    dir.tare(&["agent", "nowhere.json"])
        .finish(2)
        .says_once(&["nowhere.json", "the nodes need the folder in which you called `--on`"]);
}

fn cluster() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/07-fleet/cluster.sh")
}

fn is_slurm_there() -> bool {
    let there =
        |program: &str| Path::new("/usr/sbin").join(program).exists() || Path::new("/usr/bin").join(program).exists();
    let all = ["slurmctld", "slurmd", "munged", "sbatch"].iter().all(|program| there(program));
    if !all {
        eprintln!("skipped: there is no Slurm here (apt-get install slurmctld slurmd slurm-client munge postgresql)");
    }
    all
}

/// Runs the folder's script in a cluster of two nodes, with `url` as `URL`.
fn in_cluster_with(dir: &Dir, url: &str) -> Output {
    Command::new(cluster())
        .env("URL", url)
        .args(["sh", "in-cluster"])
        .current_dir(dir.path())
        .env("TARE", env!("CARGO_BIN_EXE_tare"))
        .env("SIM", simulated(""))
        .output()
        .unwrap()
}

fn in_cluster(dir: &Dir) -> Output {
    in_cluster_with(dir, "")
}

/// What is called in the cluster: the first process that measures is killed once it has stored something.
const SCRIPT: &str = r#"
"$TARE" run truth.toml --runtime "$SIM" --launches 8 --samples 3 --on slurm --tag whole --json > out.json 2> err.txt &
watching=$!
for _ in $(seq 300); do
    victim=$(pgrep -f -- "--shard 1/2 --tag fleet-.*" | head -n 1)
    [ -n "$victim" ] && tr '\0' '\n' < /proc/$victim/environ | grep -q "^CLUSTER=$CLUSTER$" && break
    sleep 0.1
done
kill -9 "$victim" && echo killed > killed.txt
wait $watching
echo $? > status.txt
"#;

#[test]
fn parts_on_two_nodes_become_one_run_though_a_task_is_killed() {
    if !is_slurm_there() {
        return;
    }
    let dir = Dir::new();
    let case = |at: usize| {
        format!(
            "[[case]]\nname = \"case{at:02}\"\ntime-ns = 100.0\nnoise = {{ model = \"gaussian\", spread = 0.01 }}\n"
        )
    };
    dir.file("truth.toml", &format!("seed = 1\n{}", (0..40).map(case).collect::<String>()));
    dir.file("tare.toml", FLEET).file("in-cluster", SCRIPT);
    let output = in_cluster(&dir);
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
    let said = format!("{}\n{}", String::from_utf8_lossy(&output.stderr), read("err.txt"));
    assert_eq!((read("status.txt").trim(), read("killed.txt").trim()), ("0", "killed"), "{said}");
    assert!(said.contains("submitted again, try 2 of 3"), "{said}");
    let document: serde_json::Value = serde_json::from_str(&read("out.json")).unwrap();
    let cases = document["cases"].as_array().unwrap();
    let distinct: BTreeSet<&str> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!((cases.len(), distinct.len()), (40, 40));
    assert!(cases.iter().all(|case| case["launches"] == 8 && case["status"] == "ok"), "{document:#}");
}

const REPLICATED: &str = r#"
"$TARE" run truth.toml --runtime "$SIM" --base base --launches 8 --samples 3 --on slurm --replicate 2 --json > out.json 2> err.txt
echo $? > status.txt
"#;

#[test]
fn a_comparison_on_two_nodes_is_judged_over_both() {
    if !is_slurm_there() {
        return;
    }
    let dir = Dir::new();
    let case = |name: &str, ns: f64| {
        format!("[[case]]\nname = \"{name}\"\ntime-ns = {ns}\nnoise = {{ model = \"gaussian\", spread = 0.001 }}\n")
    };
    dir.file("truth.toml", &format!("seed = 1\n{}{}", case("base", 100.0), case("changed", 130.0)));
    dir.file("tare.toml", FLEET).file("in-cluster", REPLICATED);
    let output = in_cluster(&dir);
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
    let said = format!("{}\n{}", String::from_utf8_lossy(&output.stderr), read("err.txt"));
    assert_eq!(read("status.txt").trim(), "0", "{said}");
    let document: serde_json::Value = serde_json::from_str(&read("out.json")).unwrap();
    let comparison = &document["comparisons"][0];
    let each = comparison["machines"]["each"].as_array().unwrap();
    let machines: BTreeSet<&str> = each.iter().map(|one| one["machine"].as_str().unwrap()).collect();
    assert_eq!((each.len(), machines), (2, BTreeSet::from(["n1", "n2"])), "{document:#}");
    let ratio = comparison["ratio"]["estimate"].as_f64().unwrap();
    assert!((ratio / 1.3 - 1.0).abs() < 0.01, "{comparison:#}");
    assert!(each.iter().all(|one| one["verdict"] == "slower"), "{comparison:#}");
}

const LOADED: &str = r#"
"$TARE" load http "$URL" -n 300 -c 4 --warm-up 0 --generators 2 --on slurm --json > out.json 2> err.txt
echo $? > status.txt
"#;

#[test]
fn a_load_from_two_nodes_is_one_load() {
    if !is_slurm_there() {
        return;
    }
    let (dir, server) = (Dir::new(), Server::answering(OK));
    dir.file("tare.toml", &format!("{FLEET}address = \"127.0.0.1\"\n")).file("in-cluster", LOADED);
    let output = in_cluster_with(&dir, &server.url());
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
    let said = format!("{}\n{}", String::from_utf8_lossy(&output.stderr), read("err.txt"));
    assert_eq!(read("status.txt").trim(), "0", "{said}");
    let document: serde_json::Value = serde_json::from_str(&read("out.json")).unwrap();
    let generators = document["generators"].as_array().unwrap();
    assert_eq!(generators.len(), 2, "{document:#}");
    let ended: u64 = generators.iter().map(|one| one["ended"].as_u64().unwrap()).sum();
    assert_eq!((ended, &document["targets"][0]["operations"][0]["count"]), (300, &serde_json::json!(300)));
    // Each asks first whether there is anything, and so does who asked for them.
    assert_eq!(server.requests(), 303);
}
