/// How much of a record the changes of a push say.
package enum ChangeMode: String, Sendable {
    /// What the user changed.
    case patch
    /// All that the device holds: what equals its version's view of the record counts as untouched.
    case whole
    /// What an import brings: of a counter it gives the beginning, where nobody has counted yet.
    case imported

    /// What the request header `Change-Mode` says; `nil` for what is none of its words.
    package init?(header: String?) {
        switch header {
        case nil, "patch": self = .patch
        case "whole": self = .whole
        default: return nil
        }
    }
}
