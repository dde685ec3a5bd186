//! Implements the protocol with the types of rmcp. Each answer is made by the engine from one snapshot.

use super::convert::no_cursor;
use super::engine::{Engine, Versions};
use super::prompts::{self, complete};
use super::resources::{ResourceCache, SCHEME, refused};
use super::{tools, transport};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse, ResourceTemplate, ServerConfig,
    SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;
use skilltree::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// How long a list of tools and the call of an unknown one wait until toolsets are loaded: many clients never ask a second
/// time.
const LOADING: Duration = Duration::from_secs(5);

/// How long the first answer waits for the discovery. One of 100 000 skills takes about as long.
const DISCOVERING: Duration = Duration::from_secs(2);

/// How many files and lists of files are read at the same time: each may be large, and is in memory until it is
/// written.
const READS: usize = 2;

/// The server of one session.
pub(super) struct Server {
    engine: Arc<Engine>,
    reads: Semaphore,
    /// Whether the client is being notified of changes. It may report more than once that it is initialized.
    is_told: AtomicBool,
}

impl Server {
    pub(super) fn new(engine: Arc<Engine>) -> Server {
        Server { engine, reads: Semaphore::new(READS), is_told: AtomicBool::new(false) }
    }

    /// Waits for the first snapshot. Without further refreshes, also waits for the one that completes it, and creates
    /// the resources.
    async fn wait_until_ready(&self) -> Answer<()> {
        self.engine.wait_until_ready().await;
        if self.engine.poll_interval().is_some() {
            return Ok(());
        }
        self.engine.refresh_for_request().await?;
        self.engine.run_blocking(|engine| engine.with_resources(|_| ())).await
    }

    /// Waits for the first snapshot, which the instructions are made from, but not for long: a client may give up. If it
    /// takes longer, the instructions name no skills, and all lists are announced once there are any.
    async fn wait_for_instructions(&self) -> Answer<()> {
        match tokio::time::timeout(DISCOVERING, self.wait_until_ready()).await {
            Ok(ready) => {
                ready?;
                let snapshot = self.engine.snapshot();
                self.engine.told.instructions(snapshot.catalog.clone(), snapshot.instructions.mention_find);
            }
            Err(_) => {
                let engine = Arc::clone(&self.engine);
                tokio::spawn(async move {
                    engine.wait_until_ready().await;
                    engine.announce(true, true, true);
                });
            }
        }
        Ok(())
    }

    /// Reads a resource as it was listed, unless its skill has become hidden since. If it was not listed, refreshes the
    /// snapshot and tries again.
    async fn unless_new<T: Send + 'static>(
        &self,
        read: impl Fn(&Engine, &ResourceCache) -> Result<T, Error> + Clone + Send + 'static,
    ) -> Answer<Result<T, Error>> {
        self.engine.refresh_for_read().await?;
        let again = read.clone();
        let first = move |engine: &Engine| {
            let found = read(engine, &engine.with_resources(Arc::clone));
            if matches!(found, Err(Error::Changed { .. })) {
                engine.refresh();
            }
            found
        };
        match self.engine.run_blocking(first).await? {
            Err(Error::NotServed { .. }) => {}
            found => return Ok(found),
        }
        self.engine.refresh_for_request().await?;
        self.engine.run_blocking(move |engine| again(engine, &engine.with_resources(Arc::clone))).await
    }

    /// Refreshes the snapshot before a page of a list is made. Returns the cursor.
    async fn cursor_of(&self, request: Option<PaginatedRequestParams>) -> Answer<Option<String>> {
        // A skill of a later page may have been hidden since the first.
        self.engine.refresh_for_request().await?;
        Ok(request.and_then(|request| request.cursor))
    }

    /// Waits until the toolsets are loaded. Those that take longer are announced when they are.
    async fn wait_for_toolsets(&self) {
        let _ = tokio::time::timeout(LOADING, self.engine.snapshot().toolsets.wait_until_loaded()).await;
    }

    /// Waits until a large answer may be made, and until there is room for it.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let turn = self.reads.acquire().await;
        self.engine.wait_for_output_room().await;
        turn.ok()
    }
}

pub(super) type Context = RequestContext<RoleServer>;

/// Whether a request belongs to a session. From the revision 2026-07-28 on, each request names its revision and stands
/// alone: what was sent before on the same connection may have gone to another conversation.
pub(super) fn has_session(context: &Context) -> bool {
    context.meta.protocol_version().is_none()
}

type Answer<T> = Result<T, ErrorData>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.engine.snapshot().info()
    }

    async fn initialize(&self, request: InitializeRequestParams, context: Context) -> Answer<InitializeResult> {
        context.peer.set_peer_info(request.clone());
        self.wait_for_instructions().await?;
        self.negotiate_initialize(&request)
    }

    async fn discover(&self, _: Context) -> Answer<DiscoverResult> {
        self.wait_for_instructions().await?;
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info()))
    }

    async fn list_tools(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListToolsResult> {
        no_cursor(request)?;
        self.engine.refresh_for_request().await?;
        self.wait_for_toolsets().await;
        Ok(ListToolsResult::with_all_items(self.engine.tools()))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Answer<CallToolResponse> {
        self.engine.wait_for_output_room().await;
        self.engine.refresh_for_request().await?;
        if self.engine.snapshot().offers.iter().all(|offer| offer.tool.name != request.name) {
            // The client may know the tool from an earlier connection.
            self.wait_for_toolsets().await;
        }
        let arguments = request.arguments.unwrap_or_default();
        let result = tools::call(&self.engine, &request.name, arguments, &context).await?;
        Ok(result.into())
    }

    async fn list_prompts(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListPromptsResult> {
        let cursor = self.cursor_of(request).await?;
        self.engine.run_blocking(move |engine| prompts::page_of(engine, cursor.as_deref())).await?
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Answer<CompleteResult> {
        self.engine.refresh_for_request().await?;
        self.engine.run_blocking(move |engine| complete(engine, &request.r#ref, &request.argument)).await?
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: Context) -> Answer<GetPromptResponse> {
        self.engine.wait_for_output_room().await;
        self.engine.refresh_for_request().await?;
        let arguments = request.arguments.unwrap_or_default();
        let result = prompts::get(&self.engine, request.name, &arguments, &context).await?;
        Ok(result.into())
    }

    async fn list_resources(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListResourcesResult> {
        let cursor = self.cursor_of(request).await?;
        self.engine
            .run_blocking(move |engine| engine.with_resources(|resources| resources.resources(cursor.as_deref())))
            .await?
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        no_cursor(request)?;
        let template = ResourceTemplate::new(format!("{SCHEME}{{+path}}"), "skill-file")
            .with_title("A file of a skill")
            .with_description("A URI that is listed by `resources/list` or `skills/list`, or in a folder.");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(&self, request: ReadResourceRequestParams, _: Context) -> Answer<ReadResourceResponse> {
        let _turn = self.turn().await;
        let uri = request.uri.clone();
        let read = self.unless_new(move |engine, resources| resources.read(&engine.world(), &uri)).await?;
        read.map(Into::into).map_err(|error| {
            let refusal = refused(&error, &request.uri);
            match error {
                // rmcp chooses the code for the revision of the protocol. In the newest, clients recognize the error by its
                // data: a URI and nothing else.
                Error::NotServed { .. } => {
                    let data = refusal.data.and_then(|data| Some(json!({"uri": data.get("uri")?})));
                    ErrorData { code: ErrorCode::RESOURCE_NOT_FOUND, data, ..refusal }
                }
                _ => refusal,
            }
        })
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: Context,
    ) -> Answer<ReadResourceDirectoryResult> {
        let _turn = self.turn().await;
        let uri = request.uri.clone();
        let read = move |engine: &Engine, resources: &ResourceCache| {
            resources.directory(&engine.world(), &uri, request.cursor.as_deref())
        };
        self.unless_new(read).await?.map_err(|error| refused(&error, &request.uri))?
    }

    async fn list_skills(&self, request: Option<PaginatedRequestParams>, _: Context) -> Answer<ListSkillsResult> {
        let _turn = self.turn().await;
        let cursor = self.cursor_of(request).await?;
        let list = move |engine: &Engine| {
            let (listed, findings) =
                engine.with_resources(|resources| resources.skills(&engine.world(), cursor.as_deref()))?;
            engine.report(&findings);
            Ok(listed)
        };
        self.engine.run_blocking(list).await?
    }

    async fn get_skill(&self, request: GetSkillRequestParams, _: Context) -> Answer<GetSkillResult> {
        let _turn = self.turn().await;
        self.engine.refresh_for_request().await?;
        let get =
            move |engine: &Engine| engine.with_resources(|resources| resources.skill(&engine.world(), &request.uri));
        self.engine.run_blocking(get).await?.map(GetSkillResult::new)
    }

    /// Requests that rmcp has no type for: unknown methods, or invalid parameters.
    async fn on_custom_request(&self, request: CustomRequest, _: Context) -> Answer<CustomResult> {
        Err(match transport::is_known_method(&request.method) {
            true => ErrorData::invalid_params(transport::expected_parameters(&request.method), None),
            // Like rmcp; the transport makes a sentence of the name.
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }

    /// Sessions that began with `initialize` are notified of changes from now on.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.is_told.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut changes = self.engine.versions.subscribe();
        changes.mark_changed();
        let engine = Arc::clone(&self.engine);
        tokio::spawn(async move {
            let mut known = Versions::default();
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

    /// Other sessions subscribe to notifications.
    async fn listen(&self, context: SubscriptionContext) -> Answer<()> {
        let mut changes = self.engine.versions.subscribe();
        changes.mark_changed();
        let mut known = Versions::default();
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

/// The next change; `None` when the engine is closed.
async fn change(engine: &Engine, changes: &mut tokio::sync::watch::Receiver<Versions>) -> Option<Versions> {
    tokio::select! {
        changed = changes.changed() => changed.ok().map(|()| *changes.borrow_and_update()),
        () = engine.wait_until_closed() => None,
    }
}
