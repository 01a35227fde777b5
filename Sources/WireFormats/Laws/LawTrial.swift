/// Runs cases of one entity whose last edit is made by one version.
struct LawTrial: Sendable {
    let subject: LawSubject
    let hub: HubEntity
    let chain: ChainEntity
    let focus: Int
    /// By version; `nil` where it does not have the entity, or has it without any field.
    let projections: [Projection?]
    private let generator: LawCaseGenerator

    /// - Parameters:
    ///   - entity: a place in `Hub.entities`.
    ///   - focus: a place in `Plan.shapes`.
    init?(_ subject: LawSubject, entity: Int, focus: Int) {
        guard let name = subject.projections[focus][entity]?.name,
            let chain = ChainEntity(name, in: focus, of: subject.tree)
        else { return nil }
        self.subject = subject
        self.focus = focus
        self.chain = chain
        hub = subject.hub.entities[entity]
        projections = zip(subject.projections, chain.fields).map { $1.isEmpty ? nil : $0[entity] }
        generator = LawCaseGenerator(chain, focus: focus)
    }

    /// What breaks one of `laws` in case `number`, by the smallest case that could be found.
    func run(_ number: Int, seed: UInt64, seeking laws: Set<Law>) -> LawFinding? {
        var random = SplitMix64(seed: caseSeed(number, seed: seed))
        let lawCase = generator.next(using: &random)
        return finding(in: lawCase, seeking: laws).map { shrunk($0, from: lawCase) }
    }

    func finding(in lawCase: LawCase, seeking laws: Set<Law>) -> LawFinding? {
        do throws(LawFinding) {
            try LawWalk.run(lawCase, in: self, seeking: laws)
            return nil
        } catch {
            return error
        }
    }

    func violation(_ finding: LawFinding, number: Int, seed: UInt64) -> LawViolation {
        LawViolation(
            law: finding.law, shape: subject.tree.name(of: focus), entity: chain.names[focus] ?? hub.identity,
            seed: seed,
            number: number, counterexample: finding.counterexample)
    }

    /// Each case has a seed of its own, so that one can be run without those before it.
    private func caseSeed(_ number: Int, seed: UInt64) -> UInt64 {
        var mixer = SplitMix64(seed: seed ^ UInt64(focus) << 48 ^ UInt64(hub.index) << 32 ^ UInt64(number))
        return mixer.next()
    }

    /// What every type admits besides its own limits: a finite Double, no U+0000, a year of four digits.
    static func isStorable(_ value: Value) -> Bool {
        switch value {
        case .double(let x): x.isFinite
        case .string(let x), .json(let x): !x.utf8.contains(0)
        case .date(let x): (-62_135_596_800_000_000...253_402_300_799_999_999).contains(x.microseconds)
        case .null, .bool, .int, .decimal, .uuid, .data: true
        }
    }
}

/// A law found broken.
struct LawFinding: Error, Sendable {
    let law: Law
    /// What was seen and what was expected.
    let lines: [String]
    /// The steps that lead there, in words; filled in by shrinking.
    var steps: [String] = []

    var counterexample: [String] { (steps + lines).map { String($0.prefix(96)) } }
}
