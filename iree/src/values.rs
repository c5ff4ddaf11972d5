//! The values of a JSON text as a list: however deep they are nested, nothing here is recursive.

use std::borrow::Cow;

use json_event_parser::{JsonEvent, JsonSyntaxError, LowLevelJsonParser};

/// A value in a text.
pub(crate) struct JsonValue<'t> {
    /// The value itself, or how the array or object begins.
    pub event: JsonEvent<'t>,
    /// Its first byte in the text.
    pub start: usize,
    /// Its key in the object, or its index in the array.
    pub name: Cow<'t, str>,
    /// The array or object that contains it; for the whole text, the value itself.
    parent: usize,
    /// The index after the values that it contains.
    end: usize,
}

/// All values of a text, each before those that it contains, up to the first error.
pub(crate) struct JsonValues<'t>(pub Vec<JsonValue<'t>>);

impl<'t> JsonValues<'t> {
    pub fn parse(text: &'t str) -> (JsonValues<'t>, Result<(), JsonSyntaxError>) {
        let mut parser = LowLevelJsonParser::new().with_max_stack_size(usize::MAX);
        let (mut all, mut open, mut key, mut at) = (JsonValues(Vec::new()), Vec::<(usize, usize)>::new(), None, 0);
        loop {
            let rest = text.as_bytes().get(at..).unwrap_or_default();
            let start = at + rest.iter().take_while(|b| b" \t\r\n,:".contains(b)).count();
            let result = parser.parse_next(rest, true);
            at += result.consumed_bytes;
            match result.event {
                None => {}
                Some(Err(error)) => return (all, Err(error)),
                Some(Ok(JsonEvent::Eof)) => return (all, Ok(())),
                Some(Ok(JsonEvent::EndArray | JsonEvent::EndObject)) => {
                    if let Some((list, _)) = open.pop() {
                        let end = all.0.len();
                        all.0[list].end = end;
                    }
                }
                Some(Ok(JsonEvent::ObjectKey(name))) => key = Some(name),
                Some(Ok(event)) => {
                    let own = all.0.len();
                    let (parent, index) = open.last_mut().map_or((own, 0), |(list, count)| {
                        *count += 1;
                        (*list, *count - 1)
                    });
                    let name = key.take().unwrap_or_else(|| index.to_string().into());
                    if matches!(event, JsonEvent::StartArray | JsonEvent::StartObject) {
                        open.push((own, 0));
                    }
                    all.0.push(JsonValue { event, start, name, parent, end: own + 1 });
                }
            }
        }
    }

    /// The values in an array or object, in order.
    pub fn items(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        let (mut next, end) = (of + 1, self.0.get(of).map_or(0, |list| list.end));
        std::iter::from_fn(move || {
            let item = next;
            (item < end).then(|| {
                next = self.0[item].end;
                item
            })
        })
    }

    /// The indices of a value and of all that it contains.
    pub fn within(&self, value: usize) -> std::ops::Range<usize> {
        value..self.0[value].end
    }

    /// The RFC 6901 pointer to a value.
    pub fn pointer(&self, mut value: usize) -> String {
        let mut names = Vec::new();
        while self.0[value].parent != value {
            names.push(self.0[value].name.replace('~', "~0").replace('/', "~1"));
            value = self.0[value].parent;
        }
        names.iter().rev().flat_map(|name| ["/", name]).collect()
    }

    /// The value that an RFC 6901 pointer points at, or the innermost one around it that exists.
    pub fn pointed(&self, pointer: &str) -> usize {
        let mut value = 0;
        for token in pointer.split('/').skip(1) {
            let name = token.replace("~1", "/").replace("~0", "~");
            let Some(inner) = self.items(value).find(|&item| self.0[item].name == name) else { break };
            value = inner;
        }
        value
    }
}
