use super::{Located, MOST_OF_A_STEP, Search, VersionPlace, pooled};

fn line(commits: usize) -> Search {
    let parents: Vec<Vec<usize>> = (0..commits).map(|at| at.checked_sub(1).into_iter().collect()).collect();
    Search::new(&parents)
}

fn located(log_ratio: f64, standard_error: f64) -> Located {
    Located { log_ratio, standard_error, freedom: 9.0 }
}

/// Answers that are always right.
fn searched(mut search: Search, changed: impl Fn(&Search, usize) -> bool) -> (Vec<usize>, usize) {
    for steps in 0..100 {
        if let Some(found) = search.found(0.95) {
            return (found, steps);
        }
        let version = search.next().unwrap();
        let odds = if changed(&search, version) { MOST_OF_A_STEP } else { -MOST_OF_A_STEP };
        search.observe(version, odds);
    }
    panic!("it never ends");
}

#[test]
fn every_commit_of_a_line_is_found_and_seldom_takes_more_than_its_logarithm() {
    for commits in [1, 2, 3, 64] {
        let mut steps = 0;
        for guilty in 0..commits {
            let (found, took) = searched(line(commits), |search, version| search.has(version, guilty));
            assert_eq!(found, [guilty], "{commits}");
            steps += took;
        }
        assert!(steps as f64 / commits as f64 <= (commits as f64).log2() + 1.5, "{commits}: {steps}");
    }
}

#[test]
fn of_branches_that_are_merged_the_commit_is_found_on_either() {
    // 0, then 1 2 beside 3 4, merged by 5.
    let parents = [vec![], vec![0], vec![1], vec![0], vec![3], vec![2, 4]];
    for guilty in 0..parents.len() {
        let (found, _) = searched(Search::new(&parents), |search, version| search.has(version, guilty));
        assert_eq!(found, [guilty]);
    }
}

#[test]
fn one_wrong_answer_is_outweighed() {
    let guilty = 40;
    let mut search = line(64);
    let first = search.next().unwrap();
    // It has the change or not; the answer is the opposite.
    search.observe(first, if search.has(first, guilty) { -9.0 } else { 9.0 });
    let (found, _) = searched(search, |search, version| search.has(version, guilty));
    assert_eq!(found, [guilty]);
}

#[test]
fn what_can_not_be_measured_is_not_told_apart() {
    let mut search = line(8);
    [2, 3].iter().for_each(|&version| search.skip(version));
    let (found, _) = searched(search, |search, version| search.has(version, 3));
    assert_eq!(found, [2, 3, 4]);
    let mut search = line(8);
    (0..7).for_each(|version| search.skip(version));
    assert_eq!((search.next(), search.found(0.95).map(|all| all.len())), (None, Some(8)));
}

#[test]
fn thousands_of_commits_are_searched() {
    let mut search = line(2_000);
    search.skip(1_200);
    let (found, steps) = searched(search, |search, version| search.has(version, 1_201));
    assert_eq!(found, [1_200, 1_201]);
    assert!(steps < 20, "{steps}");
}

#[test]
fn what_is_proven_is_never_measured_nor_blamed() {
    let mut search = line(8);
    search.rule_out(|commit| commit != 5);
    assert_eq!((search.next(), search.found(0.99)), (None, Some(vec![5])));
}

#[test]
fn steps_at_one_version_never_add_up_to_certainty() {
    let mut search = line(2);
    for _ in 0..100 {
        search.observe(0, 9.0);
    }
    assert!(search.probabilities()[1] > 0.002 && search.next().is_none());
    search.doubt(0, -9.0);
    assert!(search.probabilities()[1] > 0.05);
}

#[test]
fn odds_point_to_the_nearer_end_and_have_a_limit() {
    let place = |from_good: f64, to_bad: f64, error: f64| VersionPlace {
        from_good: located(from_good, error),
        to_bad: located(to_bad, error),
        whole: located(from_good + to_bad, error),
    };
    assert_eq!(place(0.0, 0.03, 0.002).log_odds(0.03), -MOST_OF_A_STEP);
    assert_eq!(place(0.03, 0.0, 0.002).log_odds(0.03), MOST_OF_A_STEP);
    assert_eq!(place(-0.03, 0.0, 0.002).log_odds(-0.03), MOST_OF_A_STEP);
    assert!(place(0.015, 0.015, 0.002).log_odds(0.03).abs() < 1e-9);
    let vague = place(0.02, 0.01, 0.03).log_odds(0.03);
    assert!(vague > 0.0 && vague < 1.0, "{vague}");
    // A version far beyond both ends says little with heavy tails.
    assert!(place(1.0, -0.97, 0.01).log_odds(0.03) < 1.0);
    let share = place(0.01, 0.02, 0.0005).share_between().unwrap();
    assert!((share - 1.0 / 3.0).abs() < 1e-9);
    assert_eq!(place(0.01, 0.02, 0.01).share_between(), None);
    assert_eq!(place(0.0, 0.03, 0.0005).share_between(), None);
}

#[test]
fn a_commit_that_is_not_confirmed_is_doubted_by_what_it_showed() {
    let doubted = |log_ratio: f64, error: f64| {
        let mut search = line(2);
        search.doubt(0, located(log_ratio, error).log_odds_of(0.03));
        search.probabilities()[0]
    };
    assert!(doubted(0.0, 0.005) < 0.03 && doubted(-0.03, 0.005) < 0.2);
    assert_eq!(doubted(0.028, 0.02), 0.5);
    assert!((0.3..0.5).contains(&doubted(0.01, 0.02)));
}

#[test]
fn intervals_and_standard_errors_are_the_same() {
    // The 99 % quantile at 9 degrees of freedom is 3.2498.
    let (half, ratio) = (0.032498_f64, 1.05);
    let found = Located::of_interval(ratio * (-half).exp(), ratio, ratio * half.exp(), 0.99, 10).unwrap();
    assert!((found.standard_error - 0.01).abs() < 1e-5 && found.freedom == 9.0, "{found:?}");
    assert_eq!(Located::of_interval(0.0, 1.0, 2.0, 0.99, 10), None);
    assert_eq!(Located::of_interval(1.0, 1.0, 1.0, 0.99, 10), None);
    let both = pooled(&[located(0.01, 0.01), located(0.03, 0.01)]).unwrap();
    assert!((both.log_ratio - 0.02).abs() < 1e-12 && (both.standard_error - 0.01 / 2f64.sqrt()).abs() < 1e-12);
    assert_eq!(pooled(&[]), None);
    // 10 pairs gave 3 % ± 1 %: a launch has 0.022, and a step takes 8 · 3 · 0.0005 / 0.0009.
    let launches =
        [(0.03, 0.01), (0.03, 0.001), (0.01, 0.01)].map(|(of, error)| located(of, error).launches_of_a_step(10));
    assert_eq!(launches, [14, 10, 40]);
}
