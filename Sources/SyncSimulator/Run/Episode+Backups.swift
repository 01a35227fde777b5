import WireFormats

/// Devices that are restored from a backup of themselves, or set up from another device's backup.
extension Episode {
    /// The maximum number of device backups that a run keeps. At every check each is restored and must sync correctly.
    private static let backupsMax = 5

    func backUp(_ number: Int, using random: inout SplitMix64) {
        if backups.count < Episode.backupsMax {
            backups.append(devices[number])
        } else {
            backups[random.below(Episode.backupsMax)] = devices[number]
        }
    }

    /// Restores a device from a backup: in half of the cases from a backup of any device, else from one of its own, if
    /// there is one. A copy of another device makes two devices with the same data.
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
    /// Returns the state of a device that was restored from a backup and has pulled. It keeps its `Device-Id`: the
    /// content of pulls must not depend on the id. For the user's unsent changes see `restore`.
    func readOn(_ backup: Device, using random: inout SplitMix64) async throws -> Device {
        devices.append(backup.withoutOutbox().restored(on: devices.count, as: backup.id))
        defer { devices.removeLast() }
        try await settleAll(devices.count - 1, using: &random, pulling: true)
        return devices[devices.count - 1]
    }
}
