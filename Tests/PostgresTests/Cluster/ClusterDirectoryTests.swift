import Glibc
import SyncTestSupport
import Testing

@testable import Postgres

@Suite struct ClusterDirectoryTests {
    @Test func aReachableDirectoryIsUsedAsAsked() throws {
        let parent = try TemporaryDirectory()
        let directory = ClusterDirectory(requested: "\(parent.path)/postgres")
        #expect(directory.path == "\(parent.path)/postgres" && !directory.isMoved)
        #expect(directory.socketDirectory == "\(parent.path)/postgres/socket")
    }

    @Test(.enabled(if: geteuid() == 0)) func aDirectoryThatTheServerCannotReachIsMoved() throws {
        let parent = try TemporaryDirectory()
        chmod(parent.path, 0o700)
        let directory = ClusterDirectory(requested: "\(parent.path)/postgres")
        #expect(directory.isMoved && directory.path.hasPrefix("/var/lib/syncserver/"))
        #expect(directory == ClusterDirectory(requested: "\(parent.path)/postgres"))
        #expect(directory.path != ClusterDirectory(requested: "\(parent.path)/other").path)
    }

    @Test func aLongPathKeepsItsSocketElsewhere() throws {
        let parent = try TemporaryDirectory()
        let long = "\(parent.path)/\(String(repeating: "long/", count: 20))"
        let directory = ClusterDirectory(requested: long)
        #expect(directory.socketDirectory.hasPrefix("/tmp/syncserver-"))
        #expect("\(directory.socketDirectory)/.s.PGSQL.5432".utf8.count <= 107)
    }

    @Test func aDirectoryOpenToOthersIsRefused() throws {
        let parent = try TemporaryDirectory()
        let directory = ClusterDirectory(requested: "\(parent.path)/postgres")
        try directory.make()
        try directory.make()
        chmod(directory.socketDirectory, 0o755)
        let error = #expect(throws: ClusterError.self) { try directory.make() }
        guard case .directoryNotPrivate = error else { Issue.record("\(String(describing: error))"); return }
    }

    @Test func aNumberLeftFromACrashIsNotTakenForAServer() throws {
        let parent = try TemporaryDirectory()
        try parent.write("\(getpid())\n\(parent.path)/data\n".utf8, to: "data/postmaster.pid")
        #expect(Postmaster.running(in: "\(parent.path)/data") == nil)
        try parent.write("nonsense".utf8, to: "data/postmaster.pid")
        #expect(Postmaster.running(in: "\(parent.path)/data") == nil)
    }

    @Test func locksAreSharedOrExclusiveAndEndWithTheirHolder() throws {
        let parent = try TemporaryDirectory()
        let path = "\(parent.path)/lock"
        let one = try FileLock(path: path)
        var other: FileLock? = try FileLock(path: path)
        #expect(one.tryShared() && other!.tryShared())
        #expect(!one.tryExclusive())
        other = nil
        #expect(one.tryExclusive())
        other = try FileLock(path: path)
        #expect(!other!.tryShared())
        one.unlock()
        #expect(other!.tryExclusive())
    }
}
