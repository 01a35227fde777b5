import Testing

@testable import Postgres

@Suite struct StatementCacheTests {
    @Test func theLeastRecentlyUsedStatementMakesRoom() {
        var cache = StatementCache(limit: 2)
        let names = (cache.insert("SELECT 1"), cache.insert("SELECT 2"))
        #expect(names == ("s1", "s2") && cache.abandoned == [])
        #expect(cache.name(for: "SELECT 1") == "s1")
        let third = cache.insert("SELECT 3")
        #expect(third == "s3" && cache.abandoned == ["s2"])
        #expect(cache.name(for: "SELECT 2") == nil && cache.name(for: "SELECT 1") == "s1")
        #expect(cache.count == 2)
        cache.noteForgotten(1)
        #expect(cache.abandoned == [])
    }

    /// One of other types may have been the one that makes room: both go.
    @Test func twoMayBeForgottenForOne() {
        var cache = StatementCache(limit: 1)
        _ = cache.insert(Command("SELECT $1", [.int(1)]))
        _ = cache.insert(Command("SELECT $1", [.text("a")]))
        _ = cache.insert("SELECT 2")
        #expect(cache.abandoned == ["s1", "s2"] && cache.count == 1)
    }

    @Test func otherTypesReplaceTheStatement() {
        var cache = StatementCache(limit: 2)
        let number = Command("SELECT $1", [.int(1)])
        let text = Command("SELECT $1", [.text("a")])
        _ = cache.insert(number)
        #expect(cache.name(for: Command("SELECT $1", [.int(nil)])) == "s1")
        #expect(cache.name(for: text) == nil)
        let other = cache.insert(text)
        #expect(other == "s2" && cache.abandoned == ["s1"])
        #expect(cache.count == 1)
    }
}
