//! The WASM module for hosts in JavaScript. A host writes a call into the module's memory and reads the answer there,
//! which is JSON as well. The module exports five functions of a C ABI and imports nothing;
//! `wasm/skilltree.mjs` is the host's side. A buffer is looked up by its address, so a wrong address is an
//! error in the answer, and no code here is unsafe. The module has no threads, clock or files; it asks the host for
//! files (see `call`).
#![allow(unsafe_code, reason = "a name is exported by an attribute that counts as unsafe; no block is")]

mod call;
#[cfg(feature = "full")]
mod full;
mod host_fs;
mod tree;

use call::Engine;
use std::cell::RefCell;

/// The version of the ABI: of these functions, and of the calls.
const ABI: u32 = 1;

/// How many bytes all buffers may have together.
const MAX_BUFFER_BYTES: usize = 512 << 20;

thread_local! {
    static MODULE: RefCell<Module> = RefCell::new(Module::default());
}

#[derive(Default)]
struct Module {
    buffers: Buffers,
    engine: Engine,
}

/// Buffers, each found by its address. There are few at a time, so a linear search is enough.
#[derive(Default)]
struct Buffers {
    all: Vec<Vec<u8>>,
    bytes: usize,
}

impl Buffers {
    /// Allocates a zeroed buffer and returns its address; 0 if there is not enough memory. Even an empty buffer has an
    /// address of its own.
    fn room(&mut self, len: usize) -> usize {
        if MAX_BUFFER_BYTES < self.bytes.saturating_add(len) {
            return 0;
        }
        let mut room = Vec::new();
        if room.try_reserve_exact(len.max(1)).is_err() {
            return 0;
        }
        room.resize(len, 0);
        self.keep(room)
    }

    fn keep(&mut self, mut bytes: Vec<u8>) -> usize {
        bytes.reserve(usize::from(bytes.is_empty()));
        self.bytes += bytes.len();
        let at = address(&bytes);
        self.all.push(bytes);
        at
    }

    fn take(&mut self, at: usize) -> Option<Vec<u8>> {
        let place = self.all.iter().position(|bytes| address(bytes) == at)?;
        let bytes = self.all.swap_remove(place);
        self.bytes -= bytes.len();
        Some(bytes)
    }

    fn len(&self, at: usize) -> usize {
        self.all.iter().find(|bytes| address(bytes) == at).map_or(0, Vec::len)
    }
}

fn address(bytes: &[u8]) -> usize {
    bytes.as_ptr() as usize
}

/// Runs `work` on the module's state; `None` if a function of the module is running already, which no host can cause.
fn with<T>(work: impl FnOnce(&mut Module) -> T) -> Option<T> {
    MODULE.with(|module| module.try_borrow_mut().ok().map(|mut module| work(&mut module)))
}

/// The version of the ABI. A host that expects another version must not use the module.
#[unsafe(no_mangle)]
extern "C" fn skilltree_abi() -> u32 {
    ABI
}

/// Allocates a buffer of `len` bytes for a call, and returns its address; 0 if there is not enough memory. It is freed by
/// the call, or by [`skilltree_free`].
#[unsafe(no_mangle)]
extern "C" fn skilltree_alloc(len: usize) -> usize {
    with(|module| module.buffers.room(len)).unwrap_or_default()
}

/// Frees a buffer. An address without a buffer is ignored.
#[unsafe(no_mangle)]
extern "C" fn skilltree_free(at: usize) {
    with(|module| module.buffers.take(at));
}

/// The length of a buffer in bytes; 0 if there is no buffer at the address.
#[unsafe(no_mangle)]
extern "C" fn skilltree_len(at: usize) -> usize {
    with(|module| module.buffers.len(at)).unwrap_or_default()
}

/// Answers the call in a buffer and frees that buffer. Returns the address of the answer, which the host must free.
#[unsafe(no_mangle)]
extern "C" fn skilltree_call(at: usize) -> usize {
    with(|module| {
        let answer = match module.buffers.take(at) {
            Some(bytes) => module.engine.answer(&bytes),
            None => call::no_buffer(at),
        };
        module.buffers.keep(answer.into_bytes())
    })
    .unwrap_or_default()
}
