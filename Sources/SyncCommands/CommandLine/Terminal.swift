import Glibc
import Synchronization

/// The output of commands: results to standard output, progress to standard error.
package enum Terminal {
    package static func print(_ line: String) {
        write(harmless(naming(line)) + "\n", to: STDOUT_FILENO)
    }

    package static func note(_ line: String) {
        write(harmless(naming(line)) + "\n", to: STDERR_FILENO)
    }

    /// Replaces control characters by U+FFFD. Texts from users and rows could otherwise control the terminal. U+0080 to
    /// U+009F are control characters, too (ECMA-48): U+009B begins a sequence as ESC and ‘[’ do.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steersTerminal) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { steersTerminal($0) ? "\u{FFFD}" : $0 }))
    }

    private static func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case ..<0x20, 0x7F...0x9F: true
        default: false
        }
    }

    /// Prints to standard error the reason why a command failed. If standard error goes to systemd's journal, each line
    /// begins with the priority of errors: sd-daemon(3).
    package static func fail(_ text: String) {
        guard Supervisor.readsStandardError else { return note(text) }
        for line in text.split(separator: "\n") { note("<3>" + line) }
    }

    /// The words to type on a command line to run this program: `swift run pantry` if Swift's package manager built it,
    /// its file name otherwise.
    package static var command: String {
        let name = CompatSpec.server(beside: programName)
        return programWord.contains(".build/") && name != "syncserver" ? "swift run \(name)" : name
    }

    /// The file name of the running program.
    static var programName: String { programWord.split(separator: "/").last.map(String.init) ?? programWord }

    private static var programWord: String { Environment.arguments.first ?? "syncserver" }

    /// Replaces ‘syncserver’ in a text by this program's name. All texts are written with ‘syncserver …’, but the
    /// program of an app's own package has another name.
    static func naming(_ text: String) -> String {
        let command = command
        return command == "syncserver" ? text : text.replacing("‘syncserver ", with: "‘\(command) ")
    }

    /// Prints to standard error a line that the next output overwrites. Prints nothing if standard error is not a
    /// terminal.
    package static func progress(_ line: String) {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K" + line, to: STDERR_FILENO) }
    }

    package static func endProgress() {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    /// Prints a progress bar with `done` of `all` parts.
    static func progress(_ done: Int, of all: Int) {
        progress("\(bar(done, of: all)) \(done) of \(all)")
    }

    static func bar(_ done: Int, of all: Int) -> String {
        let width = 40
        let filled = all > 0 ? min(done, all) * width / all : width
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }

    /// True if standard error is a terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes bytes to standard output unchanged.
    static func write(_ bytes: [UInt8]) {
        write(bytes, to: STDOUT_FILENO)
    }

    private static func write(_ text: String, to file: CInt) {
        write(Array(text.utf8), to: file)
    }

    /// The reason why output could not be written, such as a full disk; `nil` if all was written. A closed pipe, as
    /// after `head`, is not a failure.
    static var failure: String? {
        let number = failed.load(ordering: .relaxed)
        return number == 0 ? nil : String(cString: strerror(number))
    }

    private static let failed = Atomic<CInt>(0)

    private static func write(_ bytes: [UInt8], to file: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                if file == STDOUT_FILENO, errno != EPIPE { failed.store(errno, ordering: .relaxed) }
                return
            }
            rest = rest.dropFirst(written)
        }
    }
}
