import WireFormats

/// What becomes of the devices' apps.
extension Episode {
    func upgrade(_ number: Int, using random: inout SplitMix64) {
        let version = devices[number].version
        guard !isWaiting(number), version < plan.newest else { return }
        let newer = version + 1 + random.below(plan.newest - version)
        let migrates = random.below(2) == 0
        let migration = LightweightMigration<Value>(plan, content: { $0 }, isNull: \.isNull)
        devices[number].update(to: vocabulary(newer), migrating: migrates ? migration : nil)
        if !observers.contains(where: { $0.version == newer }) { observers.append(Observer(version: newer)) }
    }

    /// The app's older version, which cannot read what the newer one has stored. It may still have the cursor.
    func downgrade(_ number: Int, using random: inout SplitMix64) {
        let version = devices[number].version
        guard !isWaiting(number), version > 0, version <= plan.newest else { return }
        let older = random.below(version)
        devices[number].goBack(to: older, keepingCursor: random.below(2) == 0)
        if !observers.contains(where: { $0.version == older }) { observers.append(Observer(version: older)) }
    }
}
