internal import Glibc

/// The first line of a request, as libmicrohttpd split it.
struct RequestLine: Sendable {
    let method: HTTPMethod
    /// As sent.
    let target: [UInt8]
    let version: Version
    /// Whether method, target and version are all that was in the line, with a blank between two of them.
    ///
    /// libmicrohttpd takes several blanks for one, and a literal NUL cuts the C string short: what follows it would be
    /// overlooked.
    let isWellFormed: Bool

    enum Version: Sendable {
        /// Knows neither `Host` nor transfer codings.
        case http10
        case http11
        /// HTTP/1.2 to 1.9, which libmicrohttpd lets through and nobody has defined.
        case unknown

        fileprivate init(_ text: UnsafePointer<CChar>) {
            self = strcmp(text, "HTTP/1.1") == 0 ? .http11 : strcmp(text, "HTTP/1.0") == 0 ? .http10 : .unknown
        }
    }

    /// - Parameters:
    ///   - target: of the request-line callback.
    ///   - method: of the access callback, as is `version`: both point into the line as it was received, where
    ///     libmicrohttpd 0.9.75 ended the words with NULs. The distance between them tells what else was there.
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
