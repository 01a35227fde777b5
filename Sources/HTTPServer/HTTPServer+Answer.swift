internal import Synchronization

// The work that a request's task does.
extension HTTPServer {
    /// Starts the task that answers a request. Call this when the limits on running requests allow it (see `Turns`).
    func startResponding(in exchange: Exchange) {
        let executor = exchange.isShort ? exchange.pointer.loop : nil
        exchange.keep(
            Task(executorPreference: executor) {
                let response = await self.makeResponse(to: exchange)
                self.endTurn(of: exchange)
                exchange.answer(response)
            })
    }

    /// Counts a request as ended, and starts those waiting requests of the same holder (the party that they are charged
    /// to) that may run now. Requests that have waited too long are refused instead.
    private func endTurn(of exchange: Exchange) {
        guard let turn = exchange.turn, let holder = exchange.account?.holder else {
            preconditionFailure("only what had a turn ends it")
        }
        let oldest = ContinuousClock.now - configuration.limits.turnWaitMax
        var ended = [turn.weight]
        while let weight = ended.popLast() {
            for next in state.withLock({ $0.turns.leave(weight: weight, for: holder) }) {
                guard let turn = next.turn else { preconditionFailure("only what waits for its turn gets one") }
                if case .responding = next.phase, turn.since >= oldest {
                    startResponding(in: next)
                } else {
                    state.withLock { $0.counts.refusedRequests += 1 }
                    next.answer(Problem.turnTooLate(configuration.limits).response)
                    ended.append(turn.weight)
                }
            }
        }
    }

    /// Returns the response to a request: decompresses the body, calls `respond` and compresses the response.
    private func makeResponse(to exchange: Exchange) async -> HTTPResponse {
        guard let head = exchange.head, let account = exchange.account else {
            preconditionFailure("only an admitted request is worked on")
        }
        do throws(Problem) {
            var request = head.request(on: exchange.connection)
            request.body = try content(of: exchange, coding: head.coding)
            var response = await account.respond(request)
            if case .bytes(let bytes) = response.body, bytes.count > EventLoop.shortSizeMaxBytes {
                // Off the loop: a large page takes milliseconds.
                await withTaskExecutorPreference(globalConcurrentExecutor) { response.compress(for: head.headers) }
            } else {
                response.compress(for: head.headers)
            }
            return response
        } catch {
            state.withLock { $0.counts.refusedRequests += 1 }
            return error.response
        }
    }

    private func content(of exchange: Exchange, coding: ContentCoding?) throws(Problem) -> [UInt8] {
        let body = exchange.takeBody()
        guard let coding, !body.isEmpty else { return body }
        let limit = configuration.limits.decompressedSizeMaxBytes
        let content: [UInt8]
        do throws(ContentCoding.Failure) {
            content = try coding.decompressed(body, limit: limit)
        } catch {
            switch error {
            case .malformed: throw .malformed("The body is not valid \(coding.rawValue).")
            case .tooLarge: throw .tooLarge("The limit is \(limit) bytes after decompression.")
            }
        }
        if let problem = reserve(content.count, for: exchange) { throw problem }
        return content
    }
}

extension RequestHead {
    /// Returns the request that has this request line and these headers, with an empty body.
    func request(on connection: Connection) -> HTTPRequest {
        HTTPRequest(
            method: method, target: target, headers: headers, remoteAddress: connection.remoteAddress,
            network: connection.network)
    }
}

extension HTTPResponse {
    /// Compresses the response's body if that saves bytes and the body has no coding yet. Sets `Vary`, because the
    /// coding depends on the request's headers.
    mutating func compress(for requestHeaders: HTTPHeaders) {
        guard case .bytes(let bytes) = body, bytes.count > ContentCoding.compressedSizeMinBytes,
            headers["Content-Encoding"] == nil
        else { return }
        headers.add("Vary", "Accept-Encoding")
        guard let coding = ContentCoding.negotiated(by: requestHeaders), let compressed = coding.compressed(bytes)
        else { return }
        headers["Content-Encoding"] = coding.rawValue
        body = .bytes(compressed)
    }
}
