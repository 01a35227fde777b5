/// Runs test cases for one entity and one version: the version in focus, which makes the last edit of each case.
struct LawTrial: Sendable {
    let subject: LawSubject
    let hub: HubEntity
    let chain: ChainEntity
    let focus: Int
    /// By version: its projection of the entity (its compiled lens); `nil` if the version does not have the entity, or
    /// has no field of it.
    let views: [LawView?]
    let generator: LawCaseGenerator

    /// Prepares the test cases. `nil` if the version under test does not have the entity, or has no field of it.
    ///
    /// - Parameters:
    ///   - entity: an index in `Hub.entities`.
    ///   - focus: the version under test, which makes the last edit of each case, as an index in `Plan.shapes`.
    init?(_ subject: LawSubject, entity: Int, focus: Int) {
        guard let name = subject.projections[focus][entity]?.name,
            let chain = ChainEntity(name, in: focus, of: subject.tree)
        else { return nil }
        self.subject = subject
        self.focus = focus
        self.chain = chain
        hub = subject.hub.entities[entity]
        views = chain.fields.indices.map { version in
            chain.fields[version].isEmpty
                ? nil : LawView(subject.projections[version][entity], again: subject.recompiled[version][entity])
        }
        generator = LawCaseGenerator(chain, focus: focus)
    }

    /// Runs case `number` and returns a violation of one of `laws`, with the smallest case that could be found; `nil`
    /// if the case breaks none.
    func run(_ number: Int, seed: UInt64, seeking laws: LawSet) -> LawFinding? {
        var random = SplitMix64(seed: caseSeed(number, seed: seed))
        let lawCase = generator.next(using: &random)
        return finding(in: lawCase, seeking: laws).map { shrunk($0, from: lawCase) }
    }

    func finding(in lawCase: LawCase, seeking laws: LawSet) -> LawFinding? {
        do throws(LawFinding) {
            try LawRun.run(lawCase, in: self, seeking: laws)
            return nil
        } catch {
            return laws.contains(error.law) ? error : nil
        }
    }

    /// The report's entry for `cases` test cases of this entity and version.
    func run(of cases: Int) -> LawReport.Run {
        LawReport.Run(
            shape: subject.tree.name(of: focus), entity: chain.names[focus] ?? hub.identity, cases: cases)
    }

    func violation(_ finding: LawFinding, number: Int, seed: UInt64) -> LawViolation {
        LawViolation(
            law: finding.law, shape: subject.tree.name(of: focus), entity: chain.names[focus] ?? hub.identity,
            seed: seed,
            number: number, counterexample: finding.counterexample)
    }

    /// The seed of one case. Each case has a seed of its own, so that it can be run without the cases before it.
    private func caseSeed(_ number: Int, seed: UInt64) -> UInt64 {
        var mixer = SplitMix64(seed: seed ^ UInt64(focus) << 48 ^ UInt64(hub.index) << 32 ^ UInt64(number))
        return mixer.next()
    }
}

/// One version's projection of the entity under test. It is a class, because a test case uses each projection many
/// times, and a projection is large to copy.
final class LawView: Sendable {
    let projection: Projection
    /// The same projection, compiled a second time. By law 7 both give the same results.
    let again: Projection?
    /// The column of each field, in the order of the fields.
    let columns: [Int]
    let units: [Int]
    let types: [AttributeType]

    init?(_ projection: Projection?, again: Projection?) {
        guard let projection else { return nil }
        self.projection = projection
        self.again = again
        columns = projection.fields.map(\.column)
        units = projection.fields.map(\.unit)
        types = projection.fields.map(\.type)
    }

    /// The value of the field at `index` that the version reads from `row` (the values of all columns).
    func value(_ index: Int, of row: [Value]) -> Value {
        projection.fields[index].view(row[columns[index]])
    }
}

/// A violation of a law in a test case.
struct LawFinding: Error, Sendable {
    let law: Law
    /// The description of the violation: lines with the observed and the expected values.
    let lines: [String]
    /// The steps that lead to the violation, in words; set when the smallest case has been found.
    var steps: [String] = []

    var counterexample: [String] { (steps + lines).map { String($0.prefix(96)) } }
}
