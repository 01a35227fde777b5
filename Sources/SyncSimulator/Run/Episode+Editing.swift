import SyncModel
import WireFormats

extension Episode {
    /// The number of records of an entity at which users stop creating new ones. It is small, so that devices often
    /// edit the same records.
    private static let recordsPerEntity = 8
    /// A name of an attribute that no version has.
    static let unknownAttribute = "no such attribute"

    /// Lets a user change one record on a device. With the fault `refusal` the change contains a value that the
    /// database refuses.
    ///
    /// - Parameters:
    ///   - number: the device's index in the fleet.
    ///   - time: milliseconds since the run began.
    func edit(_ number: Int, at time: Int64, _ fault: Fault?, using random: inout SplitMix64) {
        let vocabulary = self.vocabulary(devices[number].version)
        let isRefused = fault == .refusal && devices[number].manner != .unstamped
        let refused = isRefused ? refusedField(in: vocabulary) : nil
        let entity = refused?.entity ?? vocabulary.entities[random.below(vocabulary.entities.count)]
        let key = ModelKey(entity: entity.name, id: id(of: entity, by: number, using: &random))
        let shown = devices[number].shown(key, vocabulary)
        let operation = self.operation(isShown: shown != nil, using: &random)
        var fields: [String: Value] = [:]
        var increments: [String: Int64] = [:]
        switch operation {
        case .delete: break
        case .create:
            let saysAll = devices[number].manner == .wholes
            for index in entity.fields.indices
            where saysAll || !entity.fields[index].isOmissible || random.below(5) < 3 {
                fields[entity.fields[index].name] = value(index, of: entity, by: number, using: &random)
            }
        case .update:
            if entity.fields.isEmpty { return }
            let manner = devices[number].manner
            if [.echoes, .wholes].contains(manner) { fields = shown ?? [:] }
            for _ in 0...random.below(2) {
                let index = random.below(entity.fields.count)
                let field = entity.fields[index]
                if !field.counts.here {
                    fields[field.name] = value(index, of: entity, by: number, using: &random)
                } else if manner != .unstamped {
                    increments[field.name] = Int64(random.below(9)) - 3
                }
            }
            // Only a whole record may repeat a counter.
            for field in entity.fields where field.counts.here && (manner != .wholes || increments[field.name] != nil) {
                fields[field.name] = nil
            }
            // A bad change must be rejected without affecting others.
            if random.below(200) == 0 { fields[Episode.unknownAttribute] = .null }
        }
        if let refused, operation != .delete { fields[refused.attribute] = .string(refused.text) }
        if operation == .update, fields.isEmpty, increments.isEmpty { return }
        make(operation, key, fields, increments, by: number, at: time, using: &random)
    }

    /// Deletes most records on a device. A device does so if it has lost its store, and mistakes the missing records
    /// for deletions by its user. The server refuses so many deletions by one user, unless the space has far more
    /// records.
    func wipe(_ number: Int, at time: Int64, using random: inout SplitMix64) {
        let keys = devices[number].base.keys.sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
        let share = 50 + random.below(50)
        for key in keys where random.below(100) < share {
            make(.delete, key, [:], [:], by: number, at: time, using: &random)
        }
    }

    private func make(
        _ operation: ModelChange.Operation, _ key: ModelKey, _ fields: [String: Value],
        _ increments: [String: Int64], by number: Int, at time: Int64, using random: inout SplitMix64
    ) {
        let stamp = stamp(of: key.id, by: number, at: time, using: &random)
        changeCount += 1
        var change = Change(
            number: changeCount, key: key, operation: operation, stamp: stamp,
            isStamped: devices[number].manner != .unstamped, fields: fields, increments: increments,
            version: devices[number].version)
        // Increments and held changes are identified by their stamps.
        if faults.contains(.mixed), random.below(6) == 0, !counts(change), refusal?.isEverMet(by: change) != true {
            change.isStamped = false
        }
        story.make(change, on: number)
        devices[number].make(change)
    }

    /// Returns the stamp for a new change on a device. It is the next stamp of the device's clock.
    ///
    /// If the simulation has the fault `tie`, it is sometimes the stamp of the record's latest edit on any device.
    private func stamp(
        of id: ID, by number: Int, at time: Int64, using random: inout SplitMix64
    ) -> Stamp {
        var stamp: Stamp?
        if random.below(4) == 0, faults.contains(.tie), let other = lastStamps[id],
            other.milliseconds < start + time + Episode.tiedMaxMilliseconds
        {
            stamp = devices[number].nextStamp(equalTo: other)
        }
        let made = stamp ?? devices[number].nextStamp(at: start + time)
        lastStamps[id] = made
        return made
    }

    /// The most by which a stamp that is used for a tie may be ahead of the current time, in milliseconds. The server
    /// replaces stamps that are too far ahead, and then there would be no tie.
    private static let tiedMaxMilliseconds: Int64 = 200_000

    private func refusedField(
        in vocabulary: Vocabulary
    ) -> (entity: Vocabulary.Entity, attribute: String, text: String)? {
        guard let refusal, let text = refusal.text, let attribute = refusal.attributes[vocabulary.index],
            let entity = vocabulary.entities.first(where: { $0.identity == refusal.column.entity })
        else { return nil }
        return (entity, attribute, text)
    }

    private func operation(isShown: Bool, using random: inout SplitMix64) -> ModelChange.Operation {
        let dice = random.below(100)
        if isShown { return dice < 80 ? .update : dice < 92 ? .delete : .create }
        return dice < 85 ? .create : dice < 96 ? .update : .delete
    }

    private func id(of entity: Vocabulary.Entity, by number: Int, using random: inout SplitMix64) -> ID {
        if let singleton = entity.singleton { return singleton }
        let known = known(entity, by: number)
        let isNew = known.count < Episode.recordsPerEntity && random.below(3) == 0
        if !known.isEmpty, !isNew { return known[random.below(known.count)] }
        return newID(of: entity.identity, entity.texts, using: &random)
    }

    /// Draws a value for a field. A reference leads to an existing record, to one that does not exist yet, or to none.
    ///
    /// - Parameters:
    ///   - index: the field's index in the entity.
    ///   - number: the index of the device that writes the value.
    private func value(
        _ index: Int, of entity: Vocabulary.Entity, by number: Int, using random: inout SplitMix64
    ) -> Value {
        let field = entity.fields[index]
        // Sums of larger numbers would overflow.
        if field.counts.somewhere { return .int(Int64(random.below(100))) }
        guard case .reference = field.type.kind else { return entity.generator.value(index, using: &random) }
        guard let target = field.target, random.below(8) > 0 else { return .null }
        let vocabulary = self.vocabulary(devices[number].version)
        let known = vocabulary.entities.first { $0.identity == target }.map { self.known($0, by: number) } ?? []
        if !known.isEmpty, random.below(8) > 0 { return .uuid(known[random.below(known.count)]) }
        return .uuid(newID(of: target, field.texts, using: &random))
    }

    /// Returns the ids of the entity's records to which a change on a device may refer.
    ///
    /// If the device's version has UUID ids, a record with a text id is included only after the server has sent it,
    /// because the device cannot know its UUID before.
    private func known(_ entity: Vocabulary.Entity, by number: Int) -> [ID] {
        let known = pool[entity.identity] ?? []
        if entity.texts != nil { return known }
        return known.filter {
            !names.isMade($0) || devices[number].base[ModelKey(entity: entity.name, id: $0)] != nil
        }
    }

    private func newID(of entity: Int, _ texts: TextNames.Domain?, using random: inout SplitMix64) -> ID {
        let id = texts.map { names.draw(in: $0, using: &random) } ?? ID.random(using: &random)
        pool[entity, default: []].append(id)
        return id
    }
}
