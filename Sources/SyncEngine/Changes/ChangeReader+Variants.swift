import StrictJSON
import WireFormats

/// Recognizes changes that state a version which this server does not know, and which a newer server may know.
extension ChangeReader {
    /// Returns the version that the change states, if the plan does not have it. Returns `nil` if the change states no
    /// version, a known one, or a text that cannot be a version.
    ///
    /// It is called for every refused change: only a server that has the version can tell what else is wrong with the
    /// change.
    func versionUnknown(in change: JSONNode) -> ShapeName? {
        guard let members = change.members, let stated = ChangeMembers(members).version?.name else { return nil }
        guard let name = ShapeName(stated), name.fingerprint.map(Schema.isFingerprint) ?? true else { return nil }
        return plan.index(of: name) == nil ? name : nil
    }
}

/// Recognizes version numbers without a fingerprint, if several shapes were shipped under the number.
extension ChangeReader {
    /// Returns the version that the change states, as an index in `plan.shapes`, if the client seems to mean another
    /// shape with the same version number. Returns `nil` for any other change.
    ///
    /// The client seems to mean another shape if it states the number without a fingerprint, and uses the name of an
    /// entity or attribute that only the other shape has. The check costs as much as reading a change, so it is made
    /// only for refused changes.
    func versionMistaken(in change: JSONNode) -> Int? {
        guard let members = change.members else { return nil }
        let parts = ChangeMembers(members)
        guard let version = versionStatedAlone(parts.version), let entity = parts.entity else { return nil }
        let others = plan.shapes.indices.filter { $0 != version && plan.version(of: $0) == version }
            .compactMap { plan.projection(version: $0, named: entity) }
        if others.isEmpty { return nil }
        guard let own = plan.projection(version: version, named: entity) else { return version }
        for part in [parts.fields, parts.increments] {
            guard let members = part?.members else { continue }
            for member in members {
                guard let name = member.name, !own.has(name) else { continue }
                if others.contains(where: { $0.has(name) }) { return version }
            }
        }
        return nil
    }

    /// Returns the version in which a change is written, as an index in `plan.shapes`, if it is stated without a
    /// fingerprint. Returns `nil` if it has a fingerprint, or if the plan does not have the version.
    ///
    /// - Parameter node: the version that the change states. If it states none, the version of the request applies.
    private func versionStatedAlone(_ node: JSONNode?) -> Int? {
        guard let node, !node.isNull else { return statesFingerprint ? nil : version }
        guard let name = node.name.flatMap({ ShapeName($0) }), name.fingerprint == nil else { return nil }
        return plan.index(of: name)
    }
}

extension Projection {
    /// Returns true if a change in this version may use the name, for an attribute or for the record's id.
    fileprivate func has(_ name: String) -> Bool {
        name == identity || field(named: name) != nil
    }
}
