/// A reason for which the model cannot read a plan. For the same faults, `Plan` reports more details and a remedy.
package enum ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    case noVersions
    /// Two neighbouring versions have no stage between them.
    case missingStage(older: String, newer: String)
    /// A historical variant names a version that the plan does not list: the version to which it belongs, or the one
    /// that was the newest when it was added.
    case strayVariant(String)
    /// A stage's instruction names an attribute that the versions do not have.
    case unknownAttribute(String)

    package var description: String {
        switch self {
        case .noVersions: "the plan lists no version"
        case .missingStage(let older, let newer): "the plan has no stage from \(older) to \(newer)"
        case .strayVariant(let name): "the plan does not list the version of the variant \(name)"
        case .unknownAttribute(let path): "a stage speaks of \(path), which is not there"
        }
    }
}
