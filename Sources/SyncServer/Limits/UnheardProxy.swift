import HTTPServer
import SyncEngine
import Synchronization

/// Says once that a proxy's word about clients' addresses is not taken: then all who come through it count as one
/// client, and a single flood of invented tokens keeps new devices out.
final class UnheardProxy: Sendable {
    private let log: Log
    private let hasSaid = Atomic<Bool>(false)

    init(_ log: Log) { self.log = log }

    /// - Parameter isTrusted: whether the word of who sends the request is taken.
    func note(_ request: HTTPRequest, isTrusted: @autoclosure () -> Bool) {
        guard !hasSaid.load(ordering: .relaxed) else { return }
        guard ["X-Forwarded-For", "Forwarded"].contains(where: { request.headers[$0] != nil }), !isTrusted(),
            // A stranger may write such a header, too. A proxy is nearly always a neighbour.
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
