import SyncEngine
import SyncServer
import Testing
import WireFormats

/// Tests of the histories that the fleet's judge takes for possible.
@Suite struct SpaceHistoryTests {
    private static let start = ContinuousClock.now
    private static let (offer, record) = (ID(high: 1, low: 1), ID(high: 2, low: 2))

    private static func event(_ kind: SpaceEvent.Kind, _ times: ClosedRange<Int>, isCertain: Bool = true) -> SpaceEvent
    {
        SpaceEvent(
            kind: kind, from: start + .seconds(times.lowerBound), to: start + .seconds(times.upperBound),
            isCertain: isCertain
        ) { "\(kind)" }
    }

    private func isPossible(_ events: [SpaceEvent], from before: MemberModel, to after: MemberModel) -> Bool {
        SpaceHistory(events: events).fault(from: before, to: after) == nil
    }

    private let both = MemberModel(members: ["anna": .owner, "bela": .editor])
    private let alone = MemberModel(members: ["anna": .owner])

    @Test func aPushIsTakenBeforeItsSenderIsRemovedAndNotAfterwards() {
        let removal = Self.event(.removed("anna", "bela"), 2...4)
        let pushed = MemberModel(members: alone.members, records: [Self.record])
        for times in [0...1, 1...3, 3...9, 1...9, 2...4] {
            let push = Self.event(.pushed("bela", Self.record), times)
            #expect(isPossible([push, removal], from: both, to: pushed))
            #expect(!isPossible([push, removal], from: both, to: alone), "it is lost")
        }
        #expect(!isPossible([Self.event(.pushed("bela", Self.record), 5...9), removal], from: both, to: pushed))
        #expect(!isPossible([Self.event(.pushed("bela", Self.record), 5...9), removal], from: both, to: alone))
    }

    @Test func nobodyReadsWhatWasPushedAfterItsRemoval() {
        let removal = Self.event(.removed("anna", "bela"), 2...3)
        let pushed = MemberModel(members: alone.members, records: [Self.record])
        for (times, isRight) in [(1...9, true), (4...9, false)] {
            let push = Self.event(.pushed("anna", Self.record), times)
            let pull = Self.event(.pulled("bela", [Self.record]), 1...8)
            #expect(isPossible([removal, push, pull], from: both, to: pushed) == isRight)
        }
    }

    @Test func ofTwoOwnersWhoGoAtOnceOneStays() {
        let owners = MemberModel(members: ["anna": .owner, "bela": .owner, "clea": .reader])
        let left = MemberModel(members: ["bela": .owner, "clea": .reader])
        let one = Self.event(.went("anna", false), 1...5)
        #expect(isPossible([one, Self.event(.needed("bela"), 2...6)], from: owners, to: left))
        let none = MemberModel(members: ["clea": .reader])
        #expect(!isPossible([one, Self.event(.went("bela", false), 2...6)], from: owners, to: none))
        #expect(
            !isPossible([one, Self.event(.went("bela", true), 2...6)], from: owners, to: MemberModel(isErased: true)))
    }

    @Test func anOfferIsVoidOnceItsMakerIsNoOwner() {
        let owners = MemberModel(members: ["anna": .owner, "bela": .owner])
        let invitation = Self.event(.invited("bela", Self.offer, .owner), 0...1)
        let acceptance = Self.event(.accepted("clea", Self.offer, .owner, .owner), 4...6)
        let joined = MemberModel(members: ["anna": .owner, "bela": .reader, "clea": .owner])
        for (times, isRight) in [(2...3, false), (2...5, true), (7...8, true)] {
            let change = Self.event(.changed("anna", "bela", .reader), times)
            #expect(isPossible([invitation, change, acceptance], from: owners, to: joined) == isRight)
        }
        // It is good once.
        let again = Self.event(.accepted("dora", Self.offer, .owner, .owner), 5...9)
        #expect(!isPossible([invitation, acceptance, again], from: owners, to: joined))
        let refused = Self.event(.refused(Self.offer), 4...5)
        let both = MemberModel(members: ["anna": .owner, "bela": .owner, "clea": .owner])
        #expect(isPossible([invitation, acceptance, refused], from: owners, to: both))
        #expect(!isPossible([invitation, Self.event(.refused(Self.offer), 2...3), acceptance], from: owners, to: both))
    }

    @Test func whatMayHaveBeenIsFoundInTheEnd() {
        let going = Self.event(.went("bela", nil), 1...2, isCertain: false)
        #expect(isPossible([going], from: both, to: both) && isPossible([going], from: both, to: alone))
        // It was by its answer, or never.
        let pull = Self.event(.pulled("bela", []), 3...4)
        #expect(isPossible([going, pull], from: both, to: both) && !isPossible([going, pull], from: both, to: alone))
    }
}
