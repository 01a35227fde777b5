package import PGStore

/// The plan by which buckets move so that the databases of an installation serve about the same amount of data.
package struct Balance: Sendable {
    /// Buckets that are to move to another database together.
    package struct Move: Hashable, Sendable {
        package fileprivate(set) var buckets: [Bucket]
        package let source: String
        package let target: String

        package init(buckets: [Bucket], source: String, target: String) {
            (self.buckets, self.source, self.target) = (buckets, source, target)
        }
    }

    /// The moves, in the order in which they are to be done.
    package let moves: [Move]

    /// The size that an empty bucket counts, in bytes. So buckets without data are distributed evenly, too: they get
    /// the spaces of tomorrow.
    private static let emptyBytes: Int64 = 4_096

    /// The most buckets that move together. For each move, PostgreSQL reads all tables of the source once.
    private static let bucketsMax = 16

    /// Databases whose sizes differ by less than this part of the average stay as they are.
    private static let differenceMin = 0.05

    /// Plans moves between databases.
    ///
    /// - Parameters:
    ///   - members: the databases. Those that do not answer stay as they are.
    ///   - drained: the name of a database that is to serve nothing any more; `nil` for none.
    package init(of members: [DatabaseGroup.Member], draining drained: String? = nil) {
        var loads: [String: [Bucket: Int64]] = [:]
        for member in members {
            guard let state = member.state else { continue }
            let sizes = member.mapped.map { ($0, Balance.emptyBytes + (state.weights[$0]?.bytes ?? 0)) }
            loads[member.name] = Dictionary(uniqueKeysWithValues: sizes)
        }
        var moves: [Move] = []
        func sum(_ name: String) -> Int64 { loads[name, default: [:]].values.reduce(0, +) }
        func lightest(but excluded: String) -> String? {
            loads.keys.filter { $0 != excluded && $0 != drained }.min { (sum($0), $0) < (sum($1), $1) }
        }
        func move(_ bucket: Bucket, from source: String, to target: String) {
            loads[target, default: [:]][bucket] = loads[source, default: [:]].removeValue(forKey: bucket)
            let open = moves.lastIndex {
                $0.source == source && $0.target == target && $0.buckets.count < Balance.bucketsMax
            }
            if let open {
                moves[open].buckets.append(bucket)
            } else {
                moves.append(Move(buckets: [bucket], source: source, target: target))
            }
        }
        if let drained {
            // The largest first, so that small ones fill the gaps.
            for (bucket, _) in loads[drained, default: [:]].sorted(by: { ($0.1, $0.0.number) > ($1.1, $1.0.number) }) {
                guard let target = lightest(but: drained) else { break }
                move(bucket, from: drained, to: target)
            }
        } else {
            let average = Double(loads.keys.map(sum).reduce(0, +)) / Double(max(1, loads.count))
            while let source = loads.keys.max(by: { (sum($0), $1) < (sum($1), $0) }),
                let target = lightest(but: source),
                Double(sum(source) - sum(target)) > average * Balance.differenceMin
            {
                // The largest bucket that makes the difference smaller; half of the difference would make it nothing.
                let half = (sum(source) - sum(target)) / 2
                let fitting = loads[source, default: [:]].filter { $0.value <= half }
                guard let bucket = fitting.max(by: { ($0.value, $1.key.number) < ($1.value, $0.key.number) })?.key
                else {
                    break
                }
                move(bucket, from: source, to: target)
            }
        }
        self.moves = moves
    }
}
