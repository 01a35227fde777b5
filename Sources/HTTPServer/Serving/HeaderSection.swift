internal import CMicroHTTPD

/// The header lines of a request. Checks that nothing else was sent between the request line and the content.
///
/// libmicrohttpd 0.9.75 parses header lines leniently. A line may end in LF alone, be folded, or have a blank before
/// its colon, and text ends at a NUL. The check uses the receive buffer, to which the parsed fields point. In this
/// buffer, libmicrohttpd has replaced each CR, each LF and the first colon of each line with a NUL.
///
/// The check passes if each name begins where the line before it ended with two NULs, and if the last line ends where
/// the section ends. Every byte then belongs to a line that complies with RFC 9112 section 5. A folded line does not
/// pass, because the library moves it elsewhere.
struct HeaderSection {
    private(set) var headers = HTTPHeaders()
    /// True if the section is well formed. If it is not, the server knows neither the length of the content nor where
    /// the request ends.
    private(set) var isWellFormed = true
    /// The start of the next header line in the receive buffer.
    private var position: UnsafePointer<CChar>
    private let end: UnsafePointer<CChar>

    /// Reads and checks the header lines of a connection's request.
    ///
    /// - Parameters:
    ///   - method: a pointer to the method in the received request line, from libmicrohttpd's access callback.
    ///   - version: a pointer to the HTTP version in the same line. The header lines follow it in the same buffer.
    init(of connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        // The library accepts only "HTTP/1." and a digit as the version.
        position = version + 8
        end = method + mhd_header_size(connection)
        headers.reserve(8)
        endLine()
        withUnsafeMutablePointer(to: &self) { section in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let context, let name, let value else { return .NO }
                    context.assumingMemoryBound(to: HeaderSection.self).pointee.add(
                        UnsafeBufferPointer(start: name, count: nameSize),
                        UnsafeBufferPointer(start: value, count: valueSize))
                    return .YES
                }, section)
        }
        // The empty line.
        endLine()
        if position != end { isWellFormed = false }
    }

    private mutating func add(_ name: UnsafeBufferPointer<CChar>, _ value: UnsafeBufferPointer<CChar>) {
        guard isWellFormed, let nameStart = name.baseAddress, let valueStart = value.baseAddress,
            nameStart == position, !name.isEmpty, name.allSatisfy({ UInt8(bitPattern: $0).isTokenCharacter }),
            // Between the two are the colon and blanks, which the library has skipped.
            valueStart > nameStart + name.count, value.allSatisfy({ UInt8(bitPattern: $0).isFieldCharacter })
        else { return isWellFormed = false }
        let size = value.lastIndex { !UInt8(bitPattern: $0).isBlank }.map { $0 + 1 } ?? 0
        headers.add(String(bytes: name), String(bytes: UnsafeBufferPointer(rebasing: value[..<size])))
        position = valueStart + value.count
        endLine()
    }

    /// Moves `position` past a line end, CR and LF, which libmicrohttpd has replaced with two NULs. If there is none,
    /// marks the section as not well formed.
    private mutating func endLine() {
        guard isWellFormed, end - position >= 2, position[0] == 0, position[1] == 0 else { return isWellFormed = false }
        position += 2
    }
}

extension String {
    fileprivate init(bytes: UnsafeBufferPointer<CChar>) {
        self.init(decoding: UnsafeRawBufferPointer(bytes), as: UTF8.self)
    }
}

extension UInt8 {
    /// True for a character that methods and header names may contain: a `tchar` of RFC 9110 section 5.6.2.
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// True for a character that a header's value may contain (RFC 9110 section 5.5): no control character but the tab.
    fileprivate var isFieldCharacter: Bool {
        (self >= 0x20 && self != 0x7F) || self == UInt8(ascii: "\t")
    }

    fileprivate var isBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t")
    }
}
