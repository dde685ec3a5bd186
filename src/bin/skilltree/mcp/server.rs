//! In: requests of the protocol. Out: answers, by the kit's types; each is made by the engine from one snapshot.
//! Absent: what an answer says.

use super::engine::{Engine, Versions};
use super::methods;
use super::pages::no_cursor;
use super::resources::refused;
use super::wire::{brief, shown};
use super::{prompts, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetSkillRequestParams, GetSkillResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse, ResourceTemplate, ServerConfig,
    SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use skilltree::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// How long a list of tools waits for toolsets to be loaded: many clients never ask a second time.
const LOADING: Duration = Duration::from_secs(5);

/// How many files and lists of files are read at a time: each may be large, and is in memory until it is written.
const READS: usize = 2;

/// The server of one session.
pub(super) struct Server {
    engine: Arc<Engine>,
    reads: Semaphore,
    /// Whether the client is told of changes. It may say more than once that the session has begun.
    is_told: AtomicBool,
}

impl Server {
    pub(super) fn new(engine: Arc<Engine>) -> Server {
        Server { engine, reads: Semaphore::new(READS), is_told: AtomicBool::new(false) }
    }

    /// Waits for the turn of an answer that may be large, and for room for it.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let turn = self.reads.acquire().await;
        self.engine.room().await;
        turn.ok()
    }
}

pub(super) type Context = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.engine.snapshot().info()
    }

    async fn list_tools(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListToolsResult> {
        no_cursor(request)?;
        // Toolsets that take longer are announced when they are there.
        let _ = tokio::time::timeout(LOADING, self.engine.snapshot().bench.ready()).await;
        Ok(ListToolsResult::with_all_items(self.engine.tools()))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Answer<CallToolResponse> {
        self.engine.room().await;
        let arguments = request.arguments.unwrap_or_default();
        let result = tools::call(&self.engine, &request.name, arguments, &context).await?;
        Ok(result.into())
    }

    async fn list_prompts(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListPromptsResult> {
        no_cursor(request)?;
        Ok(ListPromptsResult::with_all_items(self.engine.snapshot().prompts.to_vec()))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: Context) -> Answer<GetPromptResponse> {
        self.engine.room().await;
        let arguments = request.arguments.unwrap_or_default();
        let result = prompts::get(&self.engine, request.name, &arguments, &context).await?;
        Ok(result.into())
    }

    async fn list_resources(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListResourcesResult> {
        self.engine.snapshot().shelf.resources(cursor(request).as_deref())
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        no_cursor(request)?;
        let template = ResourceTemplate::new("skill://{+path}", "skill-file")
            .with_title("A file of a skill")
            .with_description("The addresses are those that `resources/list`, `skills/list` and folders give.");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(&self, request: ReadResourceRequestParams, _: Context) -> Answer<ReadResourceResponse> {
        let _turn = self.turn().await;
        let read = self.engine.answer(move |engine| {
            let read = engine.snapshot().shelf.read(&engine.world(), &request.uri);
            if matches!(read, Err(Error::Changed { .. })) {
                engine.refresh();
            }
            read
        });
        match read.await? {
            Ok(result) => Ok(result.into()),
            // The kit knows which revision says this by which code.
            Err(error @ Error::NotServed { .. }) => Err(ErrorData::resource_not_found(brief(&error.to_string()), None)),
            Err(error) => Err(refused(&error)),
        }
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: Context,
    ) -> Answer<ReadResourceDirectoryResult> {
        let _turn = self.turn().await;
        let read = move |engine: &Engine| {
            engine.snapshot().shelf.directory(&engine.world(), &request.uri, request.cursor.as_deref())
        };
        self.engine.answer(read).await?
    }

    async fn list_skills(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListSkillsResult> {
        let _turn = self.turn().await;
        let list = move |engine: &Engine| {
            let cursor = cursor(request);
            let listed = engine.listed(|now| now.shelf.skills(&engine.world(), cursor.as_deref()));
            let (listed, findings) = listed?;
            engine.told(&findings);
            Ok(listed)
        };
        self.engine.answer(list).await?
    }

    async fn get_skill(&self, request: GetSkillRequestParams, _: Context) -> Answer<GetSkillResult> {
        let _turn = self.turn().await;
        let get = move |engine: &Engine| engine.listed(|now| now.shelf.skill(&engine.world(), &request.uri));
        self.engine.answer(get).await?.map(GetSkillResult::new)
    }

    /// What the kit knows no type for: no method of ours, or parameters that are not its.
    async fn on_custom_request(&self, request: CustomRequest, _: Context) -> Answer<CustomResult> {
        let method = shown(&request.method);
        Err(match methods::is_known(&request.method) {
            true => ErrorData::invalid_params(methods::expected(&request.method), None),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None),
        })
    }

    /// Sessions that began with `initialize` are told of changes from then on.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.is_told.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut changes = self.engine.changes();
        let engine = Arc::clone(&self.engine);
        tokio::spawn(async move {
            let mut known = *changes.borrow_and_update();
            while let Some(now) = change(&engine, &mut changes).await {
                let mut sent = Ok(());
                if known.tools != now.tools {
                    sent = sent.and(context.peer.notify_tool_list_changed().await);
                }
                if known.prompts != now.prompts {
                    sent = sent.and(context.peer.notify_prompt_list_changed().await);
                }
                if known.resources != now.resources {
                    sent = sent.and(context.peer.notify_resource_list_changed().await);
                }
                if sent.is_err() {
                    return;
                }
                known = now;
            }
        });
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().prompts_list_changed().resources_list_changed().build())
    }

    /// Other sessions ask to be told.
    async fn listen(&self, context: SubscriptionContext) -> Answer<()> {
        let mut changes = self.engine.changes();
        let mut known = *changes.borrow_and_update();
        let (sink, wanted) = (context.sink(), context.accepted());
        loop {
            let now = tokio::select! {
                now = change(&self.engine, &mut changes) => now,
                () = context.cancelled() => None,
            };
            let Some(now) = now else { return Ok(()) };
            let mut sent = Ok(());
            if known.tools != now.tools && wanted.tools_list_changed == Some(true) {
                sent = sent.and(sink.notify_tool_list_changed().await);
            }
            if known.prompts != now.prompts && wanted.prompts_list_changed == Some(true) {
                sent = sent.and(sink.notify_prompt_list_changed().await);
            }
            if known.resources != now.resources && wanted.resources_list_changed == Some(true) {
                sent = sent.and(sink.notify_resource_list_changed().await);
            }
            if sent.is_err() {
                return Ok(());
            }
            known = now;
        }
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

/// The next change; none when the engine is closed.
async fn change(engine: &Engine, changes: &mut tokio::sync::watch::Receiver<Versions>) -> Option<Versions> {
    tokio::select! {
        changed = changes.changed() => changed.ok().map(|()| *changes.borrow_and_update()),
        () = engine.closed() => None,
    }
}
