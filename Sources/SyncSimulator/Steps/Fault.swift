/// A kind of fault in a simulation.
package enum Fault: String, Codable, Sendable, CaseIterable {
    /// Loses a request before it reaches the server.
    case dropRequest = "drop-request"
    /// Loses the answer to a request that the server has processed.
    case dropResponse = "drop-response"
    /// Delivers a request twice.
    case duplicate
    /// Delivers a request much later, while its device waits for the answer.
    case delay
    /// Delivers a request much later, when its device has given up waiting and has sent newer requests.
    case reorder
    /// Ends the connection in the middle of a request or of its answer.
    case cut
    /// Kills the server's process while it processes a request, and starts it again.
    case kill
    /// Crashes PostgreSQL while the server processes a request, and lets it recover.
    case database
    /// Gives the devices wrong clocks.
    case skew
    /// Updates apps to newer versions.
    case upgrade
    /// Deletes apps, and installs them again.
    case reinstall
    /// Removes old deletions on the server (garbage collection), so that cursors expire.
    case gc
    /// Makes the database refuse values that the versions allow, until its operator removes the cause.
    case refusal
    /// Renews the database's epoch (the mark of its history), as after a restoration.
    case epoch
    /// Starts the server with an older plan, and migrates it in the middle of the run.
    case migration

    /// Restores devices from backups of themselves, or sets them up from backups of other devices.
    case restore
    /// Lets some devices send whole records (all attributes), with the header `Change-Mode: whole`.
    case whole
    /// Lets some devices send changes without stamps, as if they had no clock.
    case unstamped
    /// Lets devices with a clock send some of their changes without a stamp, and others with one.
    case mixed
    /// Lets devices change one record with equal stamps.
    case tie
    /// Delivers an answered push again, at any later time.
    case again
    /// Lets a device send two requests at once, and delivers the answers in any order.
    case overlap
    /// Starts two servers over the database; each request goes to one of them.
    case servers
    /// Serves spaces from two databases, and moves the space from one to the other while devices sync. Some moves are
    /// killed, and then continued or undone.
    case databases
    /// Replaces apps by older versions.
    case downgrade
    /// Retires versions while devices use them; the devices' users then update their apps.
    case retirement
    /// Lets a device lose most of its records, and send deletions of them as if its user had deleted them.
    case wipe

    /// Checks that the order of arrival does not matter: at each check, the same changes are pushed into two new
    /// spaces, in different orders.
    case order

    /// The faults that affect a single request.
    static let ofRequests: [Fault] = [.dropRequest, .dropResponse, .duplicate, .delay, .reorder, .cut]

    /// Parses a set of faults from `all`, `none`, or names separated by commas.
    ///
    /// - Returns: the faults; `nil` if a word is not the name of a fault. A name after a minus is removed from the set,
    ///   as in `all,-migration`.
    package static func set(_ text: String) -> Set<Fault>? {
        var faults: Set<Fault> = []
        for word in text.split(separator: ",") {
            switch word {
            case "all": faults.formUnion(allCases)
            case "none": break
            default:
                let isLeftOut = word.first == "-"
                guard let fault = Fault(rawValue: String(word.drop { $0 == "-" })) else { return nil }
                if isLeftOut { faults.remove(fault) } else { faults.insert(fault) }
            }
        }
        return faults
    }
}
