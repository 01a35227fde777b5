import HTTPServer
import PGStore
import Postgres
import SyncEngine
import WireFormats

/// Handling of authorized requests: checks the remaining headers, and answers when the body has arrived.
extension Router {
    /// Returns the admission of an authorized request, which answers the request when its body has arrived.
    ///
    /// - Throws: the `Problem` to answer with, if the headers that state version and device are not valid.
    func admit(_ call: Call, as access: Call.Access) throws(Problem) -> Admission {
        switch access {
        case .account(let operation, let access):
            return .admit(access.bearer.holder) { [self] request in
                await answerAboutMembers(
                    request, of: call, by: access.bearer, changesRights: operation.changesSomething)
            }
        case .sharing(let operation, let access):
            return .admit(access.bearer.holder) { [self] request in
                await answerAboutMembers(
                    request, of: call, by: access.bearer, changesRights: operation.changesSomething)
            }
        case .space(let operation, let access):
            let context = try SpaceRequest(call.request, access)
            return .admit(access.bearer.holder) { [self] request in
                await answerAboutRecords(request, operation, of: call, by: access.bearer, context)
            }
        }
    }

    /// Answers a request about members, invitations or a subject's spaces, when its body has arrived. The token's
    /// rights at that time apply.
    ///
    /// - Parameter changesRights: true if the request may change the token's rights. The token is then looked up again
    ///   before the request is answered, and once more by the next request with it.
    private func answerAboutMembers(
        _ request: HTTPRequest, of call: Call, by bearer: TokenBearer, changesRights: Bool
    ) async -> HTTPResponse {
        defer { if changesRights { authenticator.outdate(bearer.hash) } }
        do {
            let current = try await changesRights ? authenticator.renewed(bearer) : authenticator.current(bearer)
            switch try call.authorize(current) {
            case .account(let operation, let access):
                return try await AccountRoutes(request: request, access: access).answer(operation)
            case .sharing(let operation, let access):
                let routes = SharingRoutes(request: request, path: call.route.path, access: access)
                return try await routes.answer(operation)
            case .space: preconditionFailure("A request about records is answered by `answerAboutRecords`.")
            }
        } catch {
            return response(to: error, in: request)
        }
    }

    /// The maximum number of attempts at a request. An attempt fails if a member of the space lost rights after the
    /// sender's rights were read; they are then read again. After the last attempt, the client must try again.
    private static let rightsReadMax = 4

    /// Answers a request about a space's records, when its body has arrived. The token's rights at that time apply.
    ///
    /// - Parameters:
    ///   - admitted: the sender with the rights that it had when the request was admitted.
    ///   - context: the headers, which were checked with those earlier rights.
    private func answerAboutRecords(
        _ request: HTTPRequest, _ operation: SpaceOperation, of call: Call, by admitted: TokenBearer,
        _ context: SpaceRequest
    ) async -> HTTPResponse {
        do {
            var (bearer, context) = (try await authenticator.current(admitted), context)
            if bearer.found.since != admitted.found.since {
                context = try SpaceRequest(request, call.spaceAccess(operation.leastRole, bearer))
            }
            let now = clock.time
            note(context, at: now)
            for _ in 0..<Router.rightsReadMax {
                let routes = SyncRoutes(
                    request: request, context: context, now: now, log: log, largeBodies: largeBodies,
                    metrics: metrics, live: live)
                do {
                    switch operation {
                    case .pull: return try await routes.pull()
                    case .push, .sync:
                        let response = try await operation == .sync ? routes.sync() : routes.push()
                        databaseTrouble.worked()
                        return response
                    case .events:
                        return try await EventsRoute(context: context, token: bearer.hash, hub: hub, now: now).open()
                    }
                } catch SyncError.elsewhere {
                    guard try await context.engine.hasMoved(context.caller.space) else { throw SyncError.elsewhere }
                } catch SyncError.rightsChanged {
                    bearer = try await authenticator.renewed(bearer)
                    context = try SpaceRequest(request, call.spaceAccess(operation.leastRole, bearer))
                }
            }
            throw SyncError.busy
        } catch {
            return response(to: error, in: request)
        }
    }

    /// Records the version that a device uses, for the metrics and for the census of devices by version.
    private func note(_ context: SpaceRequest, at now: Timestamp) {
        let (engine, caller) = (context.engine, context.caller)
        metrics.note(version: engine.names[caller.version], of: engine.plan.app)
        engine.census?.note(
            caller.version, by: caller.device, of: caller.subject, outboxAge: context.outboxAge, at: now)
    }

    /// Returns the response to an error. Logs an error of the database on which an operator must act, and any fault of
    /// the server itself.
    func response(to error: any Error, in request: HTTPRequest) -> HTTPResponse {
        if let problem = Problem(answering: error) {
            if let error = error as? PGError, error.needsOperator {
                databaseTrouble.failed(error, isSaid: troubleReminder.isDue())
            }
            return problem.response
        }
        // The path is never logged: it names a space, and perhaps a subject or an invitation.
        let operation = (try? RouteTable.route(request.method, request.segments))?.operation.name ?? Metrics.unrouted
        log.error("request failed", error, ["operation": .text(operation)])
        return Problem.internalFault.response
    }
}
