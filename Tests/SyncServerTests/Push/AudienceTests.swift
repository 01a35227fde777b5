import DemoApps
import Foundation
import PlantedBugs
import StrictJSON
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Tests of the devices that must receive a record after a push, by what each has read and pushed, and
/// by the verdicts.
@Suite struct AudienceTests {
    private let plan: Plan
    private let id = ID.random()
    private let device = ID.random()

    init() throws {
        plan = try Plan(FitIQPlan.self)
    }

    /// Unless it has filled in itself what the server fills in, here the time of creation.
    @Test func whoCreatesARecordHoldsIt() throws {
        let entry = try entry(before: nil, pushing: .create("SDMeal", id, ["notes": "soup"], at: moment(5)))
        #expect(entry.copy.doubts == .filledIn)
        #expect(audience(of: entry) == .everybody)
        entry.copy.doubts = []
        #expect(audience(of: entry) == .others)
        #expect(audience(of: entry, isKnown: false) == .everybody)
    }

    @Test func whoEditsARecordHoldsItIfItHasReadIt() throws {
        let entry = try entry(
            before: record(7), pushing: .update("SDMeal", id, ["notes": "stew"], at: moment(5)))
        #expect(audience(of: entry, reading: .through(7, acknowledged: NumberRanges())) == .others)
        #expect(audience(of: entry, reading: .through(6, acknowledged: NumberRanges())) == .everybody)
        #expect(audience(of: entry, reading: .nothing) == .everybody)
    }

    @Test(arguments: [
        DeviceCopy.Doubts.migrated, .rounded, .filledIn, .lost, .believedAlive, .returning,
    ])
    func aDeviceThatMayHoldAnotherValueIsSentIt(doubt: DeviceCopy.Doubts) throws {
        let entry = try entry(
            before: record(7), pushing: .update("SDMeal", id, ["notes": "stew"], at: moment(5)))
        entry.copy.doubts.insert(doubt)
        #expect(audience(of: entry, reading: .through(7, acknowledged: NumberRanges())) == .everybody)
    }

    /// The device may hold the value of either of its two edits.
    @Test func aDeviceThatLosesAgainstItselfInANewRecordIsSentIt() throws {
        #expect(try audienceOfLostEdit() == .everybody)
    }

    /// A process reads once which bug it has, so another process has it.
    @Test func aNewRecordThatIsNotSentToItsDeviceIsFound() async {
        await #expect(processExitsWith: .success) {
            setenv("SYNCSERVER_PLANT", PlantedBug.lostUntold.rawValue, 1)
            exit(try AudienceTests().audienceOfLostEdit() == .others ? 0 : 1)
        }
    }

    /// Returns the audience of a new record, one of whose edits lost against another one in the same push.
    private func audienceOfLostEdit() throws -> Audience {
        let entry = try entry(before: nil, pushing: .create("SDMeal", id, ["notes": "soup"], at: moment(5)))
        entry.copy.doubts = .lost
        return audience(of: entry)
    }

    /// An unchanged value is news to a device that lost against it, if nothing else will send it.
    @Test func theCurrentValueIsSentAgainToADeviceThatLostAgainstIt() throws {
        let before = try record(7)
        let entry = WorkingSet.Entry(key: key, before: before, state: before)
        let hasRead = ReadProgress.through(7, acknowledged: NumberRanges())
        #expect(audience(of: entry, reading: hasRead) == .nobody)
        entry.copy.doubts.insert(.lost)
        #expect(audience(of: entry, reading: hasRead) == .everybody)
        #expect(audience(of: entry, reading: .nothing) == .nobody)
    }

    /// Its clock was set back in between: it has the record no more, and nothing else says that it is there.
    @Test func aDeviceThatDeletesItsOwnRecordInVainIsSentIt() async throws {
        try await withTestServer(SidesPlan.self, migrations: try SidesPlan.migrations()) { server in
            let device = server.device("1.0.0")
            try await device.pullAll()
            let answer = try await device.push([
                .create("Can", id, ["width": 3, "height": 4], at: moment(5)), .delete("Can", id, at: moment(4)),
            ])
            #expect(answer.verdicts == ["applied", "superseded"])
            #expect(try await device.pullAll().map { $0["id"].string } == [id.description])
        }
    }

    /// A device that begins with a retry has not received that the record is dead.
    @Test func anEarlierDeletionIsSentToADeviceThatBelievesItsRecordAlive() throws {
        var dead = try record(7)
        dead.deletedStamp = Stamp(unchecked: moment(9))
        dead.isAlive = false
        let entry = WorkingSet.Entry(key: key, before: dead, state: dead)
        entry.copy.doubts.insert(.believedAlive)
        #expect(audience(of: entry, reading: .nothing) == .everybody)
        #expect(audience(of: entry, reading: .through(6, acknowledged: NumberRanges())) == .nobody)
    }

    /// A retry leaves the device with its own old value on top of what it was sent since.
    @Test func aRetryOfWhatWasEditedSinceIsSentTheCurrentValue() throws {
        var before = try record(7)
        let change = try change(.update("SDMeal", id, ["notes": "old"], at: moment(2)))
        let entry = WorkingSet.Entry(key: key, before: before, state: before)
        entry.note(change, isNew: false, in: entity)
        #expect(audience(of: entry, reading: .through(7, acknowledged: NumberRanges())) == .everybody)
        before.seq = 8
        let unread = WorkingSet.Entry(key: key, before: before, state: before)
        unread.note(change, isNew: false, in: entity)
        #expect(audience(of: unread, reading: .through(7, acknowledged: NumberRanges())) == .nobody)
    }

    private func audience(
        of entry: WorkingSet.Entry, isKnown: Bool = true, reading: ReadProgress = .nothing
    ) -> Audience {
        let now = Stamp(unchecked: moment(0))
        let push = Push(
            space: .random(), device: isKnown ? device : nil, mode: .patch, count: 0, changes: [], latestAccepted: now,
            clampedTo: now, cursor: nil, reading: reading, massDeletions: nil,
            quarantine: PushQuarantine(plan, mode: .patch))
        return Audience(of: entry, in: entity, Audience.Rules(push))
    }

    /// A record as it is once a change of a device is merged.
    private func entry(before: RecordState?, pushing json: JSONValue) throws -> WorkingSet.Entry {
        let change = try change(json)
        let stamp = try #require(change.stamp)
        guard let before else {
            var state = try ConflictMerge.starting(change, at: stamp, in: entity)
            state.isAlive = true
            let entry = WorkingSet.Entry(key: key, before: nil, state: state)
            entry.note(change, isNew: true, in: entity)
            return entry
        }
        var state = before
        _ = try ConflictMerge.apply(change, at: stamp, to: &state, in: entity, readers: [], read: nil)
        let entry = WorkingSet.Entry(key: key, before: before, state: state)
        entry.note(change, isNew: false, in: entity)
        return entry
    }

    private func record(_ number: Int64) throws -> RecordState {
        let change = try change(.create("SDMeal", id, ["notes": "soup"], at: moment(1)))
        var state = try ConflictMerge.starting(change, at: Stamp(unchecked: moment(1)), in: entity)
        (state.seq, state.isAlive) = (number, true)
        return state
    }

    private func change(_ json: JSONValue) throws -> Change {
        let reader = ChangeReader(plan: plan, version: plan.newest)
        return try reader.read(JSONDocument(parsing: json.bytes).root).get()
    }

    private var entity: HubEntity {
        plan.hub.entities.first { $0.table == "sd_meal" }!
    }

    private var key: WorkingSet.Key { WorkingSet.Key(entity: entity.index, id: id) }
}
