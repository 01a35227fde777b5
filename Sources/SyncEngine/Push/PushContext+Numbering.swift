import WireFormats

/// The stage that assigns the next sequence number to each record that devices must receive, and notes whether the
/// pushing device already has the record as stored.
extension PushContext {
    mutating func number() {
        let rules = Audience.Rules(push)
        for slot in work.indices {
            let entry = work[slot]
            let audience = Audience(of: entry, in: entity(of: entry.key), rules)
            if audience == .nobody { continue }
            outcome.head += 1
            entry.state.seq = outcome.head
            entry.state.pusher = audience == .others ? push.device : nil
            if audience == .everybody { outcome.needsNoEcho = false }
        }
    }
}
