import Testing

@testable import WireFormats

/// The stored form of a record's stamps, read by the same hub and by later ones.
@Suite struct StampSetTests {
    private static func units(_ columns: [[Int]]) -> [HubEntity.MergeUnit] {
        columns.map { HubEntity.MergeUnit(columns: $0) }
    }

    private func reread(
        _ set: StampSet, _ units: [HubEntity.MergeUnit], as later: [HubEntity.MergeUnit]? = nil
    ) -> StampSet {
        let stored = set.stored(units: units)
        // Outside of `#expect`, because a span must not escape into it.
        let latest = StampSet.latest(base: stored.base, packed: stored.packed.span)
        #expect(latest == set.latest)
        return StampSet(base: stored.base, packed: stored.packed.span, units: later ?? units)
    }

    private func set(_ stamps: [Int64]) -> StampSet {
        var set = StampSet(units: stamps.count)
        for (index, stamp) in stamps.enumerated() { set[index] = Stamp(unchecked: stamp) }
        return set
    }

    @Test func whatIsStoredIsReadAgain() {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let count = random.below(30)
            // Some of them are beyond the bitmap's range.
            let units = StampSetTests.units((0..<count).map { [$0 < 28 ? $0 : $0 + 2100] })
            let stamps = set((0..<count).map { _ in [0, 7, 1 << 52, 9][random.below(4)] })
            #expect(reread(stamps, units) == stamps, "seed \(seed)")
        }
    }

    @Test func whatTheHubGotLaterWasNeverWritten() {
        let before = StampSetTests.units([[0], [1]])
        let after = StampSetTests.units([[0], [1], [2], [40]])
        #expect(reread(set([7, 7]), before, as: after) == set([7, 7, 0, 0]))
        #expect(reread(set([7, 9]), before, as: after) == set([7, 9, 0, 0]))
        #expect(reread(set([0, 0]), before, as: after) == set([0, 0, 0, 0]))
    }

    /// The stamps of two units, and the stamp of the unit that they become.
    static let linked: [[Int64]] = [[7, 7, 7], [7, 9, 9], [9, 7, 9], [0, 7, 7], [7, 0, 7], [0, 0, 0]]

    @Test(arguments: linked)
    func unitsThatAreLinkedLaterHaveTheLatestStampOfTheirs(_ stamps: [Int64]) {
        let before = StampSetTests.units([[0], [1], [2], [3]])
        let after = StampSetTests.units([[0, 2, 4], [1], [3]])
        let stored = set([stamps[0], 5, stamps[1], 6])
        #expect(reread(stored, before, as: after) == set([stamps[2], 5, 6]))
    }

    /// The stamps of three units, and of the parts that they become.
    static let apart: [[Int64]] = [[7, 7, 7], [7, 9, 9], [9, 7, 8], [0, 7, 7], [7, 0, 9], [0, 0, 7], [0, 0, 0]]

    @Test(arguments: apart)
    func unitsThatBecomePartsKeepTheirStamps(_ stamps: [Int64]) throws {
        let before = StampSetTests.units([[0], [1], [2], [3]])
        let after = [
            HubEntity.MergeUnit(columns: [0, 2, 3, 4], parts: [[0], [2], [3]]), HubEntity.MergeUnit(columns: [1]),
        ]
        let read = reread(set([stamps[0], 5, stamps[1], stamps[2]]), before, as: after)
        let entity = StampSetTests.entity(after)
        #expect(read.parts(of: 0, in: entity).map(\.rawValue) == stamps)
        #expect(read[0].rawValue == stamps.max() && read[1].rawValue == 5)
        // The result stays the same, however often it is stored.
        #expect(reread(read, after) == read)
    }

    /// A unit is stored like this if all of it was written at once.
    @Test func whereOnlyTheFirstHasAStampAllPartsHaveIt() {
        let after = [HubEntity.MergeUnit(columns: [0, 1, 2], parts: [[0], [1]])]
        let read = reread(set([7, 0]), StampSetTests.units([[0], [1]]), as: after)
        #expect(read == StampSet(units: 1, all: Stamp(unchecked: 7)))
    }

    @Test func partsThatAreOneNowLeaveNothingBehind() {
        let before = [HubEntity.MergeUnit(columns: [0, 1, 2], parts: [[0], [1]])]
        var stored = StampSet(units: 1, all: Stamp(unchecked: 7))
        let stamps = [Stamp(unchecked: 7), Stamp(unchecked: 9)]
        stored.setParts(of: 0, to: stamps, in: StampSetTests.entity(before))
        let read = reread(stored, before, as: StampSetTests.units([[0, 1, 2, 3]]))
        #expect(read == StampSet(units: 1, all: Stamp(unchecked: 9)))
    }

    private static func entity(_ units: [HubEntity.MergeUnit]) -> HubEntity {
        let count = units.flatMap(\.columns).count
        let column = HubEntity.Column(name: "a", type: .bigint, isNullable: true, introduced: 0, lastUsed: 0)
        return HubEntity(
            identity: "A", index: 0, table: "a", singleton: nil, columns: Array(repeating: column, count: count),
            references: [], units: units,
            unitOfColumn: (0..<count).map { column in units.firstIndex { $0.columns.contains(column) } ?? 0 },
            uniqueColumns: [])
    }

    @Test func aRowWithoutAnyHasOneStamp() {
        let nothing: [UInt8] = []
        let read = StampSet(
            base: Stamp(unchecked: 7), packed: nothing.span, units: StampSetTests.units([[0], [1]]))
        #expect(read == set([7, 7]))
    }

    @Test func itDoesNotMatterHowASetCameToBe() {
        let stamp = Stamp(unchecked: 7)
        var written = StampSet(units: 3)
        for unit in 0..<3 {
            #expect(written != StampSet(units: 3, all: stamp))
            written[unit] = stamp
        }
        let whole = StampSet(units: 3, all: stamp)
        #expect(written == whole && whole == written && Set([written, whole]).count == 1)
        #expect(written.stamps == whole.stamps && written.latest == whole.latest)
        #expect(StampSet(units: 2, all: stamp) != whole)
        #expect(StampSet(units: 0, all: stamp) == StampSet(units: 0) && StampSet(units: 0, all: stamp).latest == .never)
    }

    @Test func aCopyKeepsWhatItWas() {
        let before = StampSet(units: 2, all: Stamp(unchecked: 7))
        var after = before
        after[1] = Stamp(unchecked: 8)
        let between = after
        after[0] = Stamp(unchecked: 9)
        #expect(before.stamps.map(\.rawValue) == [7, 7])
        #expect(between.stamps.map(\.rawValue) == [7, 8])
        #expect(after.stamps.map(\.rawValue) == [9, 8])
    }
}
