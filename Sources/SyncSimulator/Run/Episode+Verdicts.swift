import SyncModel
import WireFormats

/// Checks of the server's verdicts on pushed changes. Accepted changes are applied to the model.
extension Episode {
    /// Checks the verdicts of a push, and applies the accepted changes to the model. Every verdict except `rejected`
    /// means that the server has the change; `held` means that it will merge the change later.
    func accept(
        _ changes: [Change], _ answer: PushReply, of request: Request, isGiven: Bool
    ) throws {
        judge.beginPush()
        for (change, result) in zip(changes, answer.results) {
            tally.verdicts[result.verdict.rawValue, default: 0] += 1
            story.answer(change, result.verdict.rawValue, to: request.device, isGiven: isGiven)
            switch result.verdict {
            case .rejected:
                guard isRejectable(change, result) else {
                    throw Breach("rejected as ‘\(result.code ?? "")’ (\(result.detail ?? "")): \(change)")
                }
            case .held:
                guard isHoldable(change, result, among: changes) else {
                    throw Breach("held as ‘\(result.code ?? "")’ (\(result.detail ?? "")): \(change)")
                }
            case .applied, .merged, .superseded, .unchanged: break
            }
            guard result.verdict == .rejected || change.fields[Episode.unknownAttribute] == nil else {
                throw Breach("an attribute that no version has was \(result.verdict): \(change)")
            }
            let isNews = try verdicts.note(result, of: change, counting: counts(change), in: request)
            let stamp = result.stamp ?? change.stamp
            if result.verdict == .held {
                let readings = try judge.readings(
                    of: change, at: stamp, of: request.sender, isWhole: request.isWhole,
                    isHeld: readings.isHeld(change, of: request, numbers: numbersBefore, plan))
                quarantined.take(change, at: stamp, of: request, readings)
            } else if isNews {
                try judge.take(
                    change, at: change.isStamped ? stamp : try stampGiven(to: change), of: request.sender,
                    isWhole: request.isWhole,
                    isHeld: readings.isHeld(change, of: request, numbers: numbersBefore, plan))
            }
        }
    }

    /// Returns true if a change sets or increments an attribute that is a counter in any version.
    func counts(_ change: Change) -> Bool {
        if !change.increments.isEmpty { return true }
        let fields = vocabulary(change.version).entity(change.key.entity)?.fields ?? []
        return fields.contains { $0.counts.somewhere && change.fields[$0.name] != nil }
    }

    private func isRejectable(_ change: Change, _ result: PushReply.Result) -> Bool {
        switch result.code.flatMap(RejectionCode.init(rawValue:)) {
        case .unique: true
        case .denied, .massDeletion: change.operation == .delete
        case .unknownID: saysKeys(change)
        case .unknownAttribute: change.fields[Episode.unknownAttribute] != nil
        default: false
        }
    }

    /// Returns true if a change contains the UUID of a record that has a text id in other versions.
    ///
    /// Devices of versions with UUID ids send such UUIDs. In the simulation, a device may send one before the server
    /// knows the record. A real device sends only UUIDs that it has received.
    func saysKeys(_ change: Change) -> Bool {
        guard let entity = vocabulary(change.version).entity(change.key.entity) else { return false }
        if entity.texts == nil, names.isMade(change.key.id) { return true }
        return entity.fields.contains { field in
            guard field.texts == nil, case .uuid(let key)? = change.fields[field.name] else { return false }
            return names.isMade(key)
        }
    }

    /// Returns the stamp that the server gave to a change without one. It is the record's latest stamp, because the
    /// server makes it later than all others of the record.
    ///
    /// - Throws: `Breach` if no version that the server serves shows the record.
    private func stampGiven(to change: Change) throws -> Stamp {
        let entity = plan.projection(version: change.version, named: change.key.entity)?.entity
        let version = entity.flatMap { entity in
            isServed(change.version) ? change.version : servedVersions(with: entity).last
        }
        guard let version else { throw Breach("no version is served that has what was taken: \(change)") }
        let before = numberReaders[version]?.numbers[change.key.id]
        try read(&numberReaders[version, default: NumberReader()], in: version)
        if numberReaders[version]?.numbers[change.key.id] == before {
            // The change was no news: a new stamp of a dead record alone is not sent.
            var reader = NumberReader()
            try read(&reader, in: version)
            numberReaders[version] = reader
        }
        guard let stamp = numberReaders[version]?.stamps[change.key.id] else {
            throw Breach("nobody is told of what was taken: \(change)")
        }
        return stamp
    }

    /// Returns the indices of the versions that the server serves and that have the entity.
    ///
    /// - Parameter entity: the entity's index in `Plan.hub`.
    func servedVersions(with entity: Int) -> [Int] {
        plan.shapes.indices.filter { isServed($0) && plan.projections[$0][entity] != nil }
    }
}
