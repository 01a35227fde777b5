import HTTPServer
import SyncEngine
import Synchronization

/// Logs once that an untrusted proxy states clients' addresses. All clients behind that proxy then count as one client,
/// and a single flood of invented tokens keeps new devices out.
final class UnheardProxy: Sendable {
    private let log: Log
    private let hasSaid = Atomic<Bool>(false)

    init(_ log: Log) { self.log = log }

    /// Logs a warning, once, if the request came through a proxy that is not trusted.
    ///
    /// - Parameter isTrusted: true if the sender of the request is a trusted proxy.
    func note(_ request: HTTPRequest, isTrusted: @autoclosure () -> Bool) {
        guard !hasSaid.load(ordering: .relaxed) else { return }
        guard ["X-Forwarded-For", "Forwarded"].contains(where: { request.headers[$0] != nil }), !isTrusted(),
            // Any client may send such a header, too. A proxy nearly always has a loopback or private address.
            let peer = IPAddress(request.remoteAddress), peer.isNear,
            hasSaid.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
        else { return }
        log.warning(
            "requests come through a proxy whose word is not taken, so all its clients count as one address",
            [
                "proxy": .text(request.remoteAddress),
                "next":
                    "If it is yours, start with ‘--trusted-proxies \(request.remoteAddress)’: see deploy/README.md.",
            ])
    }
}
