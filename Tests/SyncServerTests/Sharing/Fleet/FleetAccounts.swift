import WireFormats

/// The erased accounts, and so the tokens that have ended.
struct FleetAccounts {
    private var ends: [Subject: [End]] = [:]

    private struct End {
        let isCertain: Bool
        let from: Timestamp
        let to: Timestamp
    }

    /// Two clocks are read for one moment.
    private static let slack = Duration.milliseconds(5)

    mutating func note(_ requests: [FleetRequest]) {
        for request in requests {
            guard case .eraseAccount = request.action, request.isDone || request.status == 503 else { continue }
            ends[request.sender, default: []].append(
                End(isCertain: request.isDone, from: request.sentAt, to: request.answeredAt))
        }
    }

    /// A request that got something by a token that was over, or was refused by one that is good.
    func fault(in requests: [FleetRequest]) -> (request: FleetRequest, what: String)? {
        for request in requests {
            let ends = ends[request.sender] ?? []
            if request.status == 401 {
                // A token comes a moment after its time.
                let issued = request.token.issued.adding(.zero - FleetAccounts.slack - .seconds(1))
                if ends.contains(where: { $0.to >= issued }) { continue }
                return (request, "its token is good, and no account of its subject was erased since it was issued")
            }
            guard request.isDone, request.action.bringsSpace else { continue }
            let issued = request.token.issued.adding(FleetAccounts.slack)
            if ends.contains(where: { $0.isCertain && issued < $0.from && $0.to < request.sentAt }) {
                return (request, "its token ended with its subject's account")
            }
        }
        return nil
    }
}
