import PGStore
import SyncServer
import WireFormats

/// The file of `serve --limits`: `{"rates": {"subject": {"perSecond": 100, "burst": 2000}}}`. What it does not name is
/// as it is without it.
enum LimitsFile {
    /// The rates that a server keeps to; `nil` for none.
    ///
    /// - Throws: `UsageError`, where the file is none of limits, with what there may be.
    static func rates(_ options: Options) throws -> RateLimits? {
        if options.has("no-rate-limits") {
            if options["limits"] != nil { throw UsageError("‘--limits’ and ‘--no-rate-limits’ exclude each other.") }
            return nil
        }
        guard let path = options["limits"] else { return RateLimits() }
        do {
            return try rates(JSONDocument(parsing: Files.contents(of: path)).root)
        } catch let error as JSONError {
            throw UsageError("\(path) is not strict JSON. \(error)")
        } catch let error as Fault {
            throw UsageError("\(path): \(error.text)")
        }
    }

    private struct Fault: Error {
        let text: String
    }

    private static func rates(_ root: JSONNode) throws -> RateLimits {
        var limits = RateLimits()
        for (name, rates) in try members(of: root, "the file", known: ["rates"]) {
            let kinds = RateLimits.Kind.allCases.map(\.rawValue)
            for (kindName, rate) in try members(of: rates, name, known: kinds) {
                guard let kind = RateLimits.Kind(rawValue: kindName) else { continue }
                for (member, number) in try members(of: rate, kindName, known: ["perSecond", "burst"]) {
                    let least = member == "burst" ? kind.burstMin : 1
                    guard let value = number.int64, (Int64(least)...1_000_000_000).contains(value) else {
                        throw Fault(text: "‘\(kindName).\(member)’ must be an integer from \(least).")
                    }
                    if member == "burst" {
                        limits[kind].burst = Int(value)
                    } else {
                        limits[kind].perSecond = Int(value)
                    }
                }
            }
        }
        return limits
    }

    private static func members(
        of node: JSONNode, _ name: String, known: [String]
    ) throws -> [(key: String, value: JSONNode)] {
        guard let members = node.members else { throw Fault(text: "‘\(name)’ must be an object.") }
        return try members.map { member in
            guard known.contains(member.key) else {
                throw Fault(
                    text: "‘\(name)’ has the member ‘\(member.key)’; there may be \(known.joined(separator: ", ")).")
            }
            return (member.key, member.value)
        }
    }
}
