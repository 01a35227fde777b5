/// A reason for which the model cannot read a plan. For the same faults, `Plan` reports more details and a remedy.
package enum ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    case noVersions
    /// The plan declares no stage (migration step) between two neighbouring versions.
    case missingStage(older: String, newer: String)
    /// A historical variant (another schema with the number of a version) names a version that the plan does not list.
    case strayVariant(String)
    /// A stage (migration step) names an attribute that its two versions do not have.
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
