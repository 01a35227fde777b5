/// One thing that happens in a simulation. It refers to devices by their numbers, and to records by a seed of its own,
/// so that what it does depends on nothing that another step drew: any part of a list of steps can be run by itself.
package struct Step: Codable, Sendable, Hashable {
    package let kind: Kind
    /// Taken modulo what there is.
    package let device: Int
    package let fault: Fault?
    /// Everything else that it draws.
    package let seed: UInt64
    /// When it happens, in the devices' time: milliseconds since the run began.
    package let time: Int64

    package init(_ kind: Kind, device: Int = 0, fault: Fault? = nil, seed: UInt64 = 0, time: Int64) {
        self.kind = kind
        self.device = device
        self.fault = fault
        self.seed = seed
        self.time = time
    }

    /// What happens.
    package enum Kind: String, Codable, Sendable {
        /// A user changes something on a device, which may be without a network.
        case edit
        /// A device deletes most of what it shows.
        case wipe
        case push
        /// A page or all.
        case pull
        /// Both in one round trip.
        case sync
        /// Several devices do one of these at once.
        case burst
        /// A request that was held up arrives.
        case arrive
        /// Two requests of one device at once.
        case overlap
        /// A push that was answered arrives once more.
        case again
        /// A device is backed up.
        case backup
        /// A device is put back from a backup, its own or another's.
        case restore
        /// Somebody reads along and remembers a cursor.
        case observe
        case upgrade
        /// The app goes back to an older version.
        case downgrade
        /// A device's version is retired, and its user updates the app.
        case retire
        case reinstall
        /// Deletions are collected.
        case collect
        /// The operator fixes what made the database refuse values, and replays what was held.
        case replay
        /// The operator begins a new epoch.
        case renew
        /// The server's process is killed in the middle of a device's sync.
        case kill
        /// PostgreSQL crashes in the middle of a device's sync.
        case crash
        /// The server's plan and database become the newest.
        case migrate
        /// All faults end, everyone syncs, and all must be equal.
        case check
    }
}

extension Step: CustomStringConvertible {
    package var description: String {
        let who =
            [.migrate, .collect, .replay, .renew, .check, .arrive, .burst, .observe, .again].contains(kind)
            ? "" : " device \(device)"
        return "\(time) ms: \(kind)\(who)\(fault.map { ", \($0.rawValue)" } ?? ""), seed \(seed)"
    }
}
