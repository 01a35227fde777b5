import WireFormats

extension Options {
    /// Returns the app given by `--app`, or the only app if the program serves one.
    ///
    /// - Throws: `UsageError` that lists the names of the apps.
    package func appName() throws(UsageError) -> String {
        if let stated = self["app"] { return stated }
        let apps = Environment.apps.map { $0.app }
        if apps.count == 1 { return apps[0] }
        throw UsageError("‘--app’ is missing" + (apps.isEmpty ? "." : ": \(apps.joined(separator: ", "))."))
    }
}

extension OptionSpec {
    /// True if the option must be given. The option `--app` must be given only if the program serves several apps.
    var mustBeStated: Bool { isRequired && !(value?.kind == .app && Environment.apps.count == 1) }
}
