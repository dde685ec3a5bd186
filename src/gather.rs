//! In: an iterator. Out: a list or a text of what it gives. It is the standard library's `collect` but in a WASM module, where that
//! one has the iterator's code in it twice: once for the first item, which tells how much room to make, once for the
//! others. Absent: other collections.

/// What can be gathered in a list.
pub(crate) trait Gather: Iterator + Sized {
    /// A list of all items.
    #[cfg(not(target_family = "wasm"))]
    fn gather(self) -> Vec<Self::Item> {
        self.collect()
    }

    /// A list of all items.
    #[cfg(target_family = "wasm")]
    fn gather(self) -> Vec<Self::Item> {
        let mut all = Vec::new();
        self.for_each(|item| all.push(item));
        all
    }

    /// Adds all items to a list.
    #[cfg(not(target_family = "wasm"))]
    fn gather_into(self, all: &mut Vec<Self::Item>) {
        all.extend(self);
    }

    /// Adds all items to a list.
    #[cfg(target_family = "wasm")]
    fn gather_into(self, all: &mut Vec<Self::Item>) {
        self.for_each(|item| all.push(item));
    }

    /// A list of all items, or the first error.
    #[cfg(all(feature = "wasm", not(target_family = "wasm")))]
    fn gather_all<T, E>(self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        self.collect()
    }

    /// A list of all items, or the first error.
    #[cfg(all(feature = "wasm", target_family = "wasm"))]
    fn gather_all<T, E>(self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut all = Vec::new();
        for item in self {
            all.push(item?);
        }
        Ok(all)
    }

    /// One text of all items, with this between them.
    fn joined(self, between: &str) -> String
    where
        Self::Item: AsRef<str>,
    {
        let mut all = String::new();
        self.enumerate().for_each(|(n, item)| {
            all.push_str(if n == 0 { "" } else { between });
            all.push_str(item.as_ref());
        });
        all
    }
}

impl<I: Iterator> Gather for I {}
