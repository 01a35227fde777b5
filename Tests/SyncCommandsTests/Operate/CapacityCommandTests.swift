import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver capacity`: its sums, for numbers that are easy to follow.
@Suite struct CapacityCommandTests {
    private func json(_ words: String...) async throws -> JSONValue {
        let run = try await CommandRun(["capacity"] + words + ["--json"])
        #expect(run.status == 0, "\(run.errors)")
        return try JSONValue(parsing: Array(run.output.utf8))
    }

    @Test func aPushASecondIsWhatItIs() async throws {
        let seen = try await json(
            "--devices", "86400", "--edits-a-day", "1", "--in-a-space", "3", "--polls-a-day", "2", "--listening", "50",
            "--creating", "100", "--peak", "4", "--records", "10")
        #expect(seen["pushesPerSecond"] == 1 && seen["pullsPerSecond"] == 2 && seen["pollsPerSecond"] == 2)
        #expect(seen["streams"] == 43200)
        // Three servers for the streams, and one that may be away.
        #expect(seen["servers"] == 4 && seen["sessions"] == 80)
        #expect(seen["diskGrowthBytesPerYear"] == .int(86_400 * 365 * 530))
        #expect(seen["diskBytes"] == .int(86_400 * (10 * 530 + 300)))
        #expect(seen["logBytesPerDay"] == .int(86_400 * 1100))
    }

    @Test func twiceTheDevicesNeedTwiceAsMuch() async throws {
        let (one, two) = try await (
            json("--devices", "1000000", "--edits-a-day", "40"), json("--devices", "2000000", "--edits-a-day", "40")
        )
        for name in ["pushesPerSecond", "cores", "diskGrowthBytesPerYear", "streams"] {
            let ratio = try #require(two[name].number) / #require(one[name].number)
            #expect(abs(ratio - 2) < 0.001, "\(name)")
        }
    }

    @Test(arguments: ["1", "10000", "9223372036854775807"])
    func theTextFitsATerminal(devices: String) async throws {
        let run = try await CommandRun(["capacity", "--devices", devices, "--edits-a-day", "50"])
        #expect(run.status == 0 && run.output.contains("Supposed: 2 devices in a space"), "\(run.errors)")
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(run.output)")
    }

    @Test(arguments: [
        ["--devices", "0", "--edits-a-day", "1"], ["--devices", "99999999999999999999", "--edits-a-day", "1"],
        ["--devices", "1", "--edits-a-day", "-1"], ["--devices", "many", "--edits-a-day", "1"], ["--devices", "5"],
        ["--devices", "5", "--edits-a-day", "1", "--listening", "101"],
    ])
    func whatIsNoNumberIsRefused(words: [String]) async throws {
        let run = try await CommandRun(["capacity"] + words)
        #expect(run.status == 2 && run.errors.contains("‘--"), "\(run.errors)")
    }
}

extension JSONValue {
    fileprivate var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
