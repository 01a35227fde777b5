/// A request line and headers that have passed every check that is possible before the body arrives.
struct RequestHead: Sendable {
    let method: HTTPMethod
    let target: RequestTarget
    let headers: HTTPHeaders
    /// The compression of the body; `nil` if the body is not compressed.
    let coding: ContentCoding?
    /// The body size that the headers declare, in bytes; 0 if they declare none. Memory is reserved for a body of this
    /// size.
    let declaredSizeBytes: Int

    // Headers that must not repeat: most readers use the first of several, and a proxy may have used the last.
    // (Content-Length is such a header as well.)
    private static let singleHeaders = ["Authorization", "Content-Type", "Host"]

    /// Checks a request line and header section.
    ///
    /// - Throws: the problem (error response) to answer with. The body must then not be read, and the connection must
    ///   be closed after the answer, because the end of the request is unknown or not trusted.
    init(line: RequestLine, section: HeaderSection, limits: HTTPServer.Limits) throws(Problem) {
        guard section.isWellFormed else {
            throw .malformed(
                "Each header line is a name, a colon and a value, ended by CR and LF; none is folded over two lines, "
                    + "nor has a blank before its colon or a control character.")
        }
        guard line.version != .unknown else { throw .versionNotSupported }
        guard line.isWellFormed, let target = RequestTarget(line.target) else {
            throw .malformed("The request line is not a method, a valid path and query, and HTTP/1.1.")
        }
        let headers = section.headers
        for name in Self.singleHeaders where headers.count(where: { $0.name.equalsIgnoringASCIICase(name) }) > 1 {
            throw .malformed("There is more than one \(name) header.")
        }
        // RFC 9112 section 3.2: 400 to any HTTP/1.1 request that lacks a Host header field.
        guard headers["Host"] != nil || line.version == .http10 else {
            throw .malformed("A Host header is required.")
        }
        let length = try Self.declaredLength(headers, version: line.version)
        guard length <= limits.bodySizeMaxBytes else {
            throw .tooLarge("The limit is \(limits.bodySizeMaxBytes) bytes.")
        }
        guard let coding = ContentCoding.declared(by: headers) else { throw .unsupportedEncoding }
        method = line.method
        self.target = target
        self.headers = headers
        self.coding = coding
        declaredSizeBytes = length
    }

    /// Returns true if the headers announce a body. If such a request is refused, the answer is sent before the body
    /// has arrived, and the connection is closed.
    static func declaresBody(_ headers: HTTPHeaders) -> Bool {
        if headers["Transfer-Encoding"] != nil { return true }
        return headers["Content-Length"].map { $0 != "0" } ?? false
    }

    /// Returns the length of the body that the headers declare, in bytes. A chunked body is refused with status 411.
    /// Headers that can be understood in two ways are refused with status 400, because they are used to smuggle
    /// requests (RFC 9112 section 6).
    private static func declaredLength(_ headers: HTTPHeaders, version: RequestLine.Version) throws(Problem) -> Int {
        let lengths = headers.values(named: "Content-Length")
        let codings = headers.values(named: "Transfer-Encoding")
        if !codings.isEmpty {
            // libmicrohttpd parses chunks leniently, too, and keeps nothing that would reveal it (docs/decisions/0016).
            let isChunked = codings.count == 1 && codings[0].equalsIgnoringASCIICase("chunked")
            guard isChunked, lengths.isEmpty, version == .http11 else {
                throw .malformed("Transfer-Encoding is not taken: send a Content-Length.")
            }
            throw .lengthRequired
        }
        guard let length = lengths.first else { return 0 }
        guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int(length) else {
            throw .malformed("Content-Length must be one decimal number.")
        }
        return bytes
    }
}
