import StrictJSON
import WireFormats

/// Recognizes versions that a newer server may know.
extension ChangeReader {
    /// Returns the version that the change states, if the plan does not have it; `nil` if the text is no version at
    /// all, for example because no shape can have its fingerprint. To be called for every refused change: only a server
    /// that has the version can tell what else is wrong with the change.
    func versionUnknown(in change: JSONNode) -> ShapeName? {
        guard let members = change.members, let stated = ChangeMembers(members).version?.name else { return nil }
        guard let name = ShapeName(stated), name.fingerprint.map(Schema.isFingerprint) ?? true else { return nil }
        return plan.index(of: name) == nil ? name : nil
    }
}

/// Recognizes version numbers without a fingerprint, if several shapes were shipped under the number.
extension ChangeReader {
    /// Returns the version whose number the change states without a fingerprint, if the change names an entity or an
    /// attribute that only another shape of that number has: the client has that shape. Returns `nil` for any other
    /// change.
    ///
    /// To be called for refused changes; costs as much as reading them.
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

    /// Returns the version in which a change is written, as an index in `plan.shapes`; `nil` if a fingerprint is stated
    /// for it, or if the plan does not have the version.
    ///
    /// - Parameter node: the version that the change states; if it states none, it is written in the request's version.
    private func versionStatedAlone(_ node: JSONNode?) -> Int? {
        guard let node, !node.isNull else { return statesFingerprint ? nil : version }
        guard let name = node.name.flatMap({ ShapeName($0) }), name.fingerprint == nil else { return nil }
        return plan.index(of: name)
    }
}

extension Projection {
    /// Returns true if a client of the version may send an attribute of this name, or the id under this name.
    fileprivate func has(_ name: String) -> Bool {
        name == identity || field(named: name) != nil
    }
}
