import WireFormats

extension Options {
    /// Returns the name of the app given by `--app`. Without the option, returns the name of the only app that the
    /// program serves.
    ///
    /// - Throws: `UsageError` that lists the names of the apps, if the program does not serve exactly one.
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
