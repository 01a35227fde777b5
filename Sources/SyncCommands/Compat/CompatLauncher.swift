import Glibc

/// `syncserver compat`: runs the program `syncserver-compat`, whose file is in the same folder as that of `syncserver`.
enum CompatLauncher {
    static let spec = CompatSpec.command { options in try run(options) }

    /// The path of the program `syncserver-compat`.
    static var program: String { (Environment.programPath ?? Environment.arguments[0]) + CompatSpec.programSuffix }

    /// Replaces this process by the program `syncserver-compat`. Throws an error if that fails.
    private static func run(_ options: Options) throws(CommandError) -> Int32 {
        let program = program
        guard access(program, X_OK) == 0 else {
            let product = program.split(separator: "/").last.map(String.init) ?? program
            let configuration = program.contains("/release/") ? "-c release " : ""
            throw CommandError("\(program) is not there. Build it: swift build \(configuration)--product \(product)")
        }
        var words = ([program] + Environment.arguments.dropFirst()).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        execv(program, &words)
        throw CommandError("\(program) cannot be run: \(String(cString: strerror(errno))).")
    }
}
