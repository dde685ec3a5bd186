//! Which hosts a text names.

use super::add_hosts;
use pretty_assertions::assert_eq;
use std::collections::BTreeSet;

#[test]
fn hosts() {
    let cases: &[(&str, &[&str])] = &[
        ("see https://example.com", &["example.com"]),
        ("curl -s https://Example.COM:8443/a?b=c | sh", &["example.com"]),
        ("<https://user:secret@a.example/x>, http://b.example.", &["a.example", "b.example"]),
        ("[tea](https://a.example)", &["a.example"]),
        ("`wss://a.example`", &["a.example"]),
        ("fetch('http://127.0.0.1:80/x')", &["127.0.0.1"]),
        ("http://[::1]:80/", &["::1"]),
        ("https://$HOST/x https://${OTHER}/y https://{name}.example/z", &["$host", "${other}", "{name}.example"]),
        ("https://bücher.example/", &["bücher.example"]),
        ("git clone git@example.com:tea/tea.git", &["example.com"]),
        ("scp x me@10.0.0.1:/tmp", &["10.0.0.1"]),
        ("write to me@example.com: soon", &[]),
        ("import x from '@scope/pkg'; @dataclass", &[]),
        ("file:///etc/hosts", &[]),
        ("notes.md, ://, a:// b, ...", &[]),
        ("https://a.example https://a.example/b", &["a.example"]),
        // Programs find a host behind any number of slashes of these schemes, and behind any user.
        ("curl https:///a.example/x", &["a.example"]),
        ("curl HTTP:/a.example/x", &["a.example"]),
        ("fetch('https:\\\\a.example\\x')", &["a.example"]),
        ("fetch('https:a.example')", &["a.example"]),
        ("https: a, http:80", &[]),
        ("https://b.example*@a.example/x", &["a.example", "b.example"]),
        ("https://(b.example)@a.example/", &["a.example"]),
        ("https://b.example\"\"@a.example", &["a.example", "b.example"]),
        ("https://b.example/@a.example", &["b.example"]),
        // A shell takes out quotes and backslashes.
        ("curl https://b.example\\@a.example/x.sh", &["a.example", "b.example"]),
        ("curl https://b.example\"\".a.example/x", &["b.example", "b.example\"\".a.example", "b.example.a.example"]),
        ("curl \"https://b.example\".a.example/x", &["b.example", "b.example.a.example"]),
        ("curl https://b.example\\\n@a.example/x", &["a.example", "b.example"]),
        ("curl https://b\\.example/x", &["b", "b.example"]),
        ("'https://b.example'.concat(x); \"see https://b.example\\n\", https://b.example's", &["b.example"]),
        ("{\"a\": \"https://b.example\", 'b': 'https://b.example'}.", &["b.example"]),
        // The URL standard removes tabs and line ends, and allows most marks in a host.
        ("fetch(\"https://\ta.example/x\")", &["a.example"]),
        ("fetch(\"https:\ta.example\")", &["a.example"]),
        ("fetch(\"ht\ttp\ts\t:/\t/b.example\t.a.example\");", &["b.example", "b.example.a.example"]),
        ("fetch(` h\nttps:\n//b.\r\nexample\n.a.example`, {})", &["b", "b.example.a.example"]),
        ("fetch('https://b.example\t@a.example')", &["a.example", "b.example"]),
        ("https://b.example,x.a.example/", &["b.example", "b.example,x.a.example"]),
        ("(https://b.example)x.a.example/)", &["b.example", "b.example)x.a.example"]),
        ("https://b.example).a.example", &["b.example", "b.example).a.example"]),
        ("fetch(\"https://u@b.example;'`(*x.a.example\",b.c.d)", &["b.example", "b.example;'`(*x.a.example"]),
        ("fetch('https://b.example\"x.a.example:80/');", &["b.example", "b.example\"x.a.example"]),
        ("https://$(cat x).a.example/ https://$(x).a.example/", &["$(x).a.example"]),
        ("https://*.a.example 'https://b.example').c.d", &["*.a.example", "b.example"]),
        // In a text they end it.
        ("(https://b.example), https://b.example,x https://b.example).Then (see `https://b.example`).", &["b.example"]),
        ("https://b.example\na.b.c https://b.example\tText \"\"\"https://b.example\nText.\"\"\"", &["b.example"]),
        ("['https://b.example','a.b.c'] https://b.example,https://c.example", &["b.example", "c.example"]),
        ("https://b.example<br>x.y.z follows:\na.b.c\nhttp\n:a", &["b.example"]),
        (concat!("https://b.example:", "00000000000000000000000000000000000000000000000000443/"), &["b.example"]),
    ];
    for (text, expect) in cases {
        let mut hosts = BTreeSet::new();
        add_hosts(text, &mut hosts);
        assert_eq!(hosts.iter().map(String::as_str).collect::<Vec<_>>(), *expect, "{text}");
    }
}

#[test]
fn long_and_repeated() {
    let mut hosts = BTreeSet::new();
    add_hosts(&format!("https://{}/", "a".repeat(300)), &mut hosts);
    add_hosts(&"x://".repeat(100_000), &mut hosts);
    add_hosts(&"a@".repeat(100_000), &mut hosts);
    add_hosts(&format!("https://{}", "é".repeat(1_000)), &mut hosts);
    add_hosts(&"http:".repeat(100_000), &mut hosts);
    add_hosts(&"http:/".repeat(100_000), &mut hosts);
    add_hosts(&format!("https://{}@y.example/", "a".repeat(100_000)), &mut hosts);
    add_hosts(&format!("https://z.example:{}443/", "0".repeat(600)), &mut hosts);
    // What is too long for a host is known by its beginning.
    let long = [format!("{}\u{2026}", "a".repeat(253)), format!("{}\u{2026}", "é".repeat(126))];
    let expect = [&long[0], "http", "x", "y.example", "z.example", &long[1]];
    assert_eq!(hosts.iter().map(String::as_str).collect::<Vec<_>>(), expect);
}
