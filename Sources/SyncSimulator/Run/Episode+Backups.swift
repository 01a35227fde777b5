import WireFormats

/// Phones that are put back from a backup, or set up from another's.
extension Episode {
    /// Each is tried at every check.
    private static let backupsMax = 5

    func backUp(_ number: Int, using random: inout SplitMix64) {
        if backups.count < Episode.backupsMax {
            backups.append(devices[number])
        } else {
            backups[random.below(Episode.backupsMax)] = devices[number]
        }
    }

    /// From one of its own as often as from another's, where it has one: then there are two of a kind.
    func restore(_ number: Int, using random: inout SplitMix64) {
        let own = backups.filter { $0.number == number }
        let possible = own.isEmpty || random.below(2) == 0 ? backups : own
        guard !possible.isEmpty else { return }
        let backup = possible[random.below(possible.count)]
        devices[number] = backup.restored(on: number, as: .random(using: &random))
        if !observers.contains(where: { $0.version == backup.version }) {
            observers.append(Observer(version: backup.version))
        }
    }
}

extension Episode {
    /// What a device holds that was put back from a backup and has pulled. It still says that it is the same device:
    /// what is pulled must not depend on that. What its user did is another matter, see `restore`.
    func readOn(_ backup: Device, using random: inout SplitMix64) async throws -> Device {
        devices.append(backup.withoutOutbox().restored(on: devices.count, as: backup.id))
        defer { devices.removeLast() }
        try await settleAll(devices.count - 1, using: &random, pulling: true)
        return devices[devices.count - 1]
    }
}
