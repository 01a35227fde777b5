import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// P9: how many devices one subject may have counted.
@Suite struct CensusNewcomersTests {
    private let anna = CensusNewcomers.Source(app: 0, subject: "anna")
    private let hour: Int64 = 3_600_000_000

    @Test func aSubjectMayAddSoManyAndAnotherItsOwn() {
        var newcomers = CensusNewcomers()
        let others = [("bela", 0), ("anna", 1), ("jos\u{E9}", 0), ("jose\u{301}", 0)].map { name, app in
            CensusNewcomers.Source(app: app, subject: Subject(name))
        }
        for subject in [anna] + others {
            let admitted = (0..<5_000).count { _ in newcomers.admit(subject, at: hour) }
            #expect(admitted == 100)
        }
    }

    @Test func whatIsSpentGrowsAgainByOneEveryTwoHours() {
        var newcomers = CensusNewcomers()
        func admitted(at time: Int64) -> Int { (0..<1_000).count { _ in newcomers.admit(anna, at: time) } }
        #expect(admitted(at: 0) == 100)
        #expect(admitted(at: 2 * hour - 1) == 0)
        #expect(admitted(at: 2 * hour) == 1)
        #expect(admitted(at: 7 * hour) == 2, "the odd hour is kept for the next")
        #expect(admitted(at: 8 * hour) == 1)
        #expect(admitted(at: 365 * 24 * hour) == 100, "never more than at first")
    }

    @Test func aClockThatGoesBackGivesNothing() {
        var newcomers = CensusNewcomers()
        for _ in 0..<100 { _ = newcomers.admit(anna, at: 100 * hour) }
        for time in [0, -hour] {
            let isAdmitted = newcomers.admit(anna, at: time)
            #expect(!isAdmitted)
        }
    }

    @Test func subjectsAreRememberedUpToALimit() {
        var newcomers = CensusNewcomers()
        for number in 0..<UInt64(CensusNewcomers.sourcesMax + 10) {
            let isAdmitted = newcomers.admit(
                CensusNewcomers.Source(app: 0, subject: Subject("person \(number)")), at: 0)
            #expect(isAdmitted)
        }
        #expect(newcomers.count == 10)
    }
}
