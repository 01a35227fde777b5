import Postgres
import StrictJSON
import SyncEngine
import SyncServer

/// The file given by `serve --limits`: `{"rates": {"subject": {"perSecond": 100, "burst": 2000}}, "quotas": {"records":
/// 100000}}`. Missing members have their default values.
struct LimitsFile {
    /// The rate limits; `nil` if requests are not limited.
    private(set) var rates: RateLimits? = RateLimits()
    private(set) var quotas = Quotas()

    /// - Throws: `UsageError`, if the file is not a valid file of limits. The error names the allowed members.
    init(_ options: Options) throws {
        if options.has("no-rate-limits") { rates = nil }
        guard let document = try options.document("limits") else { return }
        do {
            try read(JSONDocument(parsing: document.bytes).root)
        } catch let error as JSONError {
            throw UsageError("\(document.source) is not strict JSON. \(error)")
        } catch let error as Fault {
            throw UsageError("\(document.source): \(error.text)")
        }
    }

    private struct Fault: Error {
        let text: String
    }

    private mutating func read(_ root: JSONNode) throws {
        for (name, value) in try members(of: root, "the file", known: ["rates", "quotas"]) {
            switch name {
            case "rates": try readRates(value)
            default: try readQuotas(value)
            }
        }
    }

    private mutating func readRates(_ node: JSONNode) throws {
        if rates == nil { throw Fault(text: "‘rates’ and ‘--no-rate-limits’ exclude each other.") }
        for (kindName, rate) in try members(of: node, "rates", known: RateLimits.Kind.allCases.map(\.rawValue)) {
            guard let kind = RateLimits.Kind(rawValue: kindName) else { continue }
            for (member, number) in try members(of: rate, kindName, known: ["perSecond", "burst"]) {
                let least = member == "burst" ? kind.burstMin : 1
                let value = try integer(number, "\(kindName).\(member)", from: least, to: 1_000_000_000)
                if member == "burst" { rates?[kind].burst = value } else { rates?[kind].perSecond = value }
            }
        }
    }

    private mutating func readQuotas(_ node: JSONNode) throws {
        for (name, number) in try members(of: node, "quotas", known: ["records", "bytes", "spaces", "members"]) {
            func value(to most: Int) throws -> Int { try integer(number, "quotas.\(name)", from: 1, to: most) }
            switch name {
            case "records": quotas.records = try value(to: 1_000_000_000)
            case "bytes": quotas.bytes = try value(to: 1 << 50)
            // The spaces are read at each look-up of a token.
            case "spaces": quotas.spaces = try value(to: 5_000)
            // The members are sent in one response.
            default: quotas.members = try value(to: 1_000)
            }
        }
    }

    private func integer(_ node: JSONNode, _ name: String, from least: Int, to most: Int) throws -> Int {
        guard let value = node.int64, (Int64(least)...Int64(most)).contains(value) else {
            throw Fault(text: "‘\(name)’ must be an integer from \(least) to \(most).")
        }
        return Int(value)
    }

    private func members(
        of node: JSONNode, _ name: String, known: [String]
    ) throws -> [(key: String, value: JSONNode)] {
        if let fault = node.fault(asObject: name, known: known) { throw Fault(text: fault) }
        return (node.members.map(Array.init) ?? []).map { ($0.key, $0.value) }
    }
}
