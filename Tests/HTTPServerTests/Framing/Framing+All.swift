extension Framing {
    static let all = headerLines + lengths + transferEncodings + chunks + requestLines + singleHeaders + wholes + large

    private static let plain = Reading.requests(["GET \(path) "])
    private static let size = smuggled.utf8.count

    /// Header lines by RFC 9112, section 5: a name, a colon, a value, CR and LF.
    private static let headerLines: [Framing] = [
        lines("blank before the colon", "X : y\r\n"),
        lines("tab before the colon", "X\t: y\r\n"),
        lines("blank in a name", "X Y: z\r\n"),
        lines("no name", ": y\r\n"),
        lines("no name and no value", ":\r\n"),
        lines("no colon", "Xy\r\n"),
        lines("NUL in a name", "X\u{0}Y: z\r\n"),
        lines("NUL as a name", "\u{0}: z\r\n"),
        lines("control character in a name", "X\u{1}: y\r\n"),
        lines("byte above 7F in a name", "X\u{E9}: y\r\n"),
        lines("parenthesis in a name", "X(y): z\r\n"),
        lines("quote in a name", "\"X\": z\r\n"),
        lines("CR in a name", "X\rY: z\r\n"),
        lines("NUL in a value", "X: a\u{0}b\r\n"),
        lines("NUL at the end of a value", "X: a\u{0}\r\n"),
        lines("NUL behind the CR", "X: a\r\u{0}\r\n"),
        lines("control character in a value", "X: a\u{1}b\r\n"),
        lines("DEL in a value", "X: a\u{7F}b\r\n"),
        lines("vertical tab before a value", "X:\u{B}a\r\n"),
        lines("CR in a value", "X: a\rb\r\n"),
        lines("CR before CR LF", "X: a\r\r\n"),
        lines("CR as line end", "X: a\rY: b\r\n"),
        lines("LF as line end", "X: a\nY: b\r\n"),
        lines("LF CR as line end", "X: a\n\rY: b\r\n"),
        lines("LF as end of the head", "X: a\r\n\n"),
        lines("folded by a blank", "X: a\r\n b\r\n"),
        lines("folded by a tab", "X: a\r\n\tb\r\n"),
        lines("folded twice", "X: a\r\n b\r\n c\r\n"),
        lines("folded to nothing", "X: a\r\n \r\n"),
        lines("folded from nothing", "X:\r\n a\r\n"),
        lines("folded colon", "X\r\n : a\r\n"),
        Framing("folded request line", "GET \(path) HTTP/1.1\r\n Host: h\r\n\r\n", malformed),
        Framing("folded Host", "GET \(path) HTTP/1.1\r\nHost:\r\n h\r\n\r\n", malformed),
        Framing("LF behind the request line", "GET \(path) HTTP/1.1\nHost: h\r\n\r\n", malformed),
        Framing("LF alone everywhere", "GET \(path) HTTP/1.1\nHost: h\n\n", malformed),
        Framing("CR alone everywhere", "GET \(path) HTTP/1.1\rHost: h\r\r", .closed),
        Framing("no end of the head", "GET \(path) HTTP/1.1\r\nHost: h\r\n", .closed),
        lines("empty value", "X:\r\n", plain),
        lines("blanks as a value", "X: \t \r\n", plain),
        lines("no blank before a value", "X:y\r\n", plain),
        lines("blanks around a value", "X: \t y \t\r\n", plain),
        lines("tab in a value", "X: a\tb\r\n", plain),
        lines("bytes above 7F in a value", "X: \u{E9}\u{FF}\r\n", plain),
        lines("every character of a name", "!#$%&'*+-.^_`|~09AZaz: y\r\n", plain),
    ]

    /// Values of `Content-Length` by RFC 9110, section 8.6. The body is a second request.
    private static let lengths: [Framing] = [
        content("length", "Content-Length: \(size)\r\n", .requests(["POST \(path) \(smuggled)"])),
        content("length with zeros", "content-LENGTH: 000\(size)\r\n", .requests(["POST \(path) \(smuggled)"])),
        content("length, blank before the colon", "Content-Length : \(size)\r\n"),
        content("length, tab before the colon", "Content-Length\t: \(size)\r\n"),
        content("length behind a blank", "X: y\r\n Content-Length: \(size)\r\n"),
        content("length, folded", "Content-Length:\r\n \(size)\r\n"),
        content("length behind a CR", "X: y\rContent-Length: \(size)\r\n"),
        content("length behind a LF", "X: y\nContent-Length: \(size)\r\n"),
        content("length behind a NUL", "X: y\u{0}Content-Length: \(size)\r\n"),
        content("length ended by NUL", "Content-Length: \(size)\u{0}\r\n"),
        content("length with a NUL in its name", "Content-Length\u{0}: \(size)\r\n"),
        content("two lengths, equal", "Content-Length: \(size)\r\nContent-Length: \(size)\r\n"),
        content("two lengths, the first 0", "Content-Length: 0\r\nContent-Length: \(size)\r\n"),
        content("two lengths, the second 0", "Content-Length: \(size)\r\nContent-Length: 0\r\n"),
        content("list of lengths", "Content-Length: \(size), \(size)\r\n"),
        content("list of unequal lengths", "Content-Length: 0, \(size)\r\n"),
        content("length with a sign", "Content-Length: +\(size)\r\n"),
        content("negative length", "Content-Length: -1\r\n"),
        content("hexadecimal length", "Content-Length: 0x25\r\n"),
        content("length with a blank", "Content-Length: 3 7\r\n"),
        content("length with a point", "Content-Length: \(size).0\r\n"),
        content("length with an exponent", "Content-Length: 4e1\r\n"),
        content("length with a parameter", "Content-Length: \(size);x\r\n"),
        content("length in quotes", "Content-Length: \"\(size)\"\r\n"),
        content("empty length", "Content-Length:\r\n"),
        content("length beyond 64 bits", "Content-Length: 184467440737095516\(16 + size)\r\n", .refused([400, 413])),
        content("length beyond the limit", "Content-Length: 9000000000000000000\r\n", .refused([413])),
        Framing(
            "body shorter than its length", "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab", .closed),
        // RFC 9110, section 5.5 allows spaces after a value; libmicrohttpd refuses them here, which is harmless.
        content("length with a blank behind", "Content-Length: \(size) \r\n"),
        Framing(
            "body of a GET", "GET \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n\(smuggled)",
            .requests(["GET \(path) \(smuggled)"])),
    ]

    private static let body = "25\r\n\(smuggled)\r\n0\r\n\r\n"

    /// Values of `Transfer-Encoding` by RFC 9112, section 6.1. None is accepted; those with more than a body without a
    /// length are malformed.
    private static let transferEncodings: [Framing] =
        [
            ("chunked", "Transfer-Encoding: chunked\r\n", 411),
            ("chunked in capitals", "TRANSFER-ENCODING: ChUnKeD\r\n", 411),
            ("chunked behind a tab", "Transfer-Encoding:\tchunked\r\n", 411),
            ("chunked with length", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", 400),
            ("length with chunked", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400),
            ("chunked with length 0", "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", 400),
            ("chunked, blank before the colon", "Transfer-Encoding : chunked\r\n", 400),
            ("chunked, folded", "Transfer-Encoding:\r\n chunked\r\n", 400),
            ("chunked, folded by a tab", "Transfer-Encoding:\r\n\tchunked\r\nContent-Length: 4\r\n", 400),
            ("chunked behind a fold", "X: y\r\n Transfer-Encoding: chunked\r\n", 400),
            ("chunked behind a vertical tab", "Transfer-Encoding: \u{B}chunked\r\n", 400),
            ("chunked behind a CR", "X: y\rTransfer-Encoding: chunked\r\n", 400),
            ("chunked behind a LF", "X: y\nTransfer-Encoding: chunked\r\n", 400),
            ("chunked ended by NUL", "Transfer-Encoding: chunked\u{0}\r\n", 400),
            ("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
            ("chunked, then identity", "Transfer-Encoding: chunked, identity\r\n", 400),
            ("identity, then chunked", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", 400),
            ("identity", "Transfer-Encoding: identity\r\nContent-Length: 4\r\n", 400),
            ("no coding", "Transfer-Encoding:\r\nContent-Length: 4\r\n", 400),
            ("gzip and chunked", "Transfer-Encoding: gzip, chunked\r\n", 400),
            ("xchunked", "Transfer-Encoding: xchunked\r\n", 400),
            ("chunked with a parameter", "Transfer-Encoding: chunked;q=1\r\n", 400),
            ("chunked in quotes", "Transfer-Encoding: \"chunked\"\r\n", 400),
        ].map { name, lines, status in
            Framing(name, "POST \(path) HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\(body)", .refused([status]))
        } + [
            Framing(
                "chunked in HTTP/1.0", "POST \(path) HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n\(body)", malformed)
        ]

    /// Chunked bodies by RFC 9112, section 7.1. Proxies read them before the server, each in its own way.
    private static let chunks: [Framing] = [
        chunks("chunk of size 0", "0\r\n\r\n"),
        chunks("chunk size with zeros", "0000005\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("chunk size with a sign", "+5\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("negative chunk size", "-5\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("chunk size with 0x", "0x5\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("blank before a chunk size", " 5\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("blank behind a chunk size", "5 \r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("no chunk size", "\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("chunk size beyond 64 bits", "10000000000000005\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("chunk size in the hundreds of digits", String(repeating: "0", count: 300) + "5\r\nhello\r\n0\r\n\r\n"),
        chunks("chunk extension", "5;name=value\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("long chunk extension", "5;\(String(repeating: "x", count: 8000))\r\nhello\r\n0\r\n\r\n"),
        chunks("chunk extension with LF", "5;x\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("chunk extension with CR", "5;x\ry\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("chunk extension hides a chunk", "5;\n25\r\n\(smuggled)\r\n0\r\n\r\n"),
        chunks("chunks framed by LF", "5\nhello\n0\n\n\(smuggled)"),
        chunks("last chunk framed by LF", "5\r\nhello\r\n0\n\n\(smuggled)"),
        chunks("chunk not ended", "5\r\nhello0\r\n\r\n\(smuggled)"),
        chunks("chunk ended by two bytes", "5\r\nhelloxx0\r\n\r\n\(smuggled)"),
        chunks("chunk longer than its size", "3\r\nhello\r\n0\r\n\r\n\(smuggled)"),
        chunks("trailer", "5\r\nhello\r\n0\r\nX: y\r\n\r\n"),
        chunks("trailer with a length", "5\r\nhello\r\n0\r\nContent-Length: 37\r\n\r\n\(smuggled)"),
        chunks("trailer with a coding", "5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n\(smuggled)"),
        chunks("trailer without an end", "5\r\nhello\r\n0\r\nX: y\r\n"),
        chunks("no last chunk", "5\r\nhello\r\n"),
        chunks("request behind the last chunk", "5\r\nhello\r\n0\r\n\r\nGET \(path) HTTP/1.1\r\nHost: h\r\n\r\n"),
    ]

    /// Request lines by RFC 9112, section 3.
    private static let requestLines: [Framing] = [
        line("HTTP/1.2", "GET \(path) HTTP/1.2", .refused([505])),
        line("HTTP/1.9", "GET \(path) HTTP/1.9", .refused([505])),
        line("HTTP/2.0", "GET \(path) HTTP/2.0", .refused([505])),
        line("HTTP/0.9", "GET \(path) HTTP/0.9", .refused([505])),
        line("HTTP/1.10", "GET \(path) HTTP/1.10"),
        line("HTTP/1", "GET \(path) HTTP/1"),
        line("HTTP/01.1", "GET \(path) HTTP/01.1"),
        line("lower-case protocol", "GET \(path) http/1.1"),
        line("other protocol", "GET \(path) HTCPCP/1.0"),
        line("no version", "GET \(path)"),
        line("no target", "GET HTTP/1.1"),
        line("no blank", "GET", .closed),
        line("blank behind the version", "GET \(path) HTTP/1.1 "),
        line("tab behind the version", "GET \(path) HTTP/1.1\t"),
        line("CR behind the version", "GET \(path) HTTP/1.1\r"),
        line("NUL behind the version", "GET \(path) HTTP/1.1\u{0}"),
        line("tabs between the words", "GET\t\(path)\tHTTP/1.1", .closed),
        line("two blanks before the target", "GET  \(path) HTTP/1.1"),
        line("two blanks behind the target", "GET \(path)  HTTP/1.1"),
        line("blank before the method", " GET \(path) HTTP/1.1", .closed),
        line("blank in the target", "GET \(path) x HTTP/1.1"),
        line("version in the target", "GET \(path) HTTP/1.1 HTTP/1.1"),
        line("control character in the target", "GET \(path)\u{1} HTTP/1.1"),
        line("tab in the target", "GET \(path)\tx HTTP/1.1"),
        line("CR in the target", "GET \(path)\rx HTTP/1.1"),
        line("DEL in the target", "GET \(path)\u{7F} HTTP/1.1"),
        line("NUL in the target", "GET \(path)\u{0}x HTTP/1.1"),
        line("NUL before a query", "GET \(path)\u{0}?a&b HTTP/1.1"),
        line("NUL in a query", "GET \(path)?a\u{0}b HTTP/1.1"),
        line("byte FF in the target", "GET \(path)\u{FF} HTTP/1.1"),
        line("fragment", "GET \(path)#x HTTP/1.1"),
        line("fragment in a query", "GET \(path)?a#x HTTP/1.1"),
        line("target without a slash", "GET target HTTP/1.1"),
        line("authority as the target", "CONNECT h:443 HTTP/1.1"),
        line("parenthesis in the method", "G(ET \(path) HTTP/1.1"),
        line("colon in the method", "GET: \(path) HTTP/1.1"),
        line("control character in the method", "G\u{1}ET \(path) HTTP/1.1"),
        line("NUL in the method", "GE\u{0}T \(path) HTTP/1.1"),
        line("NUL as the method", "\u{0}GET \(path) HTTP/1.1\r\nX", .closed),
        line("UTF-8 in the target", "GET \(path)?\u{C3}\u{A9} HTTP/1.1", plain),
        line("absolute form", "GET http://h\(path) HTTP/1.1", plain),
        line("absolute form of another host", "GET http://other\(path) HTTP/1.1", plain),
        line("asterisk", "OPTIONS * HTTP/1.1", .requests(["OPTIONS * "])),
        line("lower-case method", "get \(path) HTTP/1.1", .requests(["get \(path) "])),
        line(
            "every character of a method", "!#$%&'*+-.^_`|~09AZaz \(path) HTTP/1.1",
            .requests(["!#$%&'*+-.^_`|~09AZaz \(path) "])),
        Framing("empty lines before", "\r\n\r\nGET \(path) HTTP/1.1\r\nHost: h\r\n\r\n", plain),
    ]

    /// Headers that must not occur twice, because it is unclear which one counts.
    private static let singleHeaders: [Framing] = [
        Framing("no Host", "GET \(path) HTTP/1.1\r\n\r\n", malformed),
        Framing("no Host but a length", "POST \(path) HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", malformed),
        lines("two Hosts", "Host: other\r\n"),
        lines("two Hosts, equal", "Host: h\r\n"),
        lines("two Authorizations", "Authorization: Bearer a\r\nauthorization: Bearer b\r\n"),
        lines("two Authorizations, equal", "Authorization: Bearer a\r\nAuthorization: Bearer a\r\n"),
        lines("two Content-Types", "Content-Type: application/json\r\nContent-Type: text/plain\r\n"),
        lines("one Authorization", "Authorization: Bearer a\r\n", plain),
        lines("a header that is a list", "X-Forwarded-For: a\r\nX-Forwarded-For: b\r\n", plain),
        Framing("no Host in HTTP/1.0", "GET \(path) HTTP/1.0\r\n\r\n", plain),
        Framing("empty Host", "GET \(path) HTTP/1.1\r\nHost:\r\n\r\n", plain),
    ]

    private static let wholes: [Framing] = [
        Framing(
            "two requests",
            "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nabGET \(path) HTTP/1.1\r\nHost: h\r\n\r\n",
            .requests(["POST \(path) ab", "GET \(path) "])),
        Framing("a request behind a malformed one", "GET \(path)  HTTP/1.1\r\nHost: h\r\n\r\n\(smuggled)", malformed),
        lines("expectation without a body", "Expect: 100-continue\r\n", plain),
        lines("other expectation", "Expect: the unexpected\r\n", plain),
        lines(
            "upgrade to HTTP/2", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
            plain),
        lines(
            "upgrade to WebSocket",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", plain),
        lines("Host named by Connection", "Connection: Host\r\n", plain),
        content(
            "length named by Connection", "Connection: Content-Length\r\nContent-Length: \(size)\r\n",
            .requests(["POST \(path) \(smuggled)"])),
        Framing("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .refused([505])),
        Framing("TLS", "\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}\u{0}\u{0}\u{1}\u{0}\n", .closed),
    ]

    private static let large: [Framing] = [
        line("10,000 ampersands", "GET \(path)?\(String(repeating: "&", count: 10_000)) HTTP/1.1", plain),
        lines("1,000 headers", String(repeating: "X: y\r\n", count: 1000), .refused([431])),
        lines("2,000 cookies", "Cookie: \(String(repeating: "a;", count: 2000))\r\n", .refused([431])),
        lines("20 KiB of one header", "X: \(String(repeating: "y", count: 20_000))\r\n", .refused([431])),
        line("20 KiB of target", "GET /\(String(repeating: "y", count: 20_000)) HTTP/1.1", .refused([431])),
        line("20 KiB of method", "\(String(repeating: "Y", count: 20_000)) \(path) HTTP/1.1", .refused([431])),
    ]
}
