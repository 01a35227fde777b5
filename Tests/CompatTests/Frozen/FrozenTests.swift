import DemoApps
import Foundation
import Postgres
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncCommands

/// P6: a published version's shape never changes, and an edit of one is found before it can run.
@Suite struct FrozenTests {
    @Test func everythingServedOutOfTheBoxIsPublishedAndAsItWas() throws {
        let publication = try Publication(
            migrations: Repository.migrationsDirectory, plans: DemoApps.all.map { try Plan($0) },
            lines: Repository.migrations())
        #expect(publication.problems() == [])
        #expect(publication.unfrozen == [], "run ‘syncserver schema freeze’ and commit what it writes")
        #expect(publication.check.fixtures != nil, "the fixtures lie beside the migrations")
    }

    private func published() async throws -> PublishedCopy {
        let copy = try PublishedCopy()
        let added = try await copy.publication(NotesPlan.self).freeze(cases: 1, seed: 1)
        try #require(added.count == 3, "a migration and two versions")
        return copy
    }

    private static let lockPath = "Migrations/\(SchemaLock.fileName)"

    @Test func whatWasJustFrozenIsInOrderAndIsNotFrozenAgain() async throws {
        let copy = try await published()
        let lock = try copy.text(FrozenTests.lockPath)
        #expect(try copy.codes(NotesPlan.self) == [])
        #expect(try await copy.publication(NotesPlan.self).freeze(cases: 1, seed: 1) == [])
        #expect(try copy.text(FrozenTests.lockPath) == lock)
    }

    /// Git may give a checkout other line ends.
    @Test(arguments: ["\r\n", "\r"]) func whatWasFrozenIsInOrderWhateverEndsItsLines(_ end: String) async throws {
        let copy = try await published()
        let folder = "\(Publication.fixturesPath)/notes/1.0.0"
        for name in [
            FrozenTests.lockPath, "\(folder)/Note.ndjson", "\(folder)/schema.json",
            "Migrations/notes/0001-create-notes.sql",
        ] { try copy.write(copy.text(name).replacing("\n", with: end), to: name) }
        #expect(try copy.codes(NotesPlan.self) == [])
    }

    @Test func aNewVersionIsAddedToTheLockAndNothingElseChanges() async throws {
        let copy = try await published()
        let lock = try copy.text(FrozenTests.lockPath)
        let publication = try copy.publication(NotesPlan.Extended.self)
        #expect(publication.problems() == [])
        #expect(publication.unfrozen == ["notes 4.0.0"])
        #expect(try await publication.freeze(cases: 1, seed: 1).map(\.subject).count == 1)
        #expect(try copy.text(FrozenTests.lockPath).hasPrefix(lock))
        #expect(try copy.codes(NotesPlan.Extended.self) == [])
    }

    @Test("S4_12, S5_09: an edited, removed or belated version is found, and named with what differs")
    func aChangedVersionIsFound() async throws {
        let copy = try await published()
        let edited = try copy.publication(NotesPlan.Edited.self).problems()
        #expect(edited.map(\.code) == [.editedVersion])
        #expect(edited[0].message.contains(#"+ Note: attribute color String"#), "\(edited)")
        #expect(try copy.codes(NotesPlan.Rejoined.self) == [.editedVersion])
        #expect(try copy.codes(NotesPlan.Shortened.self) == [.removedVersion])
        #expect(try copy.codes(NotesPlan.Inserted.self) == [.lateVersion])
    }

    @Test("S3_12: a second shape of a number is published beside the first, and keeps its index")
    func aVariantIsPublishedBesideItsVersion() async throws {
        let copy = try await published()
        let publication = try copy.publication(NotesPlan.TwoShapes.self)
        #expect(publication.problems() == [])
        #expect(publication.unfrozen.count == 1)
        #expect(try await publication.freeze(cases: 1, seed: 1).count == 1)
        #expect(try copy.codes(NotesPlan.TwoShapes.self) == [])
        #expect(try copy.codes(NotesPlan.self) == [.removedVersion])
        // Another edit of the same shape, and a new version before it.
        #expect(try copy.codes(NotesPlan.OtherShape.self) == [.editedVersion])
        #expect(try await copy.publication(NotesPlan.TwoShapesExtended.self).freeze(cases: 1, seed: 1).count == 1)
        #expect(try copy.codes(NotesPlan.TwoShapesExtended.self) == [])
        #expect(try copy.codes(NotesPlan.Moved.self) == [.reorderedVersion])
    }

    @Test("S4_12, M36: an edited or missing migration is found")
    func aChangedMigrationIsFound() async throws {
        let copy = try await published()
        let path = "Migrations/notes/0001-create-notes.sql"
        try copy.write("CREATE TABLE notes.note (text text, more text);\n", to: path)
        #expect(try copy.codes(NotesPlan.self) == [.editedMigration])
        try copy.remove(path)
        #expect(try copy.codes(NotesPlan.self) == [.missingMigration])
    }

    @Test("S4_12, M2: a line of the lock that is edited, removed or moved breaks its chain", arguments: 0..<3)
    func aChangedLineBreaksTheChain(fault: Int) async throws {
        let copy = try await published()
        var lines = try copy.text(FrozenTests.lockPath).split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.hasPrefix("version") })
        switch fault {
        case 0: lines[first] = lines[first].replacing("1.0.0", with: "1.0.1")
        case 1: lines.remove(at: first)
        default: lines.swapAt(first, first + 1)
        }
        try copy.write(lines.joined(separator: "\n"), to: FrozenTests.lockPath)
        #expect(try copy.codes(NotesPlan.self) == [.brokenChain])
        try copy.write("no line of ours\n", to: FrozenTests.lockPath)
        #expect(try copy.codes(NotesPlan.self) == [.malformedLine])
    }

    @Test("S4_12, M2: a lock rewritten as a whole departs from the base branch's", .enabled(if: PublishedCopy.hasGit))
    func aRewrittenLockDepartsFromTheBase() async throws {
        let copy = try await published()
        try copy.git("init", "--quiet", "--initial-branch", "main")
        try copy.git("add", ".")
        try copy.git("commit", "--quiet", "--message", "Publish")
        try copy.git("checkout", "--quiet", "-b", "topic")
        #expect(try copy.codes(NotesPlan.self) == [])

        // The whole lock is written anew for the edited version; by itself it is valid.
        try copy.remove(FrozenTests.lockPath)
        _ = try await copy.publication(NotesPlan.Edited.self).freeze(cases: 1, seed: 1)
        #expect(try copy.codes(NotesPlan.Edited.self) == [.rewritten])
        // Commits change nothing, neither on the branch nor on the base.
        try copy.git("commit", "--quiet", "--all", "--message", "Rewrite")
        #expect(try copy.codes(NotesPlan.Edited.self) == [.rewritten])
        try copy.git("checkout", "--quiet", "main")
        try copy.git("merge", "--quiet", "topic")
        #expect(try copy.codes(NotesPlan.Edited.self) == [.rewritten])
    }

    @Test func aFixtureThatIsMissingOrEditedIsFound() async throws {
        let copy = try await published()
        let folder = "\(Publication.fixturesPath)/notes/1.0.0"
        let fixture = try copy.text("\(folder)/Note.ndjson")
        try copy.write(fixture.replacing("\"text\":\"", with: "\"text\":\"x"), to: "\(folder)/Note.ndjson")
        #expect(try copy.codes(NotesPlan.self) == [.editedFixture])
        try copy.write(fixture, to: "\(folder)/Note.ndjson")
        #expect(try copy.codes(NotesPlan.self) == [])
        try copy.remove(folder)
        #expect(try copy.codes(NotesPlan.self) == [.missingFixture])
    }

    @Test func freezingRefusesToPublishOverWhatIsNotInOrder() async throws {
        let copy = try await published()
        let lock = try copy.text(FrozenTests.lockPath)
        #expect(throws: CommandError.self) {
            try copy.publication(NotesPlan.Edited.self).admit(unfrozen: true)
        }
        // FitIQ's own declarations, and a lock with another shape for one of them.
        var forged = SchemaLock()
        forged.append(
            .version(app: "fitiq", Schema.Version(0, 0, 4), fingerprint: "0123456789abcdef", fixtures: "none"))
        try FileManager.default.copyItem(atPath: Repository.migrationsDirectory, toPath: copy.path("Others"))
        try copy.write(forged.text, to: "Others/\(SchemaLock.fileName)")
        let words = ["--app", "fitiq", "--cases", "1", "--migrations", copy.path("Others")]
        #expect(await SyncServerProgram.main(["syncserver", "schema", "freeze"] + words) == 1)
        #expect(await SyncServerProgram.main(["syncserver", "schema", "check"] + words) == 1)
        #expect(try copy.text("Others/\(SchemaLock.fileName)") == forged.text)
        #expect(try copy.text(FrozenTests.lockPath) == lock)
    }

    @Test("S2_11: a plan that breaks a law is not published, and the law is named")
    func whatBreaksALawIsNotFrozen() async throws {
        let copy = try await published()
        let lock = try copy.text(FrozenTests.lockPath)
        let publication = try copy.publication(NotesPlan.Unlawful.self)
        let refusal = await #expect(throws: CommandError.self) { try await publication.freeze(cases: 50, seed: 1) }
        #expect(refusal?.description.contains("law ") == true)
        #expect(try copy.text(FrozenTests.lockPath) == lock)
    }

    @Test("S2_11, S4_11, S5_17, M36: a version that is not frozen is not served, except for development")
    func whatIsNotFrozenIsNotServed() async throws {
        let copy = try await published()
        let publication = try copy.publication(NotesPlan.Extended.self)
        let refusal = #expect(throws: CommandError.self) { try publication.admit(unfrozen: false) }
        #expect(refusal?.description.contains("notes 4.0.0") == true)
        try publication.admit(unfrozen: true)
        _ = try await publication.freeze(cases: 1, seed: 1)
        try copy.publication(NotesPlan.Extended.self).admit(unfrozen: false)
    }
}
