/// A kind of fault in a simulation.
package enum Fault: String, Codable, Sendable, CaseIterable {
    /// A request never arrives.
    case dropRequest = "drop-request"
    /// A request is processed, and its answer never arrives.
    case dropResponse = "drop-response"
    /// A request arrives twice.
    case duplicate
    /// A request arrives much later, while its device waits for the answer.
    case delay
    /// A request arrives much later. Its device has given up waiting and sent newer requests.
    case reorder
    /// The connection ends in the middle of a request or of its answer.
    case cut
    /// The server's process is killed while it processes a request, and started again.
    case kill
    /// PostgreSQL crashes while a request is processed, and recovers.
    case database
    /// Devices' clocks are wrong.
    case skew
    /// Apps are updated.
    case upgrade
    /// Apps are deleted and installed again.
    case reinstall
    /// Old deletions are garbage-collected on the server, so that cursors expire.
    case gc
    /// The database refuses values that the versions allow, until its operator removes the cause.
    case refusal
    /// The database gets another epoch, as after a restoration.
    case epoch
    /// The server begins with an older plan, and is migrated in the middle of the run.
    case migration

    /// Devices are restored from backups of themselves, or set up from backups of other devices.
    case restore
    /// Some devices send whole records, with the header `Change-Mode: whole`.
    case whole
    /// Some devices have no clock, and give their changes no stamps.
    case unstamped
    /// Devices with a clock give some of their changes no stamp, beside others that have one.
    case mixed
    /// Devices make changes of one record with equal stamps.
    case tie
    /// A push that was answered arrives once more, at any later time.
    case again
    /// A device has two requests in flight, and receives the answers in any order.
    case overlap
    /// Two servers serve the database, and each request goes to one of them.
    case servers
    /// Apps go back to an older version.
    case downgrade
    /// Versions are retired while devices use them, which then update their apps.
    case retirement
    /// A device loses most of its records, and sends deletions of them as if its user had deleted them.
    case wipe

    /// At each check the same changes are pushed into two other spaces, into each in another order.
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
