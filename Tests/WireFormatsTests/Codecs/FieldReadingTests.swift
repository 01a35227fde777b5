import StrictJSON
import Testing

@testable import WireFormats

/// The reading of an object of fields into edits, and of a change's object into its members.
struct FieldReadingTests {
    private enum Notes: SchemaMigrationPlan {
        static let app = "notes"
        static let schemas: [any VersionedSchema.Type] = [V1.self]
        static let stages: [MigrationStage] = []

        enum V1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static let models = Models {
                Model("Note") {
                    Attribute("title", .string)
                    Attribute("size", .int.optional)
                    Attribute("at", .date.optional)
                    Attribute("times", .array(of: .date).optional)
                }
            }
        }
    }

    private struct Refusal: Error, Equatable {
        let name: String
    }

    private let note: Projection

    init() throws {
        note = try #require(try Plan(Notes.self).projection(version: 0, named: "Note"))
    }

    private func read(_ text: String) throws -> (edits: FieldEdits, isRounded: Bool) {
        let members = try #require(try JSONDocument(parsing: text).root.members)
        var isRounded = false
        let edits = try note.edits(
            in: members, isRounded: &isRounded,
            unknownMember: { member throws(Refusal) in if member.key != "known" { throw Refusal(name: member.key) } },
            refusal: { Refusal(name: $1.name) })
        return (edits, isRounded)
    }

    @Test func someFieldsAreAsTheyWereSent() throws {
        let edits = try read(#"{"size":7,"known":0,"title":"a"}"#).edits
        #expect(edits.map(\.field) == [1, 0])
        #expect(edits.map(\.value) == [.int(7), .string("a")])
        #expect(try read("{}").edits.isEmpty)
    }

    @Test(arguments: [
        #"{"title":"é","size":null,"at":"2026-01-31T08:00:00Z","times":[]}"#,
        #"{"times":[],"at":"2026-01-31T08:00:00Z","title":"\u00e9","size":null}"#,
    ])
    func allFieldsAreInTheirOrderHoweverTheyWereSent(_ text: String) throws {
        let edits = try read(text).edits
        let date = Timestamp(microseconds: 1_769_846_400_000_000)
        #expect(edits.inOrder == [.string("é"), .null, .date(date), .json("[]")])
    }

    @Test func whatIsNoFieldOrNoValueOfItIsRefused() {
        #expect(throws: Refusal(name: "other")) { try read(#"{"title":"a","other":1}"#) }
        #expect(throws: Refusal(name: "title")) { try read(#"{"title":1}"#) }
        #expect(throws: Refusal(name: "title")) { try read(#"{"title":"a\u0000"}"#) }
        #expect(throws: Refusal(name: "at")) { try read(#"{"at":"2026-02-30T08:00:00Z"}"#) }
        #expect(throws: Refusal(name: "at")) { try read(#"{"at":"２026-02-20T08:00:00Z"}"#) }
    }

    /// Only a date is kept to the microsecond; a list of dates is kept as it was written.
    @Test(arguments: [
        (#"{"at":"2026-01-31T08:00:00.123456Z"}"#, false), (#"{"at":"2026-01-31T08:00:00.1234560Z"}"#, true),
        (#"{"at":"2026-01-31T08:00:00.1234567Z","size":1}"#, true), (#"{"size":1}"#, false),
        (#"{"times":["2026-01-31T08:00:00.1234567Z"]}"#, false),
    ])
    func itIsSaidWhetherAValueWasFinerThanWhatIsKept(_ text: String, _ isRounded: Bool) throws {
        #expect(try read(text).isRounded == isRounded)
    }

    @Test func aChangeHasItsMembersInAnyOrder() throws {
        let id = ID(high: 1, low: 2)
        let text = #"{"fields":{},"odd":1,"op":"create","increments":3,"version":"1","id":"\#(id)","stamp":4,"x":0}"#
        let members = try #require(try JSONDocument(parsing: text).root.members)
        let change = ChangeMembers(members)
        let (entity, version, operation) = (change.entity?.string, change.version?.string, change.operation?.string)
        let (stamp, increments) = (change.stamp?.int64, change.increments?.int64)
        let (hasFields, changeID, unknown) = (change.fields?.members != nil, change.id, change.unknownMember?.key)
        #expect(entity == nil && version == "1" && operation == "create")
        #expect(stamp == 4 && increments == 3 && hasFields && changeID == id && unknown == "odd")
    }
}
