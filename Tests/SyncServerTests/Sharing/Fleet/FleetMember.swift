import PGStore
import Postgres
import SyncTestSupport
import Synchronization
import WireFormats

/// Somebody of the fleet, with ever new tokens: of an identity provider, or the server's own.
final class FleetMember: Sendable {
    let subject: Subject
    private let source: Source
    private let state = Mutex(State())

    enum Source: Sendable {
        case own(TestServer)
        case provider(TestIssuer, SigningKey)
    }

    private struct State {
        var kept: [FleetToken] = []
        var made = 0
    }

    /// The highest number of tokens that are kept to be used once more.
    private static let keptMax = 3

    /// - Parameter name: as the provider calls somebody, if there is one.
    init(_ name: String, _ source: Source) {
        self.source = source
        switch source {
        case .own: subject = Subject(name)
        case .provider: subject = Subject("test:\(name)")
        }
    }

    var isOfProvider: Bool { if case .provider = source { true } else { false } }

    /// Signs in anew.
    func forget() { state.withLock { $0.kept = [] } }

    /// A token: one that was used before, and that servers may remember, where that is asked for.
    func token(new: Bool, _ random: inout SplitMix64) async throws -> FleetToken {
        if !new, let kept = state.withLock({ $0.kept.randomElement(using: &random) }) { return kept.used }
        let number = state.withLock { state in
            state.made += 1
            return state.made
        }
        let token: FleetToken
        switch source {
        case .own(let server):
            let text = try await server.makeToken(spaces: [], subject: subject.text)
            token = FleetToken(text: text, name: "own \(number)", issued: .now)
        case .provider(let issuer, let key):
            let now = Timestamp.now
            let name = String(subject.text.dropFirst("test:".count))
            // With a fraction, so that who comes back need not wait for the next second.
            let claims = issuer.claims(
                name, ["iat": .double(Double(now.microseconds) / 1_000_000), "jti": .int(Int64(number))])
            token = FleetToken(text: key.token(claims), name: "signed \(number)", issued: now)
        }
        state.withLock { state in
            state.kept.append(token)
            if state.kept.count > FleetMember.keptMax { state.kept.removeFirst() }
        }
        return token
    }
}

/// A bearer token of a request.
struct FleetToken: Sendable {
    let text: String
    /// For people.
    let name: String
    /// The time at which a token of the server surely existed.
    let issued: Timestamp
    /// No server knew it before.
    let made = ContinuousClock.now
    /// True if the token was not used since then, but perhaps by another request at the same time.
    var isNew = true

    var used: FleetToken {
        var token = self
        token.isNew = false
        return token
    }
}
