import Foundation
import Glibc
import Postgres
import StrictJSON

/// A build of an app, as the process of one device. The process reads each command as a line of JSON from standard
/// input, and answers it with a line on standard output. `docs/testing-your-builds.md` describes the lines.
actor ClientProcess {
    private let queue = BlockingQueue(label: "client-process")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// The version of the protocol by which the test sends commands to the process.
    static let protocolNumber: Int64 = 1
    /// The longest wait for an answer, in seconds. A first pull of a large space takes seconds.
    private static let answerMaxSeconds = 60
    /// The longest answer, in bytes. An answer may contain all records of a space.
    private static let answerMaxBytes = 256 << 20

    private var command: String
    /// The name of the build's version, for messages.
    private let name: String
    /// The folder in which the build keeps its data. It stays the same when the process is started again.
    private let folder: URL
    private var process: Process?
    private var input: FileHandle?
    private var output: FileHandle?
    /// The bytes that were read after the end of the latest answer. They belong to the next one.
    private var rest: [UInt8] = []

    /// An error of the tested app: its process gave an unexpected answer, or could not execute a command.
    struct Misstep: Error, CustomStringConvertible {
        let description: String
    }

    init(_ command: String, name: String) throws {
        self.command = command
        self.name = name
        folder = FileManager.default.temporaryDirectory.appending(path: "syncserver-client-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Writing to a process that has ended must not end this process.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        if let process, process.isRunning { ClientProcess.killGroup(of: process) }
        try? FileManager.default.removeItem(at: folder)
    }

    func start() throws {
        closePipes()
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        // The shell leads a process group of its own, so that a signal reaches its children, too.
        process.arguments = ["-c", command]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // If other processes held these ends open, the build would not see the end of its input.
        try? input.fileHandleForReading.close()
        try? output.fileHandleForWriting.close()
        self.process = process
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        rest = []
    }

    /// Sends a command, and waits for its answer.
    ///
    /// - Parameters:
    ///   - word: the command, such as `hello`, `edit`, `sync` or `dump`.
    ///   - texts: names and values of members of the command's line.
    ///   - body: writes further members.
    /// - Returns: the answer, in which `ok` is true.
    /// - Throws: `Misstep`, also if `ok` is false.
    @discardableResult
    nonisolated func ask(
        _ word: String, _ texts: [(String, String)] = [],
        _ body: @escaping @Sendable (inout JSONWriter) -> Void = { _ in }
    ) async throws -> sending JSONDocument {
        let answer = try parsed(try await exchange(word, texts, body), word)
        if answer.root["ok"]?.bool == true { return answer }
        let detail = answer.root["detail"]?.string ?? "without ‘detail’"
        throw misstep("answered ‘\(word)’ with ok: false: \(detail)")
    }

    /// Sends a command that consists only of its name, and waits for the answer.
    ///
    /// - Returns: the answer; `nil` if its member `ok` is false.
    nonisolated func answer(_ word: String) async throws -> sending JSONDocument? {
        let answer = try parsed(try await exchange(word, [], { _ in }), word)
        return answer.root["ok"]?.bool == true ? answer : nil
    }

    /// Sends a command, and returns the reason for which the build refuses it; `nil` if the build carries it out.
    nonisolated func refusal(_ word: String) async throws -> String? {
        let answer = try parsed(try await exchange(word, [], { _ in }), word)
        return answer.root["ok"]?.bool == true ? nil : answer.root["detail"]?.string ?? "without ‘detail’"
    }

    /// Sends a command, waits for so many microseconds instead of the answer, and kills the process.
    func send(_ word: String, thenKillAfter microseconds: UInt32) {
        try? input?.write(contentsOf: Data("{\"do\":\"\(word)\"}\n".utf8))
        usleep(microseconds)
        kill()
    }

    /// Sets the command by which the process is started from now on. It starts another build of the app, in the same
    /// folder.
    func become(_ command: String) { self.command = command }

    /// Sends a command, and returns true if the build refuses it.
    nonisolated func refuses(_ word: String) async throws -> Bool {
        try parsed(try await exchange(word, [], { _ in }), word).root["ok"]?.bool == false
    }

    private nonisolated func parsed(_ line: [UInt8], _ word: String) throws -> sending JSONDocument {
        if let answer = try? JSONDocument(parsing: line), answer.root.members != nil { return answer }
        let start = String(decoding: line.prefix(200), as: UTF8.self)
        throw misstep("answered ‘\(word)’ with what is no JSON object: \(start)")
    }

    /// Kills the process and its child processes (`kill -9`), and waits until they have ended.
    func kill() {
        guard let process else { return }
        ClientProcess.killGroup(of: process)
        // Any of them that still runs has the output open. (Foundation's own waiting misses an end now and then, where
        // many processes end.)
        if let output {
            var waiting = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            while poll(&waiting, 1, CInt(ClientProcess.answerMaxSeconds * 1000)) > 0, !output.availableData.isEmpty {}
        }
        self.process = nil
        closePipes()
    }

    /// Closes the pipes to the process. They must be closed explicitly: Foundation (Swift 6.3 on Linux) may miss the
    /// end of a process, and then keeps its pipes open.
    private func closePipes() {
        try? input?.close()
        try? output?.close()
        (input, output) = (nil, nil)
    }

    private static func killGroup(of process: Process) {
        Glibc.kill(-process.processIdentifier, SIGKILL)
        Glibc.kill(process.processIdentifier, SIGKILL)
    }

    /// Asks the process to end, and waits for this up to 10 s.
    ///
    /// - Returns: the exit status of the process; `nil` if it has not ended in that time.
    func stop() throws -> Int32? {
        _ = try exchange("stop", [], { _ in })
        // The end of its input.
        try? input?.close()
        for _ in 0..<1000 {
            guard let process, process.isRunning else { return process?.terminationStatus }
            usleep(10_000)
        }
        return nil
    }

    private func exchange(
        _ word: String, _ texts: [(String, String)], _ body: @Sendable (inout JSONWriter) -> Void
    ) throws -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("do", word)
        if word == "hello" {
            writer.member("protocol", ClientProcess.protocolNumber)
            writer.member("folder", folder.path)
        }
        for (name, text) in texts { writer.member(name, text) }
        body(&writer)
        writer.endObject()
        do {
            try input?.write(contentsOf: Data(writer.bytes + [UInt8(ascii: "\n")]))
        } catch {
            throw misstep("has ended, and could not be told ‘\(word)’")
        }
        return try readLine(after: word)
    }

    private func readLine(after word: String) throws -> [UInt8] {
        guard let output else { throw misstep("was not started") }
        var searched = 0
        while true {
            if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                return line
            }
            searched = rest.count
            if rest.count > ClientProcess.answerMaxBytes { throw misstep("answered ‘\(word)’ with too long a line") }
            var waiting = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, CInt(ClientProcess.answerMaxSeconds * 1000)) > 0 else {
                throw misstep("did not answer ‘\(word)’ within \(ClientProcess.answerMaxSeconds) s")
            }
            let part = output.availableData
            if part.isEmpty { throw misstep("has ended instead of answering ‘\(word)’; what it said is above") }
            rest += part
        }
    }

    private nonisolated func misstep(_ text: String) -> Misstep {
        Misstep(description: "the client of \(name) \(text)")
    }
}
