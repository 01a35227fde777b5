#if canImport(CCurl)
    internal import CCurl
    import Foundation
    import Synchronization

    /// The transport on Linux: libcurl's multi interface on one thread of the process.
    ///
    /// The thread sleeps until a socket or a caller wakes it. libcurl keeps connections open between requests by
    /// itself, so all stores of a process share one transport.
    final class CurlTransport: Transport {
        static let shared = CurlTransport()

        private let multi: CurlHandle
        /// The transfers that the transport's thread is to begin or cancel when it wakes.
        private let orders = Mutex<[Order]>([])

        private enum Order {
            case begin(CurlTransfer)
            case cancel(CurlTransfer)
        }

        /// libcurl's multi handle. Access is safe because other threads call only `curl_multi_wakeup`.
        private struct CurlHandle: @unchecked Sendable {
            let pointer: UnsafeMutableRawPointer

            init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }
        }

        private init() {
            guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = curl_multi_init() else {
                preconditionFailure("libcurl cannot start: there is no memory.")
            }
            self.multi = CurlHandle(multi)
            let thread = Thread { [self] in run() }
            thread.name = "sync-curl"
            thread.start()
        }

        func send(_ request: TransportRequest) async throws -> TransportAnswer {
            let transfer = CurlTransfer(request, isStream: false)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    transfer.end = { continuation.resume(with: $0) }
                    order(.begin(transfer))
                }
            } onCancel: {
                order(.cancel(transfer))
            }
        }

        func heads(_ request: TransportRequest) -> AsyncStream<Int64> {
            let (stream, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
            let transfer = CurlTransfer(request, isStream: true)
            transfer.onHead = { continuation.yield($0) }
            transfer.end = { _ in continuation.finish() }
            order(.begin(transfer))
            continuation.onTermination = { _ in self.order(.cancel(transfer)) }
            return stream
        }

        private func order(_ order: Order) {
            orders.withLock { $0.append(order) }
            curl_multi_wakeup(multi.pointer)
        }

        // MARK: The thread

        private func run() {
            // The transfers under way, by their handles.
            var underWay: [UnsafeMutableRawPointer: CurlTransfer] = [:]
            var running: Int32 = 0
            while true {
                for order in orders.withLock({ orders in
                    defer { orders = [] }
                    return orders
                }) {
                    switch order {
                    case .begin(let transfer): begin(transfer, &underWay)
                    case .cancel(let transfer): cancel(transfer, &underWay)
                    }
                }
                curl_multi_perform(multi.pointer, &running)
                var code = CURLE_OK
                while let handle = ccurl_ended(multi.pointer, &code) {
                    guard let transfer = underWay.removeValue(forKey: handle) else { continue }
                    finish(transfer, handle, code)
                }
                for (handle, transfer) in underWay where transfer.isSilent {
                    underWay[handle] = nil
                    finish(transfer, handle, CURLE_OPERATION_TIMEDOUT)
                }
                curl_multi_poll(multi.pointer, nil, 0, CurlTransport.pause(underWay.values), nil)
            }
        }

        /// Returns the longest time that the transport's thread may sleep, in milliseconds. The thread must wake when
        /// an event stream has been silent for too long. libcurl and `curl_multi_wakeup` may wake it earlier.
        private static func pause(_ transfers: some Collection<CurlTransfer>) -> Int32 {
            guard let first = transfers.compactMap(\.deadline).min() else { return .max }
            return Int32(max(0, ((first - .now) / .milliseconds(1)).rounded(.up)))
        }

        private func begin(_ transfer: CurlTransfer, _ underWay: inout [UnsafeMutableRawPointer: CurlTransfer]) {
            guard !transfer.isCancelled else { return transfer.end(.failure(CancellationError())) }
            guard let handle = transfer.open() else {
                return transfer.end(.failure(SyncFailure.unreachable("a header or the address is malformed")))
            }
            underWay[handle] = transfer
            curl_multi_add_handle(multi.pointer, handle)
        }

        /// Cancels a transfer. The order to cancel may come before the transfer was begun, or after it has ended.
        private func cancel(_ transfer: CurlTransfer, _ underWay: inout [UnsafeMutableRawPointer: CurlTransfer]) {
            transfer.isCancelled = true
            guard let handle = transfer.handle, underWay.removeValue(forKey: handle) != nil else { return }
            close(transfer, handle)
            transfer.end(.failure(CancellationError()))
        }

        private func finish(_ transfer: CurlTransfer, _ handle: UnsafeMutableRawPointer, _ code: CURLcode) {
            let result: Result<TransportAnswer, any Error> =
                if let excess = transfer.excess {
                    .failure(excess)
                } else if code != CURLE_OK {
                    .failure(SyncFailure.unreachable(String(cString: curl_easy_strerror(code))))
                } else if let answer = transfer.answer() {
                    .success(answer)
                } else {
                    .failure(SyncFailure.unreachable("the connection ended within the head of the answer"))
                }
            close(transfer, handle)
            transfer.end(result)
        }

        private func close(_ transfer: CurlTransfer, _ handle: UnsafeMutableRawPointer) {
            curl_multi_remove_handle(multi.pointer, handle)
            transfer.close()
        }
    }
#endif
