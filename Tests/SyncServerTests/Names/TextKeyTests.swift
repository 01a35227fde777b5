import SyncEngine
import SyncServer
import Testing
import WireFormats

/// The keys that texts get.
@Suite struct TextKeyTests {
    private static func key(_ text: String, app: String = "bookshop", entity: Int = 1) throws -> ID {
        let plan = try Plan(BookshopPlan<NoFault>.self)
        return TextKey.key(of: text, app: app, entity: plan.hub.entities[entity])
    }

    /// `printf '8:bookshop,5:Shelf,4:dune,' | sha256sum`, with the bits of version and variant.
    @Test func theKeyNeverChanges() throws {
        #expect(try Self.key("dune").description == "bfd35198-25ba-8e80-f9cb-545fb20d511c")
    }

    @Test func aUUIDInLowerCaseIsItsOwnKey() throws {
        for id in [ID.random(), ID(high: 0, low: 0), ID(high: .max, low: .max), ID.random().derived(for: "x")] {
            #expect(try Self.key(id.description) == id)
            #expect(!TextKey.isMade(id))
            if id.high > 0 { #expect(try Self.key(id.description.uppercased()) != id) }
        }
        let made = try Self.key("dune")
        #expect(try Self.key(made.description) == made)
    }

    @Test func aTextIsAnotherInEachAppAndEntity() throws {
        let keys = [
            try Self.key("dune"), try Self.key("dune", app: "library"), try Self.key("dune", entity: 0),
            // Where one part ends is part of it.
            try Self.key("une", app: "bookshopd"), try Self.key("e\u{301}"), try Self.key("\u{E9}"),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy(TextKey.isMade))
    }

    @Test func noTwoTextsHaveOneKey() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        let plan = try Plan(BookshopPlan<NoFault>.self)
        var texts: [ID: [UInt8]] = [:]
        for _ in 0..<2_000 {
            let text = TextIDs.draw(using: &random)
            let key = TextKey.key(of: text, app: plan.app, entity: plan.hub.entities[0])
            let other = texts.updateValue(Array(text.utf8), forKey: key)
            #expect(other == nil || other == Array(text.utf8), "seed \(seed): \(text)")
            #expect(TextKey.isMade(key) != (text == key.description), "seed \(seed): \(text)")
        }
    }
}
