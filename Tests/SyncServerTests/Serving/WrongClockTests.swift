import PGStore
import Postgres
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// A server on a machine whose clock is wrong goes by the database's, stays useful, and removes nothing.
@Suite struct WrongClockTests {
    private static let day = Duration.seconds(86_400)
    private let meal = ID.random()

    /// A wrong clock removes no tombstones: a device that was away for a day must still receive the deletion.
    @Test(arguments: [day * 181, day * -181])
    func aServerOnAMachineWithAWrongClockRemovesNothing(off: Duration) async throws {
        try await withTestServer { server in
            let (away, present) = (server.device(), server.device())
            try await away.push([.create("SDMeal", meal, ["notes": "soup"], at: moment(1))])
            try await away.pullAll()
            try await present.pullAll()
            try await present.push([.delete("SDMeal", meal, at: moment(2))])
            // Notes where the head is today.
            #expect(try await server.collect() == 0)
            try await server.withServer(on: WrongClock(by: off)) { wrong in
                let error = try await #require(throws: ClockDisagreement.self) { try await wrong.collect() }
                #expect(error.kind == .hostDiffers)
                for time in [error.host, error.database] { #expect("\(error)".contains("\(time)")) }
                _ = await #expect(throws: ClockDisagreement.self) { try await wrong.collect(olderThanDays: 0) }
            }
            #expect(try await server.collect() == 0)
            #expect(try await server.horizon() == 0)
            // Its edit from before comes late.
            let answer = try await away.push([.update("SDMeal", meal, ["notes": "stew"], at: moment(1) + 1)])
            #expect(answer.verdicts == ["superseded"])
            try await away.pullAll()
            #expect(await !away.holds("SDMeal", meal))
            #expect(try await server.view("0.1.1")["SDMeal"]?[meal.description] == nil)
        }
    }

    /// By its own clock it would note the head of now as one of half a year ago, and the next collection would believe
    /// that.
    @Test func aServerOnAMachineWhoseClockIsBehindNotesNoHead() async throws {
        try await withTestServer { server in
            try await server.device().push([
                .create("SDMeal", meal, at: moment(1)), .delete("SDMeal", meal, at: moment(2)),
            ])
            try await server.withServer(on: WrongClock(by: Self.day * -181)) { wrong in
                _ = await #expect(throws: ClockDisagreement.self) { try await wrong.collect() }
            }
            #expect(try await server.rowCount("sync.mark") == 0)
            #expect(try await server.collect() == 0)
            #expect(try await server.rowCount("fitiq.sd_meal") == 1)
        }
    }

    /// A day ahead, right, and a day behind, under a server at work: the stamps that it gives are later than what was
    /// said a minute ago, and earlier than what is said in a minute.
    @Test func aMachinesClockThatIsSetMakesNoEditLate() async throws {
        try await withTestServer { server in
            let clock = WrongClock(by: Self.day)
            try await server.withServer(on: clock) { wrong in
                let (here, there) = (wrong.device(), server.device())
                for off in [Self.day, .zero, .zero - Self.day, Self.day] {
                    clock.set(to: off)
                    let meal = ID.random()
                    for (device, notes, stamp) in [
                        (there, "a minute ago", self.stamp(ahead: -60)), (here, "now", nil),
                        (there, "in a minute", self.stamp(ahead: 60)),
                    ] {
                        let answer = try await device.send([
                            .update("SDMeal", meal, ["notes": .string(notes)], at: stamp)
                        ])
                        #expect(answer.verdicts == ["applied"], "\(notes), after \(off)")
                    }
                }
            }
        }
    }

    /// By its own clock it would take the stamp as it is.
    @Test func aMachineThatIsADayAheadBringsBackStampsThatAreAnHourAhead() async throws {
        try await withTestServer { server in
            try await server.withServer(on: WrongClock(by: Self.day)) { wrong in
                let sent = stamp(ahead: 3_600)
                let answer = try await wrong.device().send([.create("SDMeal", meal, at: sent)])
                let given = try #require(answer.stamps[0])
                #expect(given < sent - 3_000_000 << 11)
            }
        }
    }

    /// Returns the stamp of a device whose clock is right.
    private func stamp(ahead seconds: Int64) -> Int64 {
        Stamp(milliseconds: Timestamp.now.microseconds / 1000 + seconds * 1_000).rawValue
    }
}
