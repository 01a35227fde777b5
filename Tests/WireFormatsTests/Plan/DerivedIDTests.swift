import Testing
import WireFormats

@Suite struct DerivedIDTests {
    private let parent = ID("5c1a0f7e-1f3c-4a8e-9f54-2f9d6f0c1a11")!

    /// Devices derive the same ids, so a derived id never changes.
    @Test(arguments: [
        ("", "ed6dc781-744b-80f4-a9ea-7bb043b2739e"), ("openingHours/2/0", "ae1f5d6f-f8d4-8a3f-aa5e-6b0344a76313"),
        ("openingHours/2/1", "391f7a8b-254c-8da6-8a4f-4b127b8cdca9"), ("é", "8d88e7ba-5629-8174-86eb-13dcec0c7db4"),
    ])
    func theSameParentAndNameGiveTheSameIDForEver(name: String, id: String) {
        #expect(parent.derived(for: name).description == id)
    }

    @Test func itIsOfVersion8() {
        let id = parent.derived(for: "a")
        #expect(id.high >> 12 & 0xF == 8)
        #expect(id.low >> 62 == 0b10)
    }

    @Test func parentsAndNamesTellIDsApart() {
        let parents = [parent, ID(high: parent.high, low: parent.low ^ 1), ID(high: parent.high ^ 1, low: parent.low)]
        let names = (1...7).flatMap { day in (0..<20).map { "openingHours/\(day)/\($0)" } }
        let ids = parents.flatMap { parent in names.map { parent.derived(for: $0) } }
        #expect(Set(ids).count == parents.count * names.count)
    }
}
