internal import Synchronization

// What the task of a request does.
extension HTTPServer {
    /// Decompresses, asks `respond`, compresses.
    func answer(to exchange: Exchange) async -> HTTPResponse {
        guard let head = exchange.head else { preconditionFailure("a refused request is not admitted") }
        do throws(Problem) {
            let request = HTTPRequest(
                method: head.method, target: head.target, headers: head.headers,
                body: try content(of: exchange, coding: head.coding),
                remoteAddress: exchange.connection.remoteAddress)
            var response = await respond(request)
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
        do throws(ContentCoding.Failure) {
            let content = try coding.decompressed(body, limit: limit)
            if reserve(content.count, for: exchange) { return content }
        } catch {
            switch error {
            case .malformed: throw .malformed("The body is not valid \(coding.rawValue).")
            case .tooLarge: throw .tooLarge("The limit is \(limit) bytes after decompression.")
            }
        }
        throw .overloaded
    }
}

extension HTTPResponse {
    /// Applies the negotiated coding to a body that is worth it and has none yet; says that it depended on the request.
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
