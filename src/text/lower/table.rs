//! Lower case by tables of Unicode 17 that have one row for each alphabet. A test compares them with the standard
//! library for every character.

use std::iter;

/// Alphabets with the capitals in one run and the small letters in another: the first capital, the last capital, and
/// the first small letter of each.
const RUNS: &str = "\
    ÀÖàØÞøŸŸÿƁƁɓƆƆɔƉƊɖƎƎǝƏƏəƐƐɛƓƓɠƔƔɣƖƖɩƗƗɨƜƜɯƝƝɲƟƟɵƦƦʀƩƩʃƮƮʈƱƲʊƷƷʒǄǄǆǇǇǉǊǊǌǱǱǳǶǶƕǷǷƿȠȠƞȺȺⱥȽȽƚȾȾⱦɃɃƀ\
    ɄɄʉɅɅʌͿͿϳΆΆάΈΊέΌΌόΎΏύΑΡαΣΫσϏϏϗϴϴθϹϹϲϽϿͻЀЏѐАЯаӀӀӏԱՖաႠჅⴀჇჇⴧჍჍⴭᎠᏯꭰᏰᏵᏸᲐᲺაᲽᲿჽẞẞßἈἏἀἘἝἐἨἯἠἸἿἰὈὍὀὙὙὑὛὛὓ\
    ὝὝὕὟὟὗὨὯὠᾈᾏᾀᾘᾟᾐᾨᾯᾠᾸᾹᾰᾺΆὰᾼᾼᾳῈΉὲῌῌῃῘῙῐῚΊὶῨῩῠῪΎὺῬῬῥῸΌὸῺΏὼῼῼῳΩΩωKKkÅÅåℲℲⅎⅠⅯⅰⒶⓏⓐⰀⰯⰰⱢⱢɫⱣⱣᵽⱤⱤɽⱭⱭɑⱮⱮɱⱯⱯɐ\
    ⱰⱰɒⱾⱿȿꝽꝽᵹꞍꞍɥꞪꞪɦꞫꞫɜꞬꞬɡꞭꞭɬꞮꞮɪꞰꞰʞꞱꞱʇꞲꞲʝꞳꞳꭓꟄꟄꞔꟅꟅʂꟆꟆᶎꟋꟋɤꟜꟜƛＡＺａ\u{10400}\u{10427}\u{10428}\
    \u{104b0}\u{104d3}\u{104d8}\u{10570}\u{1057a}\u{10597}\u{1057c}\u{1058a}\u{105a3}\
    \u{1058c}\u{10592}\u{105b3}\u{10594}\u{10595}\u{105bb}\u{10c80}\u{10cb2}\u{10cc0}\
    \u{10d50}\u{10d65}\u{10d70}\u{118a0}\u{118bf}\u{118c0}\u{16e40}\u{16e5f}\u{16e60}\
    \u{16ea0}\u{16eb8}\u{16ebb}\u{1e900}\u{1e921}\u{1e922}";

/// Alphabets in which each capital is followed by its small letter: the first and the last capital of each.
const TURNS: &str = "\
    ĀĮĲĶĹŇŊŶŹŽƂƄƇƇƋƋƑƑƘƘƠƤƧƧƬƬƯƯƳƵƸƸƼƼǅǅǈǈǋǛǞǮǲǴǸȞȢȲȻȻɁɁɆɎͰͲͶͶϘϮϷϷϺϺѠҀҊҾӁӍӐԮᲉᲉḀẔẠỾↃↃⱠⱠⱧⱫⱲⱲⱵⱵⲀⳢⳫⳭⳲⳲꙀꙬ\
    ꚀꚚꜢꜮꜲꝮꝹꝻꝾꞆꞋꞋꞐꞒꞖꞨꞴꟂꟇꟉꟌꟚꟵꟵ";

/// The character in lower case, which may be two characters.
pub(crate) fn small(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'İ' => ('i', Some('\u{307}')),
        _ if c.is_ascii() => (c.to_ascii_lowercase(), None),
        // A character that is not in the tables has no lower case.
        _ => (small_letter(c).unwrap_or(c), None),
    };
    iter::once(first).chain(second)
}

fn small_letter(c: char) -> Option<char> {
    let mut rows = RUNS.chars();
    while let (Some(first), Some(last), Some(small)) = (rows.next(), rows.next(), rows.next()) {
        if (first..=last).contains(&c) {
            return char::from_u32(c as u32 - first as u32 + small as u32);
        }
    }
    let mut rows = TURNS.chars();
    while let (Some(first), Some(last)) = (rows.next(), rows.next()) {
        if (first..=last).contains(&c) && (c as u32 - first as u32) % 2 == 0 {
            return char::from_u32(c as u32 + 1);
        }
    }
    None
}
