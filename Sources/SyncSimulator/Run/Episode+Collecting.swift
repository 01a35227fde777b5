import SyncModel
import WireFormats

/// Collection of old deletions and of other data that the server forgets.
extension Episode {
    /// Lets the server collect deletions. Devices with a network read on from their cursors afterwards, perhaps too
    /// late. Devices without a network later send edits of records that the server no longer knows, and changes that it
    /// no longer remembers to have judged. New edits are made only of living records: by the rules, a ring of records
    /// that were deleted with each other stays in the tables, but the model forgets it.
    func collect(using random: inout SplitMix64) async throws {
        if site.isHeldBack { return }
        // Some devices are offline meanwhile, and some requests arrive only after the collection.
        let offline = Set(devices.indices.filter { _ in random.below(4) == 0 })
        held = held.filter { _ in random.below(2) == 0 }
        try await replayQuarantine()
        for number in devices.indices where !offline.contains(number) {
            try await settleAll(number, using: &random, pulling: false)
        }
        try await site.collect(app: plan.app, space: route.space)
        judge.forgetDead()
        verdicts.forget()
        received = []
        numberReaders = [:]
        hasCollected = true
        for number in devices.indices where !offline.contains(number) {
            try await settleAll(number, using: &random, pulling: true)
        }
        for index in observers.indices { observers[index] = Observer(version: observers[index].version) }
        let living = try read(Observer(version: plan.newest), using: &random).store
        let names = Dictionary(
            uniqueKeysWithValues: vocabulary(plan.newest).entities.map { ($0.identity, $0.name) })
        for (identity, ids) in pool {
            guard let name = names[identity] else {
                pool[identity] = []
                continue
            }
            pool[identity] = ids.filter { living[ModelKey(entity: name, id: $0)] != nil }
        }
        try await beginToRefuse()
    }
}
