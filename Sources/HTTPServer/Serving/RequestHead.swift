/// Request line and headers, checked as far as they can be before the body.
struct RequestHead: Sendable {
    let method: HTTPMethod
    let target: RequestTarget
    let headers: HTTPHeaders
    /// What undoes the body's compression; nil for none.
    let coding: ContentCoding?
    /// Bytes of body to make room for, as declared; 0 when not declared.
    let declaredSizeBytes: Int

    /// - Throws: what to answer instead of reading a body.
    init(line: RequestLine, headers: HTTPHeaders, limits: HTTPServer.Limits) throws(Problem) {
        guard !line.hidesBytes, let target = RequestTarget(line.target) else {
            throw .malformed("The path or query is not valid.")
        }
        // RFC 9112 section 3.2: 400 to any HTTP/1.1 request that lacks a Host header field or has more than one.
        let hosts = headers.count { $0.name.equalsIgnoringASCIICase("Host") }
        guard hosts == 1 || (hosts == 0 && !line.isHostRequired) else {
            throw .malformed("One Host header is required.")
        }
        let length = try Self.declaredLength(headers)
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

    /// Whether a body follows: only then must a refusal come before it and close the connection.
    static func declaresBody(_ headers: HTTPHeaders) -> Bool {
        if headers["Transfer-Encoding"] != nil { return true }
        return headers["Content-Length"].map { $0 != "0" } ?? false
    }

    /// The one meaning of the framing headers, or 400: two meanings are how requests are smuggled (RFC 9112 section 6).
    private static func declaredLength(_ headers: HTTPHeaders) throws(Problem) -> Int {
        let lengths = headers.values(named: "Content-Length")
        let codings = headers.tokens(named: "Transfer-Encoding")
        let isChunked = codings.count == 1 && codings[0].equalsIgnoringASCIICase("chunked")
        guard codings.isEmpty || (isChunked && lengths.isEmpty) else {
            throw .malformed("Transfer-Encoding may only be chunked, without Content-Length.")
        }
        guard let length = lengths.first else { return 0 }
        guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int(length) else {
            throw .malformed("Content-Length must be one decimal number.")
        }
        return bytes
    }
}
