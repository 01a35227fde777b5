/// One event of a simulation. It names devices by number, and has its own seed for everything else. So its random
/// choices do not depend on other steps, and any part of a list of steps can be run by itself.
package struct Step: Codable, Sendable, Hashable {
    package let kind: Kind
    /// The device's number, taken modulo the number of devices.
    package let device: Int
    package let fault: Fault?
    /// The seed of all other random choices of the step.
    package let seed: UInt64
    /// The time of the step in milliseconds since the run began, before the errors of the devices' clocks.
    package let time: Int64

    package init(_ kind: Kind, device: Int = 0, fault: Fault? = nil, seed: UInt64 = 0, time: Int64) {
        self.kind = kind
        self.device = device
        self.fault = fault
        self.seed = seed
        self.time = time
    }

    /// The kind of event.
    package enum Kind: String, Codable, Sendable {
        /// A user changes something on a device, which may be without a network.
        case edit
        /// A device deletes most of the records that its user sees.
        case wipe
        case push
        /// A pull of one page, or of all pages.
        case pull
        /// A push and a pull in one round trip.
        case sync
        /// Several devices push, pull or sync at once.
        case burst
        /// A delayed request arrives.
        case arrive
        /// Two requests of one device are sent at once.
        case overlap
        /// A push that was answered arrives once more.
        case again
        /// A device is backed up.
        case backup
        /// A device is restored from a backup, its own or another's.
        case restore
        /// An observer (a client that only reads) pulls and remembers a cursor.
        case observe
        case upgrade
        /// The app goes back to an older version.
        case downgrade
        /// A device's version is retired, and its user updates the app.
        case retire
        case reinstall
        /// Old deletions are garbage-collected on the server.
        case collect
        /// The operator removes the cause of the refusals, and replays the quarantine.
        case replay
        /// The operator renews the epoch.
        case renew
        /// The server's process is killed in the middle of a device's sync.
        case kill
        /// PostgreSQL crashes in the middle of a device's sync.
        case crash
        /// The server's plan and database are migrated to the newest version.
        case migrate
        /// All faults end, every device syncs, and all must have the same records.
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
