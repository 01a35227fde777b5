package import WireFormats

extension Plan {
    /// Returns a message for a client that states a shape (a version, perhaps with its fingerprint) that the plan does
    /// not have. The message explains why it does not.
    package func absence(of name: ShapeName) -> String {
        guard let version = name.version else {
            return "No shape of \(app) has the fingerprint that your build states, and it states no version."
        }
        guard let index = index(of: version) else {
            let newest = schemas[newest].version
            let age =
                version > newest ? "The newest that it knows is \(newest)" : "It was never published to this server"
            return "Version \(version) of \(app): \(age)."
        }
        let known = shapes.indices.filter { self.version(of: $0) == index }.map { shapes[$0].fingerprint }
        let fingerprints = "fingerprint\(known.count == 1 ? "" : "s") \(known.joined(separator: ", "))"
        return "Version \(version) of \(app) has another shape here than in your build (\(fingerprints))."
    }
}
