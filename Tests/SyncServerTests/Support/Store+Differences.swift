import SyncTestSupport

extension TestDevice.Store {
    /// The first few, for a failure's message.
    func differences(from other: TestDevice.Store) -> [String] {
        let names = Set(keys).union(other.keys).sorted()
        let lines = names.flatMap { name -> [String] in
            let (mine, theirs) = (self[name] ?? [:], other[name] ?? [:])
            return Set(mine.keys).union(theirs.keys).sorted().compactMap { id in
                guard mine[id] != theirs[id] else { return nil }
                guard let one = mine[id], let two = theirs[id] else {
                    return "\(name) \(id) \(mine[id] == nil ? "missing" : "too much")"
                }
                let fields = two.keys.sorted().filter { one[$0] != two[$0] }
                return "\(name) \(id) \(fields.map { "\($0): \(one[$0] ?? .null), not \(two[$0] ?? .null)" })"
            }
        }
        return Array(lines.prefix(4))
    }
}
