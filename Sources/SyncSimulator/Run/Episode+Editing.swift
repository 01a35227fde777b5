import SyncModel
import WireFormats

extension Episode {
    /// New records of an entity come until there are so many; few, so that devices meet in them.
    private static let recordsPerEntity = 8
    /// An attribute that no version has.
    static let unknownAttribute = "no such attribute"

    /// A user does something on a device; perhaps something that the database refuses.
    func edit(_ number: Int, at time: Int64, _ fault: Fault?, using random: inout SplitMix64) {
        let vocabulary = self.vocabulary(devices[number].version)
        let refused = fault == .refusal ? refusedField(in: vocabulary) : nil
        let entity = refused?.entity ?? vocabulary.entities[random.below(vocabulary.entities.count)]
        let key = ModelKey(entity: entity.name, id: id(of: entity, using: &random))
        let shown = devices[number].shown(key, vocabulary)
        let operation = self.operation(isShown: shown != nil, using: &random)
        var fields: [String: Value] = [:]
        switch operation {
        case .delete: break
        case .create:
            for place in entity.fields.indices where !entity.fields[place].isOmissible || random.below(5) < 3 {
                fields[entity.fields[place].name] = value(place, of: entity, using: &random)
            }
        case .update:
            if entity.fields.isEmpty { return }
            if devices[number].sendsWholeRecords { fields = shown ?? [:] }
            for _ in 0...random.below(2) {
                let place = random.below(entity.fields.count)
                fields[entity.fields[place].name] = value(place, of: entity, using: &random)
            }
            // What becomes of a bad change must not become of others.
            if random.below(200) == 0 { fields[Episode.unknownAttribute] = .null }
        }
        if let refused, operation != .delete { fields[refused.attribute] = .string(refused.text) }
        let stamp = devices[number].nextStamp(at: start + time)
        changeCount += 1
        let change = Change(
            number: changeCount, key: key, operation: operation, stamp: stamp, fields: fields,
            version: devices[number].version)
        story.make(change, on: number)
        devices[number].make(change)
    }

    private func refusedField(
        in vocabulary: Vocabulary
    ) -> (entity: Vocabulary.Entity, attribute: String, text: String)? {
        guard let refusal, let text = refusal.text, let attribute = refusal.attributes[vocabulary.place],
            let entity = vocabulary.entities.first(where: { $0.identity == refusal.column.entity })
        else { return nil }
        return (entity, attribute, text)
    }

    private func operation(isShown: Bool, using random: inout SplitMix64) -> ModelChange.Operation {
        let dice = random.below(100)
        if isShown { return dice < 80 ? .update : dice < 92 ? .delete : .create }
        return dice < 85 ? .create : dice < 96 ? .update : .delete
    }

    private func id(of entity: Vocabulary.Entity, using random: inout SplitMix64) -> ID {
        if let singleton = entity.singleton { return singleton }
        let known = pool[entity.identity] ?? []
        let isNew = known.count < Episode.recordsPerEntity && random.below(3) == 0
        if !known.isEmpty, !isNew { return known[random.below(known.count)] }
        let id = ID.random(using: &random)
        pool[entity.identity, default: []].append(id)
        return id
    }

    /// References lead to what there is, and to what is yet to come.
    private func value(_ place: Int, of entity: Vocabulary.Entity, using random: inout SplitMix64) -> Value {
        let field = entity.fields[place]
        guard case .reference = field.type.kind else { return entity.generator.value(place, using: &random) }
        guard let target = field.target, random.below(8) > 0 else { return .null }
        let known = pool[target] ?? []
        if !known.isEmpty, random.below(8) > 0 { return .uuid(known[random.below(known.count)]) }
        let id = ID.random(using: &random)
        pool[target, default: []].append(id)
        return .uuid(id)
    }
}
