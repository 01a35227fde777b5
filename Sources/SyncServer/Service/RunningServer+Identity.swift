import OpenID
import PGStore
import Postgres

extension RunningServer {
    /// Fetches the keys of the identity providers periodically, until the task is cancelled. The first of several
    /// failures is logged, and so is the recovery.
    package func keepIssuerKeys() async {
        while !Task.isCancelled { await keepIssuerKeysUntilOthers() }
    }

    /// Fetches the keys of the current policy's providers periodically, until the policy changes or the task is
    /// cancelled.
    private func keepIssuerKeysUntilOthers() async {
        await withTaskGroup { group in
            // The wait begins before the issuers are read, so that no change after the reading is missed.
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

    /// Puts another policy in force for all further requests.
    ///
    /// - Throws: `PGError`; then the old policy stays in force.
    package func adopt(_ policy: RequestPolicy) async throws {
        try await RunningServer.expectNamedSpaces(policy, pool)
        if self.policy.adopt(policy) { authenticator.forgetSignedIn() }
    }

    /// Prepares the database for identity providers' tokens that name spaces, if the policy allows such tokens. The ids
    /// of erased spaces are then kept for ever, because such a token could name an erased space again.
    static func expectNamedSpaces(_ policy: RequestPolicy, _ pool: Pool) async throws {
        guard policy.providers?.nameSpaces == true else { return }
        try await pool.withSession { session in try await session.execute(Erasures.expectingNamedSpaces) }
    }
}
