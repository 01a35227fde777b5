import Testing

@testable import PGStore

@Suite struct StatementCacheTests {
    @Test func theLeastRecentlyUsedStatementMakesRoom() {
        var cache = StatementCache(limit: 2)
        #expect(cache.insert("SELECT 1") == ("s1", nil))
        #expect(cache.insert("SELECT 2") == ("s2", nil))
        #expect(cache.name(for: "SELECT 1") == "s1")
        #expect(cache.insert("SELECT 3") == ("s3", "s2"))
        #expect(cache.name(for: "SELECT 2") == nil && cache.name(for: "SELECT 1") == "s1")
        #expect(cache.count == 2)
    }

    @Test func otherTypesReplaceTheStatement() {
        var cache = StatementCache(limit: 2)
        let number = Command("SELECT $1", [.int(1)])
        let text = Command("SELECT $1", [.text("a")])
        _ = cache.insert(number)
        #expect(cache.name(for: Command("SELECT $1", [.int(nil)])) == "s1")
        #expect(cache.name(for: text) == nil)
        #expect(cache.insert(text) == ("s2", "s1"))
        #expect(cache.count == 1)
    }
}
