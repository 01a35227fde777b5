import Foundation
import StrictJSON
import SyncClient
import SyncTestSupport
import Testing
import WireFormats

/// A device behind a `LyingServer`, and the records that its user has written so far.
final class Victim {
    typealias Business = EasitOpen200.Business

    let shop: Shop
    let liar: LyingServer
    let store: SyncStore
    private(set) var written: [Business] = []

    private init(_ shop: Shop, now: @escaping @Sendable () -> Date) throws {
        self.shop = shop
        liar = LyingServer(truth: shop.server.port)
        store = try shop.store("victim", port: liar.port, now: now)
    }

    static func with(
        now: @escaping @Sendable () -> Date = { Date() }, _ body: (Victim) async throws -> Void
    ) async throws {
        try await Shop.with { shop in
            let victim = try Victim(shop, now: now)
            defer { victim.liar.close() }
            try await body(victim)
        }
    }

    /// Creates a record, as the user does.
    func write() async throws {
        let record = Shop.business("Shop \(written.count)")
        try await store.write { try $0.insert(record) }
        written.append(record)
    }

    /// Syncs while the false response is sent.
    ///
    /// - Returns: the outcome of the sync.
    @discardableResult
    func meet(_ lie: @escaping LyingServer.Lie) async -> Result<SyncSummary, any Error> {
        liar.say(lie)
        let deadline = ContinuousClock.now + .seconds(20)
        do {
            return .success(try await store.syncOnce(deadline: deadline))
        } catch {
            return .failure(error)
        }
    }

    @discardableResult
    func meet(_ answer: [UInt8]) async -> Result<SyncSummary, any Error> { await meet { _ in .bytes(answer) } }

    /// Expects that no record of the user was set aside or is missing.
    func expectNothingLost(_ lie: String) async throws {
        #expect(try await store.conflicts().isEmpty, "\(lie)")
        let shown = try await store.fields(of: "Business")
        #expect(written.allSatisfy { shown[$0.recordID] != nil }, "\(lie)")
    }

    /// Restores the real server, and expects that all records of the user reach it and can be edited.
    func expectRecovery(_ lie: String) async throws {
        liar.say(nil)
        try await write()
        do {
            try await store.syncOnce()
        } catch {
            Issue.record("after \(lie): \(error)")
        }
        try await expectNothingLost(lie)
        #expect(try await store.pendingCount == 0, "\(lie)")
        let there = try await shop.server.view("2.0.0")["Business"] ?? [:]
        #expect(written.allSatisfy { there[$0.recordID.text] != nil }, "\(lie)")
        #expect(try await store.fields(of: "Business").count == there.count, "\(lie)")
    }
}

/// The body of a sync's or a pull's response with some members replaced.
struct TrueBody {
    var members: [(name: String, json: String)] = [
        ("applied", "1"), ("results", "[]"), ("changes", "[]"), ("cursor", #""AZwq""#), ("more", "false"),
        ("serverTime", #""\#(Date().ISO8601Format())""#),
    ]

    func with(_ name: String, _ json: String?) -> TrueBody {
        var body = self
        body.members.removeAll { $0.name == name }
        if let json { body.members.append((name, json)) }
        return body
    }

    var text: String { "{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}" }
    var answer: [UInt8] { LyingServer.answer(200, text) }

    /// Returns a record of a page.
    static func record(
        id: String = UUID().uuidString.lowercased(), stamp: String = "3676673726556160", op: String = "update",
        entity: String = "Business", name: String = #""Café""#, more: String = ""
    ) -> String {
        """
        {"entity":"\(entity)","id":"\(id)","op":"\(op)","seq":1,"stamp":\(stamp)\(more)\
        \(op == "delete" ? "" : ",\"fields\":" + fields(name))}
        """
    }

    static func fields(_ name: String) -> String {
        let record = Shop.business("x")
        var members: [String] = []
        for (key, value) in ((try? record.fields) ?? [:]).sorted(by: { $0.key < $1.key }) {
            var writer = JSONWriter()
            writer.value(value)
            members.append("\"\(key)\":\(key == "name" ? name : String(decoding: writer.bytes, as: UTF8.self))")
        }
        return "{\(members.joined(separator: ","))}"
    }
}
