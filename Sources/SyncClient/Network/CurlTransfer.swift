#if canImport(CCurl)
    internal import CCurl
    import Foundation

    /// One request under way in libcurl. The creator hands the transfer over to the thread of `CurlTransport`; only
    /// that thread touches it from then on.
    final class CurlTransfer: @unchecked Sendable {
        private let request: TransportRequest
        private let isStream: Bool
        /// Called with each head (the number of the space's latest change) that an event stream reports.
        var onHead: ((Int64) -> Void)?
        /// Called once, with the result of the transfer.
        var end: (Result<TransportAnswer, any Error>) -> Void = { _ in }
        var isCancelled = false
        private(set) var handle: UnsafeMutableRawPointer?
        private var headers: UnsafeMutablePointer<curl_slist>?
        private var body: [UInt8] = []
        private var isHeadWhole = false
        /// The number of bytes of all response headers so far, and of the trailers.
        private var headBytes = 0
        /// The number of bytes of an event stream so far, decompressed.
        private var streamBytes = 0
        /// The error for an answer that exceeds a limit. The client then ends the transfer. It is `nil` if no limit is
        /// exceeded.
        private(set) var excess: SyncFailure?
        private var reader = HeadReader()
        /// The time until which an event stream may stay silent before it is ended. It is `nil` for other requests, for
        /// which libcurl has a time limit of its own.
        private(set) var deadline: ContinuousClock.Instant?

        var isSilent: Bool { deadline.map { $0 <= .now } ?? false }

        init(_ request: TransportRequest, isStream: Bool) {
            self.request = request
            self.isStream = isStream
        }

        /// Creates the libcurl handle of the request.
        ///
        /// - Returns: `nil` if libcurl refuses the request.
        func open() -> UnsafeMutableRawPointer? {
            // libcurl sends headers unchanged: a line break would begin another header.
            guard !request.headers.contains(where: { $0.value.utf8.contains { $0 < UInt8(ascii: " ") } }) else {
                return nil
            }
            guard let handle = curl_easy_init() else { return nil }
            self.handle = handle
            for (name, value) in request.headers { headers = curl_slist_append(headers, "\(name): \(value)") }
            // By default, libcurl asks first whether it may send a large body, and waits a second for servers that do
            // not reply.
            headers = curl_slist_append(headers, "Expect:")
            var codes = [
                ccurl_set_text(handle, CURLOPT_URL, request.url.absoluteString),
                ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
                ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method),
                ccurl_set_headers(handle, headers),
                ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
                ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, TransportLimits.silenceMaxSeconds),
                // Accepts every encoding that this libcurl can decompress.
                ccurl_set_text(handle, CURLOPT_ACCEPT_ENCODING, ""),
                ccurl_set_head_sink(handle, CurlTransfer.takeHead, Unmanaged.passUnretained(self).toOpaque()),
                ccurl_set_sink(handle, CurlTransfer.take, Unmanaged.passUnretained(self).toOpaque()),
                ccurl_set_progress(handle, CurlTransfer.takeProgress, Unmanaged.passUnretained(self).toOpaque()),
                // Redirections are not followed, so that the outbox and the token go only where the app sends them.
                ccurl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0),
            ]
            if let body = request.body {
                codes.append(body.withUnsafeBytes { ccurl_set_body(handle, $0.baseAddress, $0.count) })
            }
            if isStream {
                wait()
            } else {
                codes.append(ccurl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1))
                codes.append(ccurl_set_number(handle, CURLOPT_LOW_SPEED_TIME, TransportLimits.silenceMaxSeconds))
                codes.append(ccurl_set_number(handle, CURLOPT_TIMEOUT, TransportLimits.exchangeMaxSeconds))
            }
            if codes.allSatisfy({ $0 == CURLE_OK }) { return handle }
            close()
            return nil
        }

        /// Returns the answer that the transfer has received.
        ///
        /// - Returns: `nil` if the answer ended within its headers. libcurl reports it as an empty answer, not as an
        ///   error.
        func answer() -> TransportAnswer? {
            guard isHeadWhole else { return nil }
            return TransportAnswer(status: status, body: body) { name in
                var header: UnsafeMutablePointer<curl_header>?
                guard curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK, let header
                else { return nil }
                return String(cString: header.pointee.value)
            }
        }

        func close() {
            curl_easy_cleanup(handle)
            curl_slist_free_all(headers)
            handle = nil
            headers = nil
        }

        private var status: Int {
            var status = 0
            return ccurl_status(handle, &status) == CURLE_OK ? status : 0
        }

        private func wait() { deadline = .now + .seconds(TransportLimits.silenceMaxSeconds) }

        /// Adds received bytes to the answer, or reads them as events of a stream.
        ///
        /// - Returns: true if the transfer is to go on.
        private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard isStream else {
                if body.count + bytes.count > TransportLimits.bodyMaxBytes(status) { return exceed() }
                body += bytes
                return true
            }
            wait()
            streamBytes += bytes.count
            guard status == 200, streamBytes <= TransportLimits.streamMaxBytes else { return false }
            if let head = reader.read(bytes) { onHead?(head) }
            return true
        }

        /// Remembers that the answer exceeds a limit. Returns false, so that the caller ends the transfer.
        private func exceed() -> Bool {
            excess = TransportLimits.excess(status)
            return false
        }

        private static let takeProgress: curl_xferinfo_callback = { context, _, received, _, _ in
            guard let context else { return 1 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            if transfer.isStream { return received > TransportLimits.streamMaxBytes ? 1 : 0 }
            let most = TransportLimits.bodyMaxBytes(transfer.status)
            return received > most && !transfer.exceed() ? 1 : 0
        }

        /// Called by libcurl with each line of the response headers.
        private static let takeHead: curl_write_callback = { data, size, count, context in
            guard let data, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            let line = UnsafeRawBufferPointer(start: data, count: size * count)
            transfer.headBytes += line.count
            // Any other number than the bytes received ends the transfer.
            if transfer.headBytes > TransportLimits.headMaxBytes, !transfer.exceed() { return 0 }
            // There may be several heads, because ‘100 Continue’ has its own, and lines after the body.
            if line.starts(with: "HTTP/".utf8) { transfer.isHeadWhole = false }
            if line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) { transfer.isHeadWhole = true }
            return line.count
        }

        private static let take: curl_write_callback = { data, size, count, context in
            guard let data, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
            return transfer.take(bytes) ? bytes.count : 0
        }
    }
#endif
