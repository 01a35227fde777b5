/// The kind of value of an argument or an option, from which shells derive completions.
package enum ValueKind: Hashable, Sendable {
    case any
    case file
    case folder
    /// The name of an app that the program serves.
    case app
    /// One of the listed words.
    case words([String])
}

extension ValueKind {
    var isPath: Bool { self == .file || self == .folder }

    /// Checks a value that was given for an option.
    ///
    /// - Parameter text: the given value; `nil` if the value is missing.
    /// - Throws: `UsageError`, if the value is not one of the allowed words.
    func check(_ text: String?, of option: OptionSpec) throws(UsageError) {
        guard case .words(let words) = self, !words.contains(text ?? "") else { return }
        let list = words.joined(separator: words.count == 2 ? " or " : ", ")
        throw UsageError("‘\(option.word)’ takes \(list)\(text.map { ", not ‘\($0)’" } ?? "").")
    }
}
