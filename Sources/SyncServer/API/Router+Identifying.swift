import HTTPServer
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import WireFormats

/// Identification of a request's sender by its token, which is looked up in the database if necessary.
extension Router {
    /// The sender of a request, or the look-up that finds it.
    enum Identified {
        case bearer(TokenBearer)
        case lookUp(Authenticator.Token, network: String)
    }

    /// Identifies the sender of a request that needs a token. A sender that is not identified is charged to the rate
    /// limit of its network, before anything is looked up.
    func identify(_ call: Call) throws(Problem) -> Identified {
        if registration.isOutdated { throw .outdated }
        switch authenticator.identity(authorization: call.request.headers[HeaderName.authorization]) {
        case .known(let bearer): return .bearer(bearer)
        case .unknown:
            try charge(network: network(of: call.request))
            throw .unauthenticated
        case .unclear(let token):
            let network = network(of: call.request)
            if token.isNew { try charge(network: network) }
            return .lookUp(token, network: network)
        }
    }

    /// Returns an admission that first looks the token up, and then decides on the request with the bearer found.
    func lookUp(_ token: Authenticator.Token, from network: String, for call: Call) -> Admission {
        .lookUp { [self] in
            do {
                guard let bearer = try await authenticator.lookUp(token, from: network) else {
                    throw Problem.unauthenticated
                }
                return try decide(on: call, by: bearer)
            } catch PGError.poolOverloaded {
                return .answer(Problem.tooManyLookUps.response)
            } catch {
                return .answer(response(to: error, in: call.request))
            }
        }
    }

    /// Returns an admission that first creates the caller's personal space. It then looks the token up again, because
    /// the token now gives rights in that space, and decides on the request with these rights.
    func makePersonalSpace(for call: Call, of bearer: TokenBearer) -> Admission {
        .lookUp { [self] in
            do {
                _ = try await call.engine.sharing.makeSpace(for: Actor(bearer), isPersonal: true)
                return try decide(on: call, by: try await authenticator.renewed(bearer), isRenewed: true)
            } catch {
                return .answer(response(to: error, in: call.request))
            }
        }
    }

    /// Charges a request of an unauthenticated client to the rate limit of its network.
    func charge(network: String) throws(Problem) {
        try live.current.rates?.take(.address, of: network)
    }

    /// Returns the network that a request without a known token is counted under. Logs once if a proxy's forwarding
    /// header is not trusted.
    func network(of request: HTTPRequest) -> String {
        let proxies = live.current.proxies
        unheardProxy.note(request, isTrusted: proxies.trusts(request.remoteAddress))
        return proxies.network(of: request)
    }
}
