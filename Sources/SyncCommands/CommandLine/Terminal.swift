import Glibc

/// Where commands write: results to standard output, progress to standard error.
package enum Terminal {
    package static func print(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    package static func note(_ line: String) {
        write(line + "\n", to: STDERR_FILENO)
    }

    /// A line that the next one overwrites; nothing where standard error is no terminal.
    package static func progress(_ line: String) {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K" + line, to: STDERR_FILENO) }
    }

    package static func endProgress() {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    /// A bar of how much is done.
    static func progress(_ done: Int, of all: Int) {
        progress("\(bar(done, of: all)) \(done) of \(all)")
    }

    static func bar(_ done: Int, of all: Int) -> String {
        let width = 40
        let filled = all > 0 ? min(done, all) * width / all : width
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }

    /// Whether somebody watches standard error.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Bytes to standard output, as they are.
    static func write(_ bytes: [UInt8]) {
        write(bytes, to: STDOUT_FILENO)
    }

    private static func write(_ text: String, to file: CInt) {
        write(Array(text.utf8), to: file)
    }

    private static func write(_ bytes: [UInt8], to file: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
