//! Properties: laws that are checked for many random values, of which one that breaks the law is shrunk.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use std::hash::{BuildHasher, RandomState};

/// How many times as many values are tried natively as under WASM, which takes several times as long for each of them, and where
/// only the size of numbers and the absence of an operating system differ.
const NATIVE_TIMES: u32 = 4;

/// How many values are tried to shrink one that breaks the law.
const MAX_SHRINK_ITERS: u32 = 4_000;

/// How long that may take, in milliseconds.
const MAX_SHRINK_TIME: u32 = 60_000;

/// The seed of this run: a new one each time, or the one that the variable `SKILLTREE_SEED` names.
pub(crate) fn seed() -> u64 {
    match std::env::var("SKILLTREE_SEED") {
        Ok(text) => text.parse().unwrap_or_else(|error| panic!("SKILLTREE_SEED is `{text}`: {error}")),
        // The keys of a hasher are random, and 32 bits are enough to be typed.
        Err(_) => RandomState::new().hash_one(()) >> 32,
    }
}

/// How many of this number of random tries this run makes: all, or as many per cent as the variable `SKILLTREE_CASES` says.
pub(crate) fn tries(number: u32) -> u32 {
    let Ok(text) = std::env::var("SKILLTREE_CASES") else { return number };
    let percent: u32 = text.parse().unwrap_or_else(|error| panic!("SKILLTREE_CASES is `{text}`: {error}"));
    number.saturating_mul(percent).div_ceil(100)
}

/// How to repeat a run of the test with the seed.
pub(crate) fn command(name: &str, seed: u64) -> String {
    let cases =
        std::env::var("SKILLTREE_CASES").map_or_else(|_| String::new(), |cases| format!("SKILLTREE_CASES={cases} "));
    format!("SKILLTREE_SEED={seed} {cases}cargo test --all-features {name}")
}

/// Checks the law for as many values of the strategy as [`tries`] makes of `cases`, or a quarter of them under WASM. `name` is
/// the name of the test. If the law is broken, the smallest value that was found to break it and the command that repeats the
/// run are printed, and the law is run for that value once more, so that its panic is the panic of the test.
#[track_caller]
#[allow(clippy::print_stdout, reason = "the harness shows what a test prints only if the test fails")]
pub(crate) fn check<S: Strategy>(
    name: &str,
    cases: u32,
    strategy: S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let (seed, cases) = (seed(), tries(cases));
    // Printed first, because on WASM a panic ends the process.
    println!("repeat with: {}", command(name, seed));
    let config = Config {
        cases: if cfg!(target_family = "wasm") { cases.div_ceil(NATIVE_TIMES) } else { cases },
        failure_persistence: None,
        max_shrink_iters: MAX_SHRINK_ITERS,
        max_shrink_time: MAX_SHRINK_TIME,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    match TestRunner::new(config).run(&strategy, &law) {
        Ok(()) => {}
        Err(TestError::Fail(reason, smallest)) => {
            println!("{name} fails for {smallest:#?}");
            let again = law(smallest);
            panic!("{name} failed: {reason}, and run again: {again:?}");
        }
        Err(TestError::Abort(reason)) => panic!("{name} was aborted: {reason}"),
    }
}
