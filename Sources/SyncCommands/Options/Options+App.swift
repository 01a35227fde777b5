import WireFormats

extension Options {
    /// The app that `--app` names, or the only app of a program that serves one.
    ///
    /// - Throws: `UsageError` with the names of the apps.
    package func appName() throws(UsageError) -> String {
        if let stated = self["app"] { return stated }
        let apps = Environment.apps.map { $0.app }
        if apps.count == 1 { return apps[0] }
        throw UsageError("‘--app’ is missing" + (apps.isEmpty ? "." : ": \(apps.joined(separator: ", "))."))
    }
}

extension OptionSpec {
    /// True if the option must be given; an option for an app only if the program serves several apps.
    var mustBeStated: Bool { isRequired && !(value?.kind == .app && Environment.apps.count == 1) }
}
