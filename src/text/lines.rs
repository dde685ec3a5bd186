//! In: a file's text. Out: the text that the readers work on, and its way back to line and column of the file.
