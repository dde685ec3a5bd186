//! In: standard input and output. Out: the messages on them, for the protocol's kit. What a client says before its
//! first request is passed over, where the kit would end the session; the end of the input is told at once.
//! Absent: what a message means.

use super::engine::Engine;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use std::sync::Arc;

/// The two streams as messages.
pub(super) struct Stdio {
    messages: AsyncRwTransport<RoleServer, StdioReader, StdioWriter>,
    engine: Arc<Engine>,
    has_begun: bool,
}

/// The messages of this process's own streams.
pub(super) fn stdio(engine: Arc<Engine>) -> Stdio {
    let (read, write) = stdio_pipes();
    Stdio { messages: AsyncRwTransport::new_server(read, write), engine, has_begun: false }
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.messages.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.messages.receive().await else {
                // What still runs for this client would keep the session open.
                self.engine.close();
                return None;
            };
            self.has_begun |= matches!(message, RxJsonRpcMessage::<RoleServer>::Request(_));
            if self.has_begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close().await
    }
}
