import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Tests of the census in memory: when a device is due to be written, and what happens to too many.
@Suite struct CensusBookTests {
    private let second: Int64 = 1_000_000
    private let anna: Subject = "anna"

    private func book(_ entriesMax: Int = 100) -> CensusBook {
        CensusBook(entriesMax: entriesMax, unmoved: .seconds(300))
    }

    private func key(_ number: UInt64, shape: Int = 0) -> CensusBook.Key {
        CensusBook.Key(app: 0, shape: shape, device: ID(high: 1, low: number))
    }

    @Test func aNewDeviceIsDueAtOnceAndAgainOnceItHasMoved() {
        var book = book()
        book.note(key(1), of: anna, at: 0, outboxAge: nil)
        book.note(key(1), of: anna, at: 5 * second, outboxAge: nil)
        #expect(book.counts == (1, 1))
        let taken = book.take(10)
        #expect(taken.map(\.1.first) == [0] && taken.map(\.1.last) == [5 * second])
        book.note(key(1), of: anna, at: 304 * second, outboxAge: nil)
        #expect(book.counts.due == 0, "299 s after what was taken")
        book.note(key(1), of: anna, at: 305 * second, outboxAge: nil)
        book.note(key(1), of: anna, at: 306 * second, outboxAge: nil)
        #expect(book.take(10).map(\.1.last) == [306 * second])
        #expect(book.take(10).isEmpty)
    }

    @Test func anotherVersionOfTheSameDeviceIsAnotherEntry() {
        var book = book()
        book.note(key(1, shape: 0), of: anna, at: 0, outboxAge: nil)
        book.note(key(1, shape: 1), of: anna, at: 0, outboxAge: nil)
        #expect(book.counts == (2, 2))
    }

    @Test func aClockThatGoesBackTakesNothingBack() {
        var book = book()
        book.note(key(1), of: anna, at: 100 * second, outboxAge: nil)
        book.note(key(1), of: anna, at: 50 * second, outboxAge: nil)
        #expect(book.take(1).map(\.1.last) == [100 * second])
    }

    /// A device reports three days, sends all, and then none: that it has nothing left is not lost.
    @Test func anOutboxThatWasEmptiedIsDue() {
        var book = book()
        book.note(key(1), of: anna, at: 0, outboxAge: 259_200)
        _ = book.take(1)
        book.note(key(1), of: anna, at: second, outboxAge: nil)
        #expect(book.counts.due == 0, "nothing was said of it")
        book.note(key(1), of: anna, at: 2 * second, outboxAge: 0)
        #expect(book.take(1).map(\.1.outboxAge) == [0])
        book.note(key(1), of: anna, at: 3 * second, outboxAge: 299)
        #expect(book.counts.due == 0)
    }

    /// The device may have reported to another server that it is empty meanwhile.
    @Test func anOldReportIsNotWrittenWithANewTime() {
        var book = book()
        book.note(key(1), of: anna, at: 0, outboxAge: 5_000)
        _ = book.take(1)
        book.note(key(1), of: anna, at: 300 * second, outboxAge: nil)
        #expect(book.take(1).map(\.1.outboxAge) == [nil])
        book.note(key(1), of: anna, at: 301 * second, outboxAge: 5_001)
        #expect(book.counts.due == 0, "it has said so before")
        book.writeAllAgain()
        #expect(book.take(1).map(\.1.outboxAge) == [5_001])
        book.putBack([(key(1), CensusBook.Entry(first: 0, last: 0, outboxAge: 4_000, subject: anna))])
        #expect(book.take(1).map(\.1.outboxAge) == [4_000])
    }

    @Test func whatCouldNotBeWrittenIsDueAgainAsItIsNow() {
        var book = book()
        book.note(key(1), of: anna, at: 0, outboxAge: nil)
        let taken = book.take(1)
        book.note(key(1), of: anna, at: second, outboxAge: 7)
        book.putBack(taken)
        book.putBack(taken)
        #expect(book.counts == (1, 1))
        let again = book.take(1)
        #expect(again.map(\.1.first) == [0] && again.map(\.1.last) == [second] && again.map(\.1.outboxAge) == [7])
    }

    @Test func aDeviceIsOfWhoeverHadItWhenItBecameDue() {
        var book = book()
        book.note(key(1), of: anna, at: 0, outboxAge: nil)
        #expect(book.take(1).map(\.1.subject) == [anna])
        book.note(key(1), of: "bela", at: 300 * second, outboxAge: nil)
        let taken = book.take(1)
        #expect(taken.map(\.1.subject) == ["bela"])
        book.putBack(taken)
        #expect(book.take(1).map(\.1.subject) == ["bela"])
        book.note(key(1).anonymous, of: anna, at: 0, outboxAge: nil)
        #expect(book.take(1).map(\.1.subject) == [nil], "nobody in particular")
    }

    @Test func whatIsWrittenMakesRoom() {
        var book = book(4)
        for number in 1...4 { book.note(key(UInt64(number)), of: anna, at: 0, outboxAge: nil) }
        let taken = book.take(3)
        book.note(key(5), of: anna, at: second, outboxAge: nil)
        #expect(book.counts == (2, 2), "the one that was not taken, and the new one")
        // Their writing failed after all.
        book.putBack(taken)
        #expect(book.counts.due == 4 + 1, "the last finds no room and is counted as someone")
        #expect(book.take(10).count { $0.0.isAnonymous } == 1)
    }

    /// P9, and no version that is in use is ever taken for unused.
    @Test func beyondTheLimitDevicesAreCountedTogetherInTheirVersion() {
        var book = book(4)
        for number in 1...1_000 {
            book.note(key(UInt64(number), shape: number % 3), of: anna, at: Int64(number) * second, outboxAge: nil)
        }
        #expect(book.counts == (4 + 3, 4 + 3))
        let anonymous = book.take(100).filter(\.0.isAnonymous)
        #expect(Set(anonymous.map(\.0.shape)) == [0, 1, 2])
        #expect(anonymous.map(\.1.last).max() == 1_000 * second)
    }
}
