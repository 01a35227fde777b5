import OpenID

extension RunningServer {
    /// Keeps the keys of the identity providers at hand, until the task is cancelled. What fails is logged once, and
    /// that it works again.
    package func keepIssuerKeys() async {
        await withTaskGroup { group in
            for keys in providers?.issuers ?? [] {
                group.addTask {
                    await keys.keepFresh { failure in
                        let issuer = keys.issuer.name.text
                        guard let failure else {
                            return log.info("the keys of an issuer were fetched again", ["issuer": issuer])
                        }
                        log.error(
                            "the keys of an issuer cannot be fetched; those that are known are used on",
                            ["issuer": issuer, "reason": failure.description])
                    }
                }
            }
        }
    }
}
