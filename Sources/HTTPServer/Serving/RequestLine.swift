internal import Glibc

/// The first line of a request, as libmicrohttpd split it.
struct RequestLine: Sendable {
    let method: HTTPMethod
    /// As sent.
    let target: [UInt8]
    /// HTTP/1.1 requires `Host`; HTTP/1.0 did not know it.
    let isHostRequired: Bool
    /// Whether there was more between method and version than the target and two spaces: a literal NUL cuts the C
    /// string short, and what follows it would be overlooked.
    let hidesBytes: Bool

    /// - Parameters:
    ///   - target: of the request-line callback.
    ///   - method: of the access callback, as is `version`: both point into the line as it was received, where
    ///     libmicrohttpd 0.9.75 ended the words with NULs. Only the distance between them is used.
    init(target: [UInt8], method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        self.method = HTTPMethod(String(cString: method))
        self.target = target
        isHostRequired = strcmp(version, "HTTP/1.1") == 0
        let distance = Int(bitPattern: version) - Int(bitPattern: method)
        hidesBytes = distance != strlen(method) + 1 + target.count + 1
    }
}
