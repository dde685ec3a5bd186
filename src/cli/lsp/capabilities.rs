//! What the client can do, and what this server offers.

use super::text::Encoding;
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions, DocumentLinkOptions,
    FileOperationFilter, FileOperationPattern, FileOperationPatternKind, FileOperationRegistrationOptions,
    HoverProviderCapability, InitializeResult, OneOf, RenameOptions, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions, WorkspaceFileOperationsServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::Value;

/// What the client can do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    /// It reports changes of files that it is asked to watch.
    pub(super) watches_files: bool,
    /// It carries out renames of files among the edits of documents.
    pub(super) renames_files: bool,
}

impl Client {
    pub(super) fn new(params: &Value) -> Client {
        let is = |pointer: &str| params.pointer(pointer).and_then(Value::as_bool) == Some(true);
        let operations = params.pointer("/capabilities/workspace/workspaceEdit/resourceOperations");
        let has_rename = |operations: &Value| {
            operations.as_array().is_some_and(|names| names.iter().any(|name| name.as_str() == Some("rename")))
        };
        Client {
            watches_files: is("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            // Not every client that does so names `documentChanges` too, of which the operations are a part.
            renames_files: operations.is_some_and(has_rename),
        }
    }
}

/// The address of the folder that is open in the editor; of several, that of the first.
pub(super) fn folder(params: &Value) -> Option<&str> {
    let first = params.pointer("/workspaceFolders/0/uri");
    first.or_else(|| params.get("rootUri")).and_then(Value::as_str)
}

/// The units of columns that the client offers.
pub(super) fn encodings(params: &Value) -> Vec<&str> {
    let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
    offered.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The answer to `initialize`.
pub(super) fn initialize_result(encoding: Encoding) -> InitializeResult {
    InitializeResult {
        capabilities: ServerCapabilities {
            position_encoding: Some(encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
                ..Default::default()
            })),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::SOURCE_FIX_ALL]),
                ..Default::default()
            })),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some([" ", ":", "/", "(", "`", "[", "-"].map(str::to_owned).to_vec()),
                ..Default::default()
            }),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            document_link_provider: Some(DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }),
            rename_provider: Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })),
            document_symbol_provider: Some(OneOf::Left(true)),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            workspace: Some(WorkspaceServerCapabilities {
                file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                    will_rename: Some(FileOperationRegistrationOptions {
                        filters: vec![FileOperationFilter {
                            scheme: Some("file".to_owned()),
                            pattern: FileOperationPattern {
                                glob: "**".to_owned(),
                                matches: Some(FileOperationPatternKind::Folder),
                                options: None,
                            },
                        }],
                    }),
                    ..Default::default()
                }),
                ..Default::default()
            }),
            ..Default::default()
        },
        server_info: Some(ServerInfo {
            name: "skilltree".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}
