use super::{Similar, score, similar, words_of};
use crate::property;
use proptest::prelude::*;

fn pairs(texts: &[&str], least: f64) -> Vec<(usize, usize)> {
    similar(texts, least, usize::MAX).iter().map(|pair| (pair.first, pair.second)).collect()
}

#[test]
fn rare_words_count_more() {
    let texts = ["Reads PDF files", "reads pdf, files!", "Reads CSV files", "Reads RTF files", "Boils water"];
    assert_eq!(pairs(&texts, 0.9), [(0, 1)]);
    let [first] = &similar(&texts[2..4], 0.3, 9)[..] else { panic!("one pair") };
    assert_eq!((first.only_first.as_slice(), first.only_second.as_slice()), (&["csv".into()][..], &["rtf".into()][..]));
}

#[test]
fn texts_without_words_are_similar_to_none() {
    assert_eq!(similar(&["", "…", "", "a"], 0.1, 9), []);
}

#[test]
fn scripts_without_spaces_are_compared_by_letter() {
    assert_eq!(pairs(&["生成图像", "生成图片", "发送邮件"], 0.4), [(0, 1)]);
}

#[test]
fn each_text_has_so_many_partners_before_it() {
    let texts = vec!["the same words"; 30];
    assert_eq!(similar(&texts, 0.5, 4).len(), (1..30).map(|before: usize| before.min(4)).sum::<usize>());
}

#[test]
fn the_same_pairs_as_by_comparing_all() {
    let texts = prop::collection::vec("([a-h]{1,2} ){0,8}", 0..24);
    let least = prop::sample::select(vec![0.2, 0.5, 0.6, 0.8, 1.0]);
    property::check("the_same_pairs_as_by_comparing_all", 256, (texts, least), |(texts, least)| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut found = pairs(&texts, least);
        found.sort_unstable();
        let (words, weights, _) = words_of(&texts);
        let mut expected = Vec::new();
        for first in 0..texts.len() {
            for second in first + 1..texts.len() {
                if score(&words[first], &words[second], &weights) >= least {
                    expected.push((first, second));
                }
            }
        }
        prop_assert_eq!(found, expected);
        Ok(())
    });
}

#[test]
fn what_differs_is_what_one_text_lacks() {
    let texts = ("([a-e] ){0,6}", "([a-e] ){0,6}");
    property::check("what_differs_is_what_one_text_lacks", 256, texts, |(a, b)| {
        for Similar { score, only_first, only_second, .. } in similar(&[&a, &b], 0.0, 9) {
            prop_assert!(only_first.iter().all(|word| a.contains(word.as_str()) && !b.contains(word.as_str())));
            prop_assert!(only_second.iter().all(|word| b.contains(word.as_str()) && !a.contains(word.as_str())));
            prop_assert_eq!(score == 1.0, only_first.is_empty() && only_second.is_empty());
        }
        Ok(())
    });
}
