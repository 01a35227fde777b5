import Testing
import WireFormats

@testable import SyncServer

/// P9: how many devices one space may have counted.
@Suite struct CensusNewcomersTests {
    private let home = ID(high: 2, low: 1)
    private let other = ID(high: 2, low: 2)
    private let hour: Int64 = 3_600_000_000

    @Test func aSpaceMayAddSoManyAndAnotherItsOwn() {
        var newcomers = CensusNewcomers()
        for space in [home, other] {
            let admitted = (0..<5_000).count { _ in newcomers.admit(from: space, at: hour) }
            #expect(admitted == 100)
        }
    }

    @Test func whatIsSpentGrowsAgainByOneEveryTwoHours() {
        var newcomers = CensusNewcomers()
        func admitted(at time: Int64) -> Int { (0..<1_000).count { _ in newcomers.admit(from: home, at: time) } }
        #expect(admitted(at: 0) == 100)
        #expect(admitted(at: 2 * hour - 1) == 0)
        #expect(admitted(at: 2 * hour) == 1)
        #expect(admitted(at: 7 * hour) == 2, "the odd hour is kept for the next")
        #expect(admitted(at: 8 * hour) == 1)
        #expect(admitted(at: 365 * 24 * hour) == 100, "never more than at first")
    }

    @Test func aClockThatGoesBackGivesNothing() {
        var newcomers = CensusNewcomers()
        for _ in 0..<100 { _ = newcomers.admit(from: home, at: 100 * hour) }
        for time in [0, -hour] {
            let isAdmitted = newcomers.admit(from: home, at: time)
            #expect(!isAdmitted)
        }
    }

    @Test func spacesAreRememberedUpToALimit() {
        var newcomers = CensusNewcomers()
        for number in 0..<UInt64(CensusNewcomers.spacesMax + 10) {
            let isAdmitted = newcomers.admit(from: ID(high: 3, low: number), at: 0)
            #expect(isAdmitted)
        }
        #expect(newcomers.count == 10)
    }
}
