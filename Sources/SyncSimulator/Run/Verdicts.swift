import SyncModel
import WireFormats

/// The verdicts that the server has reported so far. The server decides a change only once, also if it is sent again.
/// It recognises a change by the device that sent it and by its stamp.
struct Verdicts {
    private struct Name: Hashable {
        let change: Int
        let sender: ID
    }

    /// The stamp with which the server merged each accepted change, by the change's identity and the device that sent
    /// it.
    private var accepted: [Name: Stamp] = [:]
    /// The stamp with which the server first merged each accepted change, by the change's number. Several devices may
    /// send the same change, after a backup was restored.
    private var acceptedOfAnyone: [Int: Stamp] = [:]
    private var refused: [Name: String] = [:]

    /// Records the server's verdict on a change, and compares it with earlier verdicts on the same change.
    ///
    /// - Parameter counts: true if the change adds to a counter or sets it. Such a change is merged once for each
    ///   device that sends it, while other changes are merged only once.
    /// - Returns: true if the server has merged the change now for the first time.
    /// - Throws: `Breach` if the verdict contradicts an earlier one.
    mutating func note(
        _ result: PushReply.Result, of change: Change, counting counts: Bool, in request: Request
    ) throws -> Bool {
        // A change without a stamp is another change each time.
        if !change.isStamped { return result.verdict != .rejected && result.verdict != .held }
        let name = Name(change: change.number, sender: request.sender)
        let stamp = result.stamp ?? change.stamp
        if result.verdict == .rejected {
            let code = result.code ?? ""
            guard accepted[name] == nil else {
                throw Breach("a retry was rejected (\(code): \(result.detail ?? "")): \(change)")
            }
            if let other = refused.updateValue(code, forKey: name), other != code {
                throw Breach("a retry was rejected as ‘\(code)’, and as ‘\(other)’ before: \(change)")
            }
            return false
        }
        if let code = refused[name] {
            throw Breach("what had been rejected as ‘\(code)’ was ‘\(result.verdict)’: \(change)")
        }
        if let before = accepted[name] {
            try checkRetry(result, of: change, at: stamp, before, isWhole: request.isWhole)
        } else if result.verdict == .applied, !request.isWhole, !counts, acceptedOfAnyone[change.number] == stamp {
            throw Breach("what another device had sent was ‘applied’ again: \(change)")
        }
        if result.verdict == .held { return false }
        return take(name, at: stamp)
    }

    private func checkRetry(
        _ result: PushReply.Result, of change: Change, at stamp: Stamp, _ before: Stamp, isWhole: Bool
    ) throws {
        if result.verdict == .applied { throw Breach("a retry was ‘applied’ again: \(change)") }
        guard result.verdict == .unchanged || !isWhole || change.operation == .delete else {
            throw Breach("a whole record that arrived again was ‘\(result.verdict)’: \(change)")
        }
        guard stamp == before else {
            throw Breach("\(before.rawValue) stood for its stamp, and now \(stamp.rawValue) does: \(change)")
        }
    }

    /// Records that the server has merged a change from its quarantine.
    ///
    /// - Returns: true if the server had not merged the change before.
    mutating func replay(_ held: HeldChanges.Held, _ verdict: VerdictName) throws -> Bool {
        if !held.change.isStamped { return true }
        let isNew = take(Name(change: held.change.number, sender: held.sender), at: held.stamp)
        guard isNew || verdict != .applied else {
            throw Breach("a replay of what had been stored was ‘applied’ again: \(held.change)")
        }
        return isNew
    }

    private mutating func take(_ name: Name, at stamp: Stamp) -> Bool {
        if acceptedOfAnyone[name.change] == nil { acceptedOfAnyone[name.change] = stamp }
        return accepted.updateValue(stamp, forKey: name) == nil
    }

    /// Forgets all verdicts, because the server has forgotten the changes in a garbage collection.
    mutating func forget() { self = Verdicts() }
}
