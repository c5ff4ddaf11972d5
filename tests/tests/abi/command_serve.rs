//! `gusset abi --serve`: what it answers to requests good and bad, and the page in headless Chromium.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

use gusset_tests::tools::{Failure, gusset, left_out, limited, succeed, work_folder};

/// A running server, which ends with this value.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start() -> Result<Server, Failure> {
        let mut process = std::process::Command::new(gusset()?)
            .args(["abi", "--serve", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().ok_or_else(|| Failure::new("no output"))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/')?.parse().ok());
        let port = port.ok_or_else(|| Failure::new(format!("no address in {line:?}")))?;
        Ok(Server { process, port })
    }

    /// Sends these bytes and reads what comes back.
    fn send(&self, request: &[u8]) -> Result<String, Failure> {
        let mut stream = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], self.port)))?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        // The server may refuse a request before all of it is sent.
        let _ = stream.write_all(request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    fn request(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Result<String, Failure> {
        let own = format!("127.0.0.1:{}", self.port);
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {}\r\n", value.replace("OWN", &own));
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.send(text.as_bytes())
    }

    /// What the page gets for a form.
    fn show(&self, form: &str) -> Result<String, Failure> {
        self.request("POST /show", &[("Host", "OWN"), ("Origin", "http://OWN")], form)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn forms_are_answered() -> Result<(), Failure> {
    let server = Server::start()?;
    let page = server.request("GET /?text=x", &[("Host", "OWN")], "")?;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("value=\"mingwarm32\""), "{page}");
    assert!(page.contains("Content-Security-Policy: default-src 'none'") && !page.contains("http://"), "{page}");
    let all = "&show=picture&show=table&show=layout&show=llvm&show=call";
    for (form, parts) in [
        (
            "text=struct+P+{char+c;double+d;};struct+P+f(int+a,struct+P+b);&target=linux64&target=win32",
            &[
                "i686-pc-windows-msvc",
                "data:image/svg+xml,",
                "7 bytes of padding",
                "declare { i8, double } @f",
                "callq f",
                "xmm0",
            ][..],
        ),
        ("language=c%2b%2b&text=struct+S{S(const+S%26);S+g(S);};&function=S::g&target=win64", &["method", "declare"]),
        ("language=mlir&text=func.func+@f(%25m:memref<?xf32>)&target=arm64", &["_mlir_ciface_f", "bl\tf"]),
        ("language=llvm&text=declare+{i64,double}+@f(<4+x+float>)&target=linux64", &["movaps", "{ i64, double }"]),
        ("text=void+f(__m256+x);&features=avx&target=linux64", &["ymm0"]),
        ("text=int+f(uint32+x);&target=linux64", &["class=\"error\"", "did you mean `uint32_t`"]),
        ("text=int+f(<b>);&target=linux64", &["&lt;b&gt;"]),
        ("text=struct+Q{char+c;int+i;};&target=linux64", &["there is no function", "3 bytes of padding"]),
        ("text=int+f(int);&target=nowhere", &["class=\"error\""]),
        ("text=int+f(int);&features=mmx7&target=linux64", &["feature `mmx7` is not known"]),
        ("text=int+f(int);", &["Choose a target"]),
    ] {
        let answer = server.show(&format!("{form}{all}"))?;
        let lost: Vec<_> = parts.iter().filter(|part| !answer.contains(**part)).collect();
        assert!(answer.starts_with("HTTP/1.1 200") && lost.is_empty(), "{form}: no {lost:?} in {answer}");
        assert!(!answer.contains("<b>"), "{answer}");
    }
    Ok(())
}

/// Requests that the page does not make are refused, and the next one is answered.
#[test]
fn bad_requests() -> Result<(), Failure> {
    let mut server = Server::start()?;
    let long = format!("text={}", "x".repeat(3 << 20));
    let deep = format!("target=linux64&text=int f({})", "(".repeat(500_000));
    for (line, headers, body, status) in [
        ("GET /", &[("Host", "evil.example")][..], "", 403),
        ("GET /", &[("Host", "127.0.0.1")], "", 403),
        ("GET /", &[], "", 403),
        ("GET /", &[("Host", "OWN"), ("Host", "OWN")], "", 403),
        ("POST /show", &[("Host", "OWN"), ("Origin", "http://evil.example")], "text=x", 403),
        ("POST /show", &[("Host", "OWN"), ("Origin", "null")], "text=x", 403),
        ("POST /", &[("Host", "OWN")], "", 405),
        ("DELETE /show", &[("Host", "OWN")], "", 405),
        ("GET /show", &[("Host", "OWN")], "", 405),
        ("GET /../etc/passwd", &[("Host", "OWN")], "", 404),
        ("POST /show", &[("Host", "OWN")], &long, 413),
        ("POST /show", &[("Host", "OWN")], &deep, 200),
        ("POST /show", &[("Host", "OWN")], "text=%ff%fe%00&target=%zz&&&===&language=%", 200),
    ] {
        let answer = server.request(line, headers, body)?;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{line} {headers:?}: {}",
            &answer[..answer.len().min(300)]
        );
    }
    for bytes in [
        &b"\0\xff\xfe\r\n\r\n"[..],
        b"GET",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /show HTTP/1.1\r\nContent-Length: 99\r\n\r\nx",
        b"",
    ] {
        server.send(bytes)?;
    }
    assert!(server.process.try_wait()?.is_none(), "the server has ended");
    let answer = server.show("text=int+f(int);&target=linux64&show=table")?;
    assert!(answer.contains("edi"), "{answer}");
    // Nobody else is listened to.
    let other = SocketAddr::from(([127, 0, 0, 2], server.port));
    assert!(TcpStream::connect_timeout(&other, Duration::from_secs(5)).is_err());
    Ok(())
}

/// The page by a browser, with its state from the address.
#[test]
fn the_page_in_a_browser() -> Result<(), Failure> {
    if succeed(limited(20, "sh").args(["-c", "command -v chromium"])).is_err() {
        return left_out("there is no chromium");
    }
    let server = Server::start()?;
    let state = "language=c&text=struct+P+%7B+char+c%3B+double+d%3B+%7D%3B+void+f(struct+P+b)%3B&target=winarm64&show=layout&show=table";
    let profile = work_folder("chromium");
    let mut browser = limited(60, "chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", profile.display()));
    let page = succeed(browser.arg(format!("http://127.0.0.1:{}/?{state}", server.port)))?.text();
    let results = page.split("id=\"results\"").nth(1).unwrap_or_default();
    for part in ["<h2>aarch64-pc-windows-msvc</h2>", "7 bytes of padding", "<h3>Table</h3>"] {
        assert!(results.contains(part), "no {part} in {page}");
    }
    assert!(!results.contains("x86_64") && !results.contains("data:image"), "{page}");
    Ok(())
}
