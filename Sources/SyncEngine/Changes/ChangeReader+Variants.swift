import WireFormats

/// Versions that a newer server may know.
extension ChangeReader {
    /// The version that the change states and that the plan does not have; `nil` for what is no version at all, such as
    /// one with a fingerprint that no shape can have. To be asked of every change that was refused: what else is wrong
    /// with it, only a server can say that knows the version.
    func versionUnknown(in change: JSONNode) -> ShapeName? {
        guard let members = change.members, let stated = ChangeMembers(members).version?.name else { return nil }
        guard let name = ShapeName(stated), name.fingerprint.map(Schema.isFingerprint) ?? true else { return nil }
        return plan.index(of: name) == nil ? name : nil
    }
}

/// Numbers alone, where several shapes were shipped under them.
extension ChangeReader {
    /// The version whose number the change states without a fingerprint, where it names an entity or an attribute that
    /// the version does not have and another shape of that number does: its client has that one. `nil` for any other.
    ///
    /// To be asked of changes that were refused; costs as much as reading them.
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

    /// The version that a change is written in, where nobody says by a fingerprint that it is this shape.
    private func versionStatedAlone(_ node: JSONNode?) -> Int? {
        guard let node, !node.isNull else { return statesFingerprint ? nil : version }
        guard let name = node.name.flatMap({ ShapeName($0) }), name.fingerprint == nil else { return nil }
        return plan.index(of: name)
    }
}

extension Projection {
    /// Whether a client of the version may send something of this name.
    fileprivate func has(_ name: String) -> Bool {
        name == identity || field(named: name) != nil
    }
}
