internal import Glibc

/// The first line of a request, as libmicrohttpd split it.
struct RequestLine: Sendable {
    let method: HTTPMethod
    /// The request target as sent.
    let target: [UInt8]
    let version: Version
    /// True if the line holds only method, target and version, with one blank between two of them.
    ///
    /// libmicrohttpd takes several blanks for one, and a literal NUL cuts the C string short: the bytes after it would
    /// be overlooked.
    let isWellFormed: Bool

    enum Version: Sendable {
        /// HTTP/1.0, which has neither `Host` nor transfer codings.
        case http10
        case http11
        /// HTTP/1.2 to 1.9, which libmicrohttpd accepts and no standard defines.
        case unknown

        fileprivate init(_ text: UnsafePointer<CChar>) {
            self = strcmp(text, "HTTP/1.1") == 0 ? .http11 : strcmp(text, "HTTP/1.0") == 0 ? .http10 : .unknown
        }
    }

    /// Reads a request line from the pointers of libmicrohttpd's callbacks.
    ///
    /// - Parameters:
    ///   - target: the target from the request-line callback.
    ///   - method: a pointer to the method in the received line, from the access callback.
    ///   - version: a pointer to the HTTP version in the same line. The method, the target and two blanks must fill the
    ///     distance from `method`. Otherwise the line has additional bytes, which libmicrohttpd 0.9.75 does not report.
    init(target: [UInt8], method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        let word = UnsafeBufferPointer(start: method, count: strlen(method))
        self.method = HTTPMethod(String(cString: method))
        self.target = target
        self.version = Version(version)
        isWellFormed =
            version - method == word.count + 1 + target.count + 1
            && word.allSatisfy { UInt8(bitPattern: $0).isTokenCharacter }
    }
}
