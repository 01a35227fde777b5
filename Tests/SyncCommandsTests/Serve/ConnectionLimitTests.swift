import Testing

@testable import SyncCommands

/// `serve --connections-per-address`
@Suite struct ConnectionLimitTests {
    @Test(
        "16.12: an address has a limit, unless all come from one",
        arguments: [
            (nil, "127.0.0.1", nil), (nil, "::1", nil), (nil, "0.0.0.0", 1_024), (nil, "192.0.2.1", 1_024),
            ("7", "127.0.0.1", 7), ("7", "::", 7), ("0", "0.0.0.0", nil),
        ] as [(String?, String, Int?)])
    func limitOfAnAddress(stated: String?, address: String, limit: Int?) throws {
        let words = stated.map { ["--connections-per-address", $0] } ?? []
        let options = try Options(words, of: CommandPath(ServeCommand.spec))
        #expect(try ServeCommand.connectionsPerAddress(options, address: address) == limit)
    }
}
