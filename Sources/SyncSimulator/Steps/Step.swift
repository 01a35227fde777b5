/// One event of a simulation. It names devices by number, and has a seed of its own for all other choices. So it does
/// not depend on other steps, and any part of a list of steps can be run by itself.
package struct Step: Codable, Sendable, Hashable {
    package let kind: Kind
    /// The number that chooses the device: its index is `device % devices.count`.
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
        /// Lets a user change something on a device, which may be offline.
        case edit
        /// Deletes most of a device's records, as if its user had deleted them.
        case wipe
        case push
        /// Pulls one page.
        case pull
        /// Pushes and pulls in one request.
        case sync
        /// Sends a push, pull or sync from each of several devices at the same time.
        case burst
        /// Delivers a delayed request.
        case arrive
        /// Sends two requests of one device at once.
        case overlap
        /// Delivers an answered push again.
        case again
        /// Makes a backup of a device.
        case backup
        /// Restores a device from a backup, its own or another device's.
        case restore
        /// Lets an observer (a client that only reads) pull a page, and sometimes remember its cursor.
        case observe
        case upgrade
        /// Replaces a device's app by an older version.
        case downgrade
        /// Retires a device's version; its user then updates the app.
        case retire
        case reinstall
        /// Removes old deletions on the server (garbage collection).
        case collect
        /// Lets the operator remove the cause for which the database refuses a value, and replay the quarantine.
        case replay
        /// Lets the operator renew the database's epoch (the mark of its history).
        case renew
        /// Kills the server's process in the middle of a device's sync.
        case kill
        /// Crashes PostgreSQL in the middle of a device's sync.
        case crash
        /// Moves the space to the other database while devices sync.
        case move
        /// Migrates the server's plan and database to the newest version.
        case migrate
        /// Ends all faults, lets every device sync, and checks that all have the same records.
        case check
    }
}

extension Step: CustomStringConvertible {
    package var description: String {
        let who =
            [.migrate, .move, .collect, .replay, .renew, .check, .arrive, .burst, .observe, .again].contains(kind)
            ? "" : " device \(device)"
        return "\(time) ms: \(kind)\(who)\(fault.map { ", \($0.rawValue)" } ?? ""), seed \(seed)"
    }
}
