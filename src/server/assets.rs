//! Static files: wasm, JavaScript, stylesheet, icons. A release embeds them, compressed at build time; development reads them
//! from a folder.

use std::borrow::Cow;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use flate2::read::GzDecoder;

/// Embedded files, as `build.rs` writes them: for each a line with path, tag and length, then the content.
static INSIDE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/site.bin"));

/// The source of the files.
#[derive(Debug, Clone)]
pub enum Site {
    /// Embedded in the binary by the build.
    Inside,
    /// A folder that `make` fills, read at each request: a rebuilt page needs no restart.
    Folder(PathBuf),
}

/// A file's content and version tag.
struct Found {
    bytes: Cow<'static, [u8]>,
    tag: String,
}

impl Found {
    /// Decompresses a gzip file; `None` if it is none.
    fn unpacked(self) -> Option<Self> {
        let mut bytes = vec![];
        GzDecoder::new(&*self.bytes).read_to_end(&mut bytes).ok()?;
        Some(Self { bytes: bytes.into(), tag: self.tag })
    }
}

/// Encodings that the build produces, best first.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

impl Site {
    /// Serves `folder`, or the embedded files without one.
    pub fn of(folder: Option<&Path>) -> Self {
        folder.map_or(Self::Inside, |folder| Self::Folder(folder.to_owned()))
    }

    /// Serves the file at `path` (as in the URL) in the best encoding that the client accepts; `None` if there is no such file.
    pub async fn serve(&self, path: &str, request: &HeaderMap) -> Option<Response> {
        let name = safe(path)?;
        let kind = content_type(&name);
        let accepted = accepted(request);
        for (encoding, end) in ENCODINGS.into_iter().filter(|(encoding, _)| accepted(encoding)) {
            if let Some(found) = self.find(&format!("{name}{end}")).await {
                return Some(answer(found, kind, Some(encoding), request));
            }
        }
        let plain = match self.find(&name).await {
            Some(found) => found,
            None => self.find(&format!("{name}.gz")).await?.unpacked()?,
        };
        Some(answer(plain, kind, None, request))
    }

    async fn find(&self, name: &str) -> Option<Found> {
        match self {
            Self::Inside => {
                let (tag, bytes) = inside(INSIDE, name)?;
                Some(Found { tag: tag.to_owned(), bytes: bytes.into() })
            }
            Self::Folder(folder) => {
                let path = folder.join(name);
                let about = tokio::fs::metadata(&path).await.ok().filter(std::fs::Metadata::is_file)?;
                let changed = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
                let bytes = tokio::fs::read(&path).await.ok()?.into();
                Some(Found { bytes, tag: format!("{:x}-{:x}", about.len(), changed.as_nanos()) })
            }
        }
    }
}

/// Returns the tag and the content of an embedded file.
fn inside<'a>(mut all: &'a [u8], wanted: &str) -> Option<(&'a str, &'a [u8])> {
    while !all.is_empty() {
        let (line, rest) = all.split_at(all.iter().position(|byte| *byte == b'\n')?);
        let mut parts = std::str::from_utf8(line).ok()?.split('\t');
        let (name, tag, length) = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
        let (content, next) = rest[1..].split_at_checked(length)?;
        if name == wanted {
            return Some((tag, content));
        }
        all = next;
    }
    None
}

/// Returns the relative path; `None` if it leads outside, or to a hidden or compressed file.
fn safe(path: &str) -> Option<String> {
    let name = path.trim_start_matches('/');
    let plain = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(part) if !part.to_string_lossy().starts_with('.')));
    let named = !name.is_empty() && !name.ends_with('/') && !name.contains(['\\', '%', '\0']);
    (plain && named && !name.ends_with(".br") && !name.ends_with(".gz")).then(|| name.to_owned())
}

/// Returns a predicate that is true for encodings which the client accepts.
fn accepted(request: &HeaderMap) -> impl Fn(&str) -> bool {
    let text: Vec<String> = request
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|part| part.replace(' ', "").to_lowercase())
        .collect();
    move |encoding| {
        let offered = |part: &String| match part.split_once(";q=") {
            Some((name, weight)) => name == encoding && weight.parse::<f32>().is_ok_and(|weight| weight > 0.0),
            None => part == encoding,
        };
        text.iter().any(offered)
    }
}

fn answer(found: Found, kind: &'static str, encoding: Option<&'static str>, request: &HeaderMap) -> Response {
    let tag = match encoding {
        Some(encoding) => format!("\"{}-{encoding}\"", found.tag),
        None => format!("\"{}\"", found.tag),
    };
    let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let fresh = known.flat_map(|value| value.split(',')).any(|value| value.trim().trim_start_matches("W/") == tag);
    let mut response = if fresh {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(match found.bytes {
            Cow::Borrowed(bytes) => Body::from(bytes),
            Cow::Owned(bytes) => Body::from(bytes),
        })
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    // File names are the same in every build, so browsers revalidate each time; the tag keeps the answer short.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn only_plain_files_below_the_site_are_served() {
        for (path, name) in [
            ("/pkg/docket.js", Some("pkg/docket.js")),
            ("/favicon.svg", Some("favicon.svg")),
            ("/", None),
            ("/pkg/", None),
            ("/../Cargo.toml", None),
            ("/pkg/../../etc/passwd", None),
            ("//etc/passwd", Some("etc/passwd")),
            ("/.compressed", None),
            ("/pkg/docket.wasm.br", None),
            ("/pkg/%2e%2e/secret", None),
        ] {
            assert_eq!(safe(path).as_deref(), name, "{path}");
        }
    }

    #[test]
    fn files_inside_are_found_by_their_path() {
        let all = b"a.js\t01\t3\nx\nyb.css\t02\t0\nc/d.js\t03\t2\n\n\n";
        assert_eq!(inside(all, "a.js"), Some(("01", &b"x\ny"[..])));
        assert_eq!(inside(all, "b.css"), Some(("02", &b""[..])));
        assert_eq!(inside(all, "c/d.js"), Some(("03", &b"\n\n"[..])));
        assert_eq!((inside(all, "d.js"), inside(b"", "a.js"), inside(b"a\t1\t9\nshort", "a")), (None, None, None));
    }

    #[tokio::test]
    async fn asset_uses_the_best_accepted_encoding_and_revalidates() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a.js", "plain"), ("a.js.br", "brotli"), ("a.js.gz", "gzip")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let site = Site::Folder(folder.path().to_owned());
        for (accept, encoding) in
            [("gzip, deflate, br", Some("br")), ("gzip;q=0.5", Some("gzip")), ("br;q=0", None), ("", None)]
        {
            let mut request = HeaderMap::new();
            request.insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
            let response = site.serve("/a.js", &request).await.unwrap();
            let got = response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap());
            assert_eq!(got, encoding, "{accept}");
            let tag = response.headers()[header::ETAG].clone();
            request.insert(header::IF_NONE_MATCH, tag);
            assert_eq!(site.serve("/a.js", &request).await.unwrap().status(), StatusCode::NOT_MODIFIED);
        }
        assert!(site.serve("/b.js", &HeaderMap::new()).await.is_none());
        let mut packed = GzEncoder::new(vec![], Compression::fast());
        packed.write_all(b"text").unwrap();
        std::fs::write(folder.path().join("c.js.gz"), packed.finish().unwrap()).unwrap();
        let response = site.serve("/c.js", &HeaderMap::new()).await.unwrap();
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        assert_eq!(axum::body::to_bytes(response.into_body(), 9).await.unwrap(), "text");
    }
}
