/// What an argument or an option's value can be, as far as a shell can complete it.
package enum ValueKind: Hashable, Sendable {
    case any
    case file
    case folder
    /// The name of an app that the program was started for.
    case app
    /// One of these words.
    case words([String])
}

extension ValueKind {
    var isPath: Bool { self == .file || self == .folder }

    /// - Parameter text: what was stated; `nil` where the value is missing.
    /// - Throws: `UsageError`, where it is none of the words that there may be.
    func check(_ text: String?, of option: OptionSpec) throws(UsageError) {
        guard case .words(let words) = self, !words.contains(text ?? "") else { return }
        let list = words.joined(separator: words.count == 2 ? " or " : ", ")
        throw UsageError("‘\(option.word)’ takes \(list)\(text.map { ", not ‘\($0)’" } ?? "").")
    }
}
