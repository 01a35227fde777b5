import Testing
import WireFormats

@testable import PGStore
@testable import Postgres

/// Tests of the estimate made of three clocks: the database's, this machine's, and the monotonic one.
@Suite struct ClockEstimateTests {
    private static let day = Duration.seconds(86_400)
    private let day = ClockEstimateTests.day

    /// A reading so long after the first; the clocks are off by these.
    private func reading(
        _ seconds: Int64, database: Duration = .zero, host: Duration = .zero, uncertainty: Duration = .zero
    ) -> ClockReading {
        let truth = truth(seconds)
        return ClockReading(
            database: truth.adding(database), host: truth.adding(host), steady: .seconds(seconds),
            uncertainty: uncertainty)
    }

    private func truth(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: (1_900_000_000 + seconds) * 1_000_000) }

    @Test func timeGoesOnBetweenTwoReadings() {
        let estimate = ClockEstimate(reading(0))
        #expect(estimate.time(at: .seconds(29)) == truth(29))
        #expect(estimate.disagreement == nil)
    }

    @Test(arguments: [day, .zero - day, .seconds(31), .seconds(-31)])
    func aMachinesOwnClockIsNotFeltAndIsReported(off: Duration) {
        var estimate = ClockEstimate(reading(0, host: off))
        #expect(estimate.time(at: .seconds(1)) == truth(1))
        #expect(estimate.disagreement?.kind == .hostDiffers)
        estimate.take(reading(30))
        #expect(estimate.disagreement == nil)
        estimate.take(reading(60, host: off))
        #expect(estimate.time(at: .seconds(61)) == truth(61))
        #expect(estimate.disagreement?.kind == .hostDiffers)
    }

    @Test(arguments: [Duration.seconds(29), .seconds(-29), .milliseconds(1)])
    func aSmallCorrectionIsFollowedAtOnce(step: Duration) {
        var estimate = ClockEstimate(reading(0))
        estimate.take(reading(30, database: step))
        #expect(estimate.time(at: .seconds(30)) == truth(30).adding(step))
        #expect(estimate.disagreement == nil)
    }

    /// The database goes a day ahead and comes back: nobody was given a time that is a day ahead.
    @Test(arguments: [day, .zero - day])
    func aJumpThatPassesIsNeverBelieved(jump: Duration) {
        var estimate = ClockEstimate(reading(0))
        for turn in 1...Int64(ClockEstimate.readingsMin - 1) {
            estimate.take(reading(30 * turn, database: jump))
            #expect(estimate.time(at: .seconds(30 * turn)) == truth(30 * turn))
            #expect(estimate.disagreement?.kind == .databaseJumped)
        }
        estimate.take(reading(1000))
        #expect(estimate.time(at: .seconds(1000)) == truth(1000))
        #expect(estimate.disagreement == nil)
        // The next begins to count from nothing.
        estimate.take(reading(1030, database: jump))
        #expect(estimate.time(at: .seconds(1030)) == truth(1030))
    }

    /// All servers of the database must agree in the end, those too that start later.
    @Test func aJumpThatLastsIsBelievedAndStaysReported() {
        var estimate = ClockEstimate(reading(0))
        for turn in 1...Int64(ClockEstimate.readingsMin) { estimate.take(reading(30 * turn, database: day)) }
        #expect(estimate.time(at: .seconds(1000)) == truth(1000).adding(day))
        #expect(estimate.disagreement?.kind == .hostDiffers)
    }

    @Test func aJumpToSomewhereElseEachTimeIsNeverBelieved() {
        var estimate = ClockEstimate(reading(0))
        for turn in 1...100 as ClosedRange<Int64> {
            estimate.take(reading(30 * turn, database: .seconds(1000 * turn)))
        }
        #expect(estimate.time(at: .seconds(3000)) == truth(3000))
        #expect(estimate.disagreement?.kind == .databaseJumped)
    }

    /// The machine was stopped for a day and what counts on did not count; or the first reading was of a wrong clock.
    @Test func aJumpThatTheMachinesClockConfirmsIsBelievedAtOnce() {
        var estimate = ClockEstimate(reading(0))
        estimate.take(reading(30, database: day, host: day))
        #expect(estimate.time(at: .seconds(31)) == truth(31).adding(day))
        #expect(estimate.disagreement == nil)
    }

    @Test func anAnswerThatTookLongSaysNoMoreThanItCan() {
        var estimate = ClockEstimate(reading(0))
        estimate.take(reading(30, database: .seconds(4), uncertainty: .seconds(5)))
        #expect(estimate.time(at: .seconds(31)) == truth(31))
        estimate.take(reading(60, database: .seconds(34), uncertainty: .seconds(5)))
        #expect(estimate.disagreement == nil, "30 s and what it is uncertain by")
    }
}
