//! HTTP servers of the fakes, each in its own thread so that it answers while a test waits for a command.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;

/// Serves the routes on a free port until the tests end.
pub fn serve(routes: Router) -> SocketAddr {
    let (told, address) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            told.send(listener.local_addr().expect("an address")).expect("somebody waits");
            axum::serve(listener, routes).await.expect("it serves");
        });
    });
    address.recv_timeout(Duration::from_secs(10)).expect("it starts")
}
