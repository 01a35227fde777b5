import SyncModel
import WireFormats

/// The events of a run, kept as values and formatted only when they are read.
struct Story {
    private var events: [Event] = []

    private enum Event {
        case step(Step)
        case made(Change, device: Int)
        case answered(Change, verdict: String, device: Int, isGiven: Bool)
        case replayed(Change, verdict: String)
        case received(ModelKey, seq: Int64, fields: [String: Value]?, device: Int)
    }

    mutating func begin(_ step: Step) { events.append(.step(step)) }

    mutating func make(_ change: Change, on device: Int) { events.append(.made(change, device: device)) }

    mutating func answer(_ change: Change, _ verdict: String, to device: Int, isGiven: Bool) {
        events.append(.answered(change, verdict: verdict, device: device, isGiven: isGiven))
    }

    mutating func replay(_ change: Change, _ verdict: String) {
        events.append(.replayed(change, verdict: verdict))
    }

    mutating func receive(_ record: PageReply.Record, to device: Int) {
        events.append(.received(record.key, seq: record.seq, fields: record.fields, device: device))
    }

    /// Returns the events as lines, step by step.
    ///
    /// - Parameter breach: the error that ended the run. If it names records, only the events of these records are
    ///   included.
    func lines(_ plan: Plan, about breach: Breach) -> [String] {
        var lines: [String] = []
        var step: Step?
        for event in events {
            guard case .step(let next) = event else {
                guard isAbout(event, breach) else { continue }
                if let begun = step { lines.append("\(begun)") }
                step = nil
                lines.append("    \(text(event, plan))")
                continue
            }
            step = next
        }
        if let step { lines.append("\(step)") }
        return lines
    }

    private func isAbout(_ event: Event, _ breach: Breach) -> Bool {
        let names = { (key: ModelKey) in
            breach.description.contains(key.id.description) || breach.description.contains(key.shown)
        }
        switch event {
        case .step: return true
        case .made(let change, _), .answered(let change, _, _, _), .replayed(let change, _):
            let referred = change.fields.values.contains { value in
                if case .uuid(let id) = value { breach.description.contains(id.description) } else { false }
            }
            return names(change.key) || referred || !breach.description.contains(/[0-9a-f]{8}-/)
        case .received(let key, _, _, _): return names(key)
        }
    }

    private func text(_ event: Event, _ plan: Plan) -> String {
        switch event {
        case .step(let step): "\(step)"
        case .made(let change, let device): "device \(device), \(plan.name(of: change.version)): \(change)"
        case .answered(let change, let verdict, let device, let isGiven):
            "\(verdict)\(isGiven ? "" : ", unheard"): \(change.operation) \(change.key.shown) at "
                + "\(change.stamp.rawValue) of device \(device)"
        case .replayed(let change, let verdict):
            "\(verdict), replayed: \(change.operation) \(change.key.shown) at \(change.stamp.rawValue)"
        case .received(let key, let seq, let fields, let device):
            "device \(device) is told \(key.shown) of \(seq): \(fields.map(Story.shown) ?? "deleted")"
        }
    }

    private static func shown(_ fields: [String: Value]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.shown)" }.joined(separator: ", ")
    }
}
