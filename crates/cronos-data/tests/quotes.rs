//! Quotes in text tables, and what happens when one is missing.

mod sample;

use cronos_data::{ReadOptions, Target};
use sample::{Folder, loaded, refused, target};

fn plain() -> ReadOptions<'static> {
    ReadOptions::default()
}

fn texts(values: &[&str]) -> Option<Target> {
    Some(Target::Text(values.iter().map(|v| v.to_string()).collect()))
}

/// What is said about a file of this content.
fn refusal(content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let folder = Folder::new();
    refused(&folder.put("t.csv", content), options)
}

fn table(content: impl AsRef<[u8]>, options: &ReadOptions) -> cronos_data::Dataset {
    let folder = Folder::new();
    loaded(&folder.put("t.csv", content), options)
}

#[test]
fn a_quote_that_is_not_closed_is_reported_where_it_opens() {
    let never = ": line 3: a quote opens here and is never closed; close it, or remove it";
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a,y", "1,x", "2,\"red", "3,blue", "4,x"].join(end);
        assert_eq!(refusal(&text, &plain()), never);
        assert_eq!(refusal(format!("{text}{end}"), &plain()), never);
    }
    // A doubled quote inside quotes does not close them.
    assert_eq!(refusal("a,y\n1,x\n2,\"r\"\"\n", &plain()), never);
    assert_eq!(refusal("a,y\n1,x\n2,\"", &plain()), never);
    // More than one buffer, and more than the head that the delimiter is guessed from.
    let long = "3,blue\n".repeat(100_000);
    let text = format!("a,y\n1,x\n2,\"red\n{long}");
    assert_eq!(refusal(text, &plain()), never);
}

#[test]
fn a_quote_closed_by_another_field_is_reported_where_it_opens() {
    let message = refusal("a,y\n1,x\n2,\"red\n3,x\n4,\"blue\"\n5,x\n", &plain());
    assert_eq!(
        message,
        ": line 3: a quote opens here and the next one, on line 5, does not end the field; close \
         it on its line, or double the quotes inside a text"
    );
    let message = refusal("a,y\n\n\"1,x\n\"2\",x\n", &plain());
    assert!(message.starts_with(": line 3: a quote opens"), "{message}");
    // What is wrong before it comes first.
    let message = refusal("a,y\n1,x\nbad,x\n2,\"red\n3,\"x\"\n", &plain());
    assert!(message.starts_with(": line 3, column \"a\""), "{message}");
}

#[test]
fn quotes_inside_a_text_are_part_of_it() {
    let data = table("a,y\n1,6\"\" pipe\n2,x\"\"\n3,\"a \"\"b\"\"\"\n", &plain());
    assert_eq!(data.target, texts(&["6\"\" pipe", "x\"\"", "a \"b\""]));
    // White space may follow the quotes, also of a text that spans lines.
    let data = table("a,y,b\n1,\"p\nq\" ,2\n", &target("y"));
    assert_eq!(data.target, texts(&["p\nq"]));
    assert_eq!(data.features.values.to_numbers(), [1.0, 2.0]);
    let folder = Folder::new();
    let path = folder.put("t.txt", "a y\n1 \"b  c\"  \n 2   \"d\"\n");
    assert_eq!(loaded(&path, &plain()).target, texts(&["b  c", "d"]));
}
