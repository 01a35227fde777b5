import Foundation
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing

@testable import SyncCommands

/// `serve --config`: a file that says what options do.
@Suite struct ConfigurationFileTests {
    private func options(_ text: String, _ words: [String] = []) throws -> Options {
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/serve.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        let program = CommandSpec.program("syncserver", "", commands: SyncServerProgram.commands)
        let (command, rest) = try CommandPath(program).resolve((["serve", "--config", path] + words)[...])
        let stated = try Options(rest, of: command)
        do { return try ConfigurationFile.filling(stated, of: ServeCommand.spec) } catch let error as UsageError {
            throw UsageError("\(error)".replacing(folder.path, with: ""))
        }
    }

    @Test func eachFormMeansWhatTheLineWouldMean() throws {
        let options = try options(
            #"{"port": 9000, "log-requests": true, "no-gc": false, "trusted-proxies": ["10.0.0.0/8", "127.0.0.1"]}"#)
        #expect(options["port"] == "9000" && options.has("log-requests") && !options.has("no-gc"))
        #expect(options["trusted-proxies"] == "10.0.0.0/8,127.0.0.1")
    }

    @Test func theLineComesFirst() throws {
        let options = try options(#"{"port": 9000, "address": "::1"}"#, ["--port", "9001"])
        #expect(options["port"] == "9001" && options["address"] == "::1")
    }

    /// It lies beside the files that it names.
    @Test func aPathIsSeenFromTheFile() throws {
        let options = try options(#"{"limits": "limits.json", "migrations": "/srv/Migrations"}"#)
        #expect(options["limits"]?.hasSuffix("/limits.json") == true)
        #expect(options["limits"]?.hasPrefix("/") == true && options["migrations"] == "/srv/Migrations")
    }

    @Test func whatAFileWouldHoldMayStandThereItself() throws {
        let options = try options(#"{"limits": {"quotas": {"records": 5}, "rates": {"token": {"perSecond": 7}}}}"#)
        let limits = try LimitsFile(options)
        #expect(limits.quotas.records == 5 && limits.rates?[.token].perSecond == 7)
        let wrong = try self.options(#"{"limits": {"quota": {}}}"#)
        #expect(throws: UsageError.self) { try LimitsFile(wrong) }
    }

    @Test(arguments: [
        (#"{"prot": 1}"#, "Did you mean ‘port’?"), (#"{"config": "other.json"}"#, "no option ‘config’"),
        (#"{"log-requests": "yes"}"#, "‘log-requests’ must be true or false"),
        (#"{"log-level": "loud"}"#, "takes info, warning, error, not ‘loud’"),
        (#"{"port": 1.5}"#, "‘port’ must be a text, a number or an array"), (#"{"port": null}"#, "‘port’ must be"),
        (#"{"address": ""}"#, "‘address’ must be"), (#"["port"]"#, "must be an object of options"),
        (#"{"port": 1, "port": 2}"#, "strict JSON"), (#"{"port": 1"#, "strict JSON"),
        (#"{"limits": true}"#, "a path, or the object that would be in the file"),
        (#"{"address": "127.0.0.1\u0000x"}"#, "‘address’ must be"),
        (#"{"migrate": "auto", "gc-older-than": {}}"#, "‘gc-older-than’ must be"),
    ])
    func whatItCannotMeanIsSaid(text: String, fault: String) throws {
        let error = try #require(throws: UsageError.self) { try options(text) }
        #expect("\(error)".contains("serve.json") && "\(error)".contains(fault), "\(error)")
    }

    @Test func aFileThatIsNotThereIsNamed() async throws {
        let run = try await CommandRun(["serve", "--config", "/nonexistent/serve.json"])
        #expect(run.status == 1 && run.errors.contains("/nonexistent/serve.json"), "\(run.errors)")
    }
}
