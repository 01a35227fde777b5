import Foundation
import SyncTestSupport
import Testing

@testable import SyncCommands

/// Tests of `export --output` to a file that exists.
@Suite struct OutputFileTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func aFileKeepsItsModeAndALinkItsTarget() throws {
        let directory = try TemporaryDirectory()
        let (file, link) = ("\(directory.path)/a.ndjson", "\(directory.path)/link")
        try OutputFile.write(Array("one".utf8), to: file)
        // A space is nobody else's business.
        #expect(try mode(file) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        try OutputFile.write(Array("two".utf8), to: link)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "two" && mode(file) == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["a.ndjson", "link"])
    }

    @Test func aDeviceIsWrittenToAndAFullOneSaysSo() throws {
        let directory = try TemporaryDirectory()
        let link = "\(directory.path)/full"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
        let error = try #require(throws: CommandError.self) { try OutputFile.write([1], to: link) }
        #expect(error.description.contains("cannot be written: No space left on device"))
        try OutputFile.write([1], to: "/dev/null")
        let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
        #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
    }

    @Test func aFolderThatIsNotThereIsSaid() throws {
        let error = try #require(throws: CommandError.self) { try OutputFile.write([1], to: "/nowhere/at/all") }
        #expect(error.description == "/nowhere/at/all cannot be written: No such file or directory.")
    }
}
