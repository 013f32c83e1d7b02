//! Embedding requests and answers.

use serde_json::{Value, json};

use super::super::{LlmError, Usage};
use super::refusal;
use super::reply::MOST_TOKENS;

/// Returns the request body. Vectors come as JSON numbers, which every server supports.
pub fn body(model: &str, dimensions: Option<u32>, texts: &[&str]) -> Value {
    let mut body = json!({ "model": model, "input": texts });
    if let Some(dimensions) = dimensions {
        body["dimensions"] = dimensions.into();
    }
    body
}

/// Reads the answer to `texts` texts in `sent` bytes: one vector per text, all of equal length.
pub fn read(answer: &Value, texts: usize, sent: usize) -> Result<(Vec<Vec<f32>>, Usage), LlmError> {
    let vectors = vectors(answer, texts).ok_or_else(|| {
        let unusable = || LlmError::Unavailable("the answer does not hold numbers for each text".into());
        refusal::inside(answer).unwrap_or_else(unusable)
    })?;
    let counted = answer["usage"]["prompt_tokens"].as_i64().filter(|tokens| (0..=MOST_TOKENS).contains(tokens));
    let usage = match counted {
        Some(tokens_in) => Usage { tokens_in, tokens_out: 0, estimated: false },
        None => Usage::estimated(sent, 0),
    };
    Ok((vectors, usage))
}

/// Orders the vectors by their index, since the order of the list is not guaranteed.
fn vectors(answer: &Value, texts: usize) -> Option<Vec<Vec<f32>>> {
    let data = answer["data"].as_array().filter(|data| data.len() == texts)?;
    let mut vectors = vec![vec![]; texts];
    for (place, entry) in data.iter().enumerate() {
        let place = match entry["index"].as_u64() {
            Some(index) => usize::try_from(index).ok()?,
            None => place,
        };
        let slot: &mut Vec<f32> = vectors.get_mut(place).filter(|slot| slot.is_empty())?;
        *slot = entry["embedding"].as_array()?.iter().map(number).collect::<Option<_>>()?;
    }
    let length = vectors.first().map(Vec::len)?;
    (length > 0 && vectors.iter().all(|vector| vector.len() == length)).then_some(vectors)
}

fn number(value: &Value) -> Option<f32> {
    // `f32` is precise enough for similarity.
    #[allow(clippy::cast_possible_truncation)]
    value.as_f64().map(|number| number as f32).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_asked_for_only_where_it_is_set() {
        assert_eq!(body("m", None, &["a", "b"]), json!({ "model": "m", "input": ["a", "b"] }));
        assert_eq!(body("m", Some(256), &["a"])["dimensions"], 256);
    }

    #[test]
    fn vectors_are_taken_by_their_index_and_the_provider_counts() {
        let answer = json!({
            "data": [{ "index": 1, "embedding": [0, 1] }, { "index": 0, "embedding": [0.5, -1.5] }],
            "usage": { "prompt_tokens": 7, "total_tokens": 7 },
        });
        let counted = Usage { tokens_in: 7, tokens_out: 0, estimated: false };
        assert_eq!(read(&answer, 2, 400), Ok((vec![vec![0.5, -1.5], vec![0.0, 1.0]], counted)));
        let plain = json!({ "data": [{ "embedding": [1] }, { "embedding": [2] }] });
        assert_eq!(read(&plain, 2, 400), Ok((vec![vec![1.0], vec![2.0]], Usage::estimated(400, 0))));
    }

    #[test]
    fn embedding_response_needs_one_vector_for_each_text() {
        for data in [
            json!(null),
            json!([]),
            json!([{ "index": 0, "embedding": [1] }]),
            json!([{ "index": 0, "embedding": [1] }, { "index": 0, "embedding": [1] }]),
            json!([{ "index": 0, "embedding": [1] }, { "index": 2, "embedding": [1] }]),
            json!([{ "index": 0, "embedding": [1] }, { "index": 1, "embedding": [1, 2] }]),
            json!([{ "index": 0, "embedding": [] }, { "index": 1, "embedding": [] }]),
            json!([{ "index": 0, "embedding": ["1"] }, { "index": 1, "embedding": [1] }]),
            json!([{ "index": 0, "embedding": [1e300] }, { "index": 1, "embedding": [1] }]),
            json!([{ "index": 0, "embedding": "AAAA" }, { "index": 1, "embedding": "AAAA" }]),
        ] {
            let read = read(&json!({ "data": data }), 2, 1);
            assert!(matches!(read, Err(LlmError::Unavailable(_))), "{data}: {read:?}");
        }
        let refused = read(&json!({ "error": { "code": 401 } }), 1, 1);
        assert!(matches!(refused, Err(LlmError::Refused(_))), "{refused:?}");
    }
}
