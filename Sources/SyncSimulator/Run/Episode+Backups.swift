import WireFormats

/// Backups of devices. A device may be restored from its own backup, or set up from another device's backup.
extension Episode {
    /// The maximum number of device backups that a run keeps. At every check, a device is restored from each backup and
    /// must sync correctly, which takes time.
    private static let backupsMax = 5

    func backUp(_ number: Int, using random: inout SplitMix64) {
        if backups.count < Episode.backupsMax {
            backups.append(devices[number])
        } else {
            backups[random.below(Episode.backupsMax)] = devices[number]
        }
    }

    /// Restores a device from a backup that is chosen at random. In half of the cases, only the device's own backups
    /// are considered, if it has any.
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
    /// Restores a device from a backup, lets it pull all records, and returns it. The user's unsent changes are left
    /// out.
    ///
    /// The device keeps its old `Device-Id` here. Pulls must have the same content, whether or not a device has a new
    /// id.
    func readOn(_ backup: Device, using random: inout SplitMix64) async throws -> Device {
        devices.append(backup.withoutOutbox().restored(on: devices.count, as: backup.id))
        defer { devices.removeLast() }
        try await settleAll(devices.count - 1, using: &random, pulling: true)
        return devices[devices.count - 1]
    }
}
