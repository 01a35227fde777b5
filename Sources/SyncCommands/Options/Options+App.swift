import WireFormats

extension Options {
    /// The app that `--app` names; the only one of a program that serves one.
    ///
    /// - Throws: `UsageError` with the apps that there are.
    package func appName() throws(UsageError) -> String {
        if let stated = self["app"] { return stated }
        let apps = Environment.apps.map { $0.app }
        if apps.count == 1 { return apps[0] }
        throw UsageError("‘--app’ is missing" + (apps.isEmpty ? "." : ": \(apps.joined(separator: ", "))."))
    }
}

extension OptionSpec {
    /// Whether it must be stated: of an app only where the program serves several.
    var mustBeStated: Bool { isRequired && !(value?.kind == .app && Environment.apps.count == 1) }
}
