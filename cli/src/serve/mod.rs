//! `gusset abi --serve`: the explorer as a page for a browser on this machine.
//!
//! The page is one file; it sends its form, and gets what is to be shown as HTML. Only this machine can connect. A page of
//! another site that has its name resolved to this address is refused by the `Host` that it asks for.

mod answer;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::Read;
use std::net::Ipv4Addr;
use std::path::Path;

use gusset::explorer::SHORT_NAMES;
use tiny_http::{Header, Method, Request, Response, Server};

use super::output;

/// The port, if none is given.
pub(crate) const PORT: &str = "8118";
/// The most bytes of a form.
const MOST: u64 = 1 << 20;
/// Requests that are answered at a time.
const WORKERS: usize = 4;

const PAGE: &str = include_str!("page.html");

/// Targets that are chosen at first.
const CHOSEN: [&str; 2] = ["linux64", "win64"];

/// Serves the page until the process is ended.
///
/// # Errors
/// The port cannot be had. As text for the user.
pub(crate) fn run(port: u16) -> Result<(), String> {
    let server = Server::http((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| format!("error: cannot listen on 127.0.0.1:{port}: {error}"))?;
    let port = server.server_addr().to_ip().map_or(port, |address| address.port());
    let nonce = format!("{:016x}", RandomState::new().hash_one(port));
    let site = Site { port, page: page(&nonce), policy: policy(&nonce) };
    output::write(Path::new("-"), format!("http://127.0.0.1:{port}/\n").as_bytes())?;
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Ok(request) = server.recv() {
                    site.serve(request);
                }
            });
        }
    });
    Err("error: the server has ended".into())
}

/// The page, with the targets; only scripts with this nonce run in it.
fn page(nonce: &str) -> String {
    let target = |(short, triple): &(&str, &str)| {
        let checked = if CHOSEN.contains(short) { " checked" } else { "" };
        format!(
            "<label title=\"{triple}\"><input type=\"checkbox\" name=\"target\" value=\"{short}\"{checked}> {short}</label>\n"
        )
    };
    let targets: String = SHORT_NAMES.iter().map(target).collect();
    PAGE.replace("{nonce}", nonce).replace("{targets}", &targets)
}

/// What the page may load: itself.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; img-src data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

struct Site {
    port: u16,
    page: String,
    policy: String,
}

impl Site {
    fn serve(&self, mut request: Request) {
        let (status, text) = self.answer(&mut request);
        let mut response = Response::from_string(text).with_status_code(status);
        for (name, value) in [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Security-Policy", &self.policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ] {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        // The browser may have gone away.
        let _ = request.respond(response);
    }

    /// The status and the text for a request.
    fn answer(&self, request: &mut Request) -> (u16, String) {
        let header = |name: &'static str| {
            let mut values = request.headers().iter().filter(|header| header.field.equiv(name));
            (values.next().map(|header| header.value.as_str().to_string()), values.next().is_some())
        };
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let own = |host: &str| names.iter().any(|name| name.eq_ignore_ascii_case(host));
        match header("Host") {
            (Some(host), false) if own(&host) => {}
            _ => return (403, "this page is for 127.0.0.1 alone\n".into()),
        }
        if let (Some(origin), _) = header("Origin")
            && !origin.strip_prefix("http://").is_some_and(own)
        {
            return (403, "this page answers itself alone\n".into());
        }
        let path = request.url().split('?').next().unwrap_or_default();
        match (request.method(), path) {
            (Method::Get | Method::Head, "/") => (200, self.page.clone()),
            (Method::Post, "/show") => {
                let mut form = Vec::new();
                match request.as_reader().take(MOST + 1).read_to_end(&mut form) {
                    Ok(_) if form.len() as u64 > MOST => (413, "the declarations are too long\n".into()),
                    Ok(_) => (200, answer::html(&form)),
                    Err(_) => (400, "the form ends too soon\n".into()),
                }
            }
            (_, "/" | "/show") => (405, "there is no such method here\n".into()),
            _ => (404, "there is nothing here\n".into()),
        }
    }
}
