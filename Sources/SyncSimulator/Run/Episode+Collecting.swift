import SyncModel
import WireFormats

/// Garbage collection: the server forgets old deletions, and other data that it keeps only for a time.
extension Episode {
    /// Lets the server forget old deletions. Devices that are online then pull from their cursors, which may have
    /// expired.
    ///
    /// Some devices are offline meanwhile. Later they send edits of records that the server has forgotten, and changes
    /// whose verdicts it has forgotten. Users make new edits only of records that still exist.
    ///
    /// Records that were deleted with each other in a ring stay, both in the server's tables and in the model.
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
