import OpenID
import PGStore
import Postgres

extension RunningServer {
    /// Keeps the keys of the identity providers at hand, until the task is cancelled. What fails is logged once, and
    /// that it works again.
    package func keepIssuerKeys() async {
        while !Task.isCancelled { await keepIssuerKeysUntilOthers() }
    }

    /// Goes on until there is another policy, or the task is cancelled.
    private func keepIssuerKeysUntilOthers() async {
        await withTaskGroup { group in
            // Before the issuers are read: what changes from here on is heard of.
            group.addTask { await policy.nextChange() }
            for keys in policy.current.providers?.issuers ?? [] {
                group.addTask {
                    await keys.keepFresh { failure in
                        let issuer = keys.issuer.name.text
                        guard let failure else {
                            return log.info("the keys of an issuer were fetched again", ["issuer": .text(issuer)])
                        }
                        log.error(
                            "the keys of an issuer cannot be fetched; those that are known are used on",
                            ["issuer": .text(issuer), "reason": .text(failure.description)])
                    }
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Puts another policy in force for the requests that come from now on.
    ///
    /// - Throws: `PGError`; then the one before holds on.
    package func adopt(_ policy: RequestPolicy) async throws {
        try await RunningServer.expectNamedSpaces(policy, pool)
        if self.policy.adopt(policy) { authenticator.forgetSignedIn() }
    }

    /// Where tokens may name spaces by themselves, an erased one is remembered for ever.
    static func expectNamedSpaces(_ policy: RequestPolicy, _ pool: Pool) async throws {
        guard policy.providers?.nameSpaces == true else { return }
        try await pool.withSession { session in try await session.execute(Erasures.expectingNamedSpaces) }
    }
}
