//! Tokenizers of a few tokens, with the tokens of texts worked out by hand.

use super::Draft;

const TOKENS: [&str; 10] = [
    "<|end|>", "a", "b", "Ġ", "1", "2", "ab", "Ġab", "12", "<own>",
];
const MERGES: [&str; 3] = ["a b", "Ġ ab", "1 2"];
/// Control, normal, user-defined.
const TYPES: [u32; 10] = [3, 1, 1, 1, 1, 1, 1, 1, 1, 4];

fn file(pre: &str, tokens: &[&str], merges: &[&str], begin: Option<u32>) -> Draft {
    let mut draft = Draft::new(0, 5 + 2 * u64::from(begin.is_some()));
    draft.text("tokenizer.ggml.model").u32(8).text("gpt2");
    draft.text("tokenizer.ggml.pre").u32(8).text(pre);
    for (key, texts) in [("tokens", tokens), ("merges", merges)] {
        draft.text(&format!("tokenizer.ggml.{key}")).u32(9).u32(8);
        draft.u64(texts.len() as u64);
        for text in texts {
            draft.text(text);
        }
    }
    draft
        .text("tokenizer.ggml.token_type")
        .u32(9)
        .u32(5)
        .u64(10);
    for kind in TYPES {
        draft.u32(kind);
    }
    if let Some(token) = begin {
        draft
            .text("tokenizer.ggml.add_bos_token")
            .u32(7)
            .bytes(&[1]);
        draft.text("tokenizer.ggml.bos_token_id").u32(4).u32(token);
    }
    draft
}

fn tokens(pre: &str, begin: Option<u32>, text: &str) -> Vec<u32> {
    let file = file(pre, &TOKENS, &MERGES, begin).open().unwrap();
    let encoding = file.tokenizer().unwrap().encode(text, true).unwrap();
    encoding.get_ids().to_vec()
}

#[test]
fn texts_are_split_as_the_file_says() {
    let text = "ab ab12<|end|>b<own>";
    // SmolLM keeps every digit apart
    assert_eq!(tokens("smollm", None, text), [6, 7, 4, 5, 0, 2, 9]);
    assert_eq!(tokens("qwen2", None, text), [6, 7, 4, 5, 0, 2, 9]);
    for pre in ["gpt-2", "llama-bpe", "default"] {
        assert_eq!(tokens(pre, Some(0), "ab12"), [0, 6, 8], "{pre}");
    }
    // three digits at most, so 1212 is 121 and 2
    assert_eq!(tokens("llama-bpe", Some(0), "1212"), [0, 8, 4, 5]);
    assert_eq!(tokens("gpt-2", None, "1212"), [8, 8]);
}

#[test]
fn a_tokenizer_gives_its_texts_back() {
    let file = file("smollm", &TOKENS, &MERGES, None).open().unwrap();
    let text = file.tokenizer().unwrap().decode(&[6, 7, 4, 0], true);
    assert_eq!(text.unwrap(), "ab ab1");
}

#[test]
fn tokenizers_that_cannot_be_used_are_refused() {
    let why = |draft: Draft| {
        let refused = draft.open().unwrap().tokenizer();
        refused.unwrap_err().to_string()
    };
    let mut twice = TOKENS;
    twice[1] = "ab";
    assert!(why(file("smollm", &twice, &[], None)).contains("\"ab\" twice"));
    assert!(why(file("other", &TOKENS, &MERGES, None)).contains("`other`"));
    assert!(why(file("smollm", &TOKENS, &["ab"], None)).contains("without a space"));
    assert!(why(file("smollm", &TOKENS, &["é"], None)).contains("without a space"));
    assert!(why(file("smollm", &TOKENS, &["a c"], None)).contains("cannot be used"));
    assert!(why(file("smollm", &TOKENS, &MERGES, Some(10))).contains("token 10"));
    assert!(why(file("smollm", &TOKENS[..9], &MERGES, None)).contains("10 tokens"));
}
