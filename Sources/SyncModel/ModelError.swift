/// Why the model cannot read a plan. `Plan` says the same at more length, and what to write instead.
package enum ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    case noVersions
    /// Neighbours without a stage.
    case missingStage(older: String, newer: String)
    /// A historical variant of, or added with, a version that the plan does not list.
    case strayVariant(String)
    /// An instruction about an attribute that the versions do not have.
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
