import Testing

@testable import SyncCommands

/// The progress reports of a backfill.
@Suite struct MigrationProgressTests {
    @Test(arguments: [
        (500, 1000, 0, "500 of 1000 (50 %), 50 a second, 10 s left"),
        (500, 1000, 400, "500 of 1000 (50 %), 10 a second, 50 s left"),
        // More rows than there were at the beginning.
        (1200, 1100, 0, "1200 of 1100 (100 %), 120 a second, 0 s left"),
        (0, 1000, 0, "0 of 1000 (0 %)"),
        // A large table without statistics.
        (500, 0, 0, "500 rows, 50 a second"), (0, 0, 0, "0 rows"),
    ])
    func itSaysWhatItKnows(done: Int64, all: Int64, first: Int64, text: String) {
        #expect(MigrationProgress.text(done, all, since: first, in: .seconds(10)) == text)
    }
}
