internal import CCurl
import Dispatch
import StrictJSON

/// Fetches the small documents that an identity provider publishes, with libcurl. Each fetch runs on a thread that may
/// block.
enum Download {
    /// The maximum size of a document, in bytes. A key set or an OpenID configuration has a few kilobytes.
    static let sizeMaxBytes = 256 << 10
    /// The longest time for one fetch. A provider that takes longer counts as unreachable.
    static let timeMax = Duration.seconds(10)
    private static let connectTimeMax = Duration.seconds(5)

    static let jsonLimits = JSONDocument.Limits(bytesMax: sizeMaxBytes, depthMax: 32)

    /// True if the address may be fetched: it uses TLS or names this machine, and contains no user name and no
    /// password.
    static func allows(_ address: String) -> Bool { Address(address) != nil }

    /// True if the host in the address is this machine (loopback). Other host names may still resolve to this machine.
    static func namesThisMachine(_ address: String) -> Bool { Address(address)?.isLoopback == true }

    /// Fetches the document at an address. Redirects are not followed, because a redirect could send the server to any
    /// address.
    ///
    /// - Parameter allowsPrivate: true if the address may be on this machine or in a private network: see
    ///   `PeerAddress`.
    /// - Throws: the failure, in words for an operator.
    static func content(
        of address: String, allowsPrivate: Bool, on queue: DispatchQueue
    ) async throws(KeysUnavailable) -> [UInt8] {
        let result = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(KeysUnavailable) in
                        try content(of: address, allowsPrivate: allowsPrivate)
                    })
            }
        }
        return try result.get()
    }

    private static func content(of text: String, allowsPrivate: Bool) throws(KeysUnavailable) -> [UInt8] {
        guard let address = Address(text) else {
            throw KeysUnavailable("\(text) is no address with https, nor one on this machine")
        }
        _ = isReady
        guard let handle = curl_easy_init() else { throw KeysUnavailable("libcurl cannot start") }
        defer { curl_easy_cleanup(handle) }
        let headers = curl_slist_append(nil, "Accept: application/json")
        defer { curl_slist_free_all(headers) }
        let (received, opener) = (Received(), Opener())
        let codes = [
            ccurl_set_text(handle, CURLOPT_URL, text),
            ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, address.scheme),
            ccurl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0),
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, timeMax.milliseconds),
            ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, connectTimeMax.milliseconds),
            ccurl_set_text(handle, CURLOPT_USERAGENT, "syncserver"),
            ccurl_set_headers(handle, headers),
            // No proxy is used for an address on this machine.
            address.isLoopback ? ccurl_set_text(handle, CURLOPT_PROXY, "") : CURLE_OK,
            ccurl_set_sink(handle, Received.take, Unmanaged.passUnretained(received).toOpaque()),
            allowsPrivate
                ? CURLE_OK : ccurl_set_opener(handle, Opener.open, Unmanaged.passUnretained(opener).toOpaque()),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { throw KeysUnavailable("libcurl lacks an option") }
        let code = withExtendedLifetime((received, opener)) { curl_easy_perform(handle) }
        if code == CURLE_COULDNT_CONNECT, let refused = opener.refused {
            throw KeysUnavailable(
                "\(text) is at \(refused), an address of this machine, of a private network or of none. Where that is "
                    + "meant, say ‘\(Issuer.allowsPrivateMember)’: true in the issuer's entry")
        }
        if received.isTooLarge { throw KeysUnavailable("\(text) is larger than \(sizeMaxBytes) bytes") }
        guard code == CURLE_OK else {
            throw KeysUnavailable("\(text): \(String(cString: curl_easy_strerror(code)))")
        }
        var status = 0
        guard ccurl_status(handle, &status) == CURLE_OK, status == 200 else {
            throw KeysUnavailable("\(text) answers \(status)")
        }
        return received.bytes
    }

    /// The bytes of the document received so far. Only one thread uses an instance.
    private final class Received {
        var bytes: [UInt8] = []
        var isTooLarge = false

        static let take: curl_write_callback = { data, size, count, context in
            guard let data, let context else { return 0 }
            let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
            let size = size * count
            guard received.bytes.count + size <= sizeMaxBytes else {
                received.isTooLarge = true
                // Returning any number but that of the received bytes ends the transfer.
                return 0
            }
            received.bytes += UnsafeRawBufferPointer(start: data, count: size)
            return size
        }
    }

    /// Opens sockets for libcurl, and refuses addresses that are not public. Only one thread uses an instance.
    ///
    /// If the environment names a proxy, the proxy's address is checked and not the provider's: the proxy decides which
    /// hosts behind it can be reached.
    private final class Opener {
        /// The last address to which `open` has refused to connect, for the error message.
        var refused: String?

        static let open: curl_opensocket_callback = { context, _, peer in
            guard let context, let peer else { return CURL_SOCKET_BAD }
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = ccurl_address(peer, &bytes)
            let address = PeerAddress(Array(bytes.prefix(count)))
            guard let address, address.isPublic else {
                let opener = Unmanaged<Opener>.fromOpaque(context).takeUnretainedValue()
                opener.refused = address?.description ?? "another kind of address"
                return CURL_SOCKET_BAD
            }
            return ccurl_socket(peer)
        }
    }

    /// An address as libcurl itself parses it, so that the checks and the fetch always concern the same host.
    private struct Address {
        let scheme: String
        let isLoopback: Bool

        init?(_ text: String) {
            // C strings end at the first zero byte.
            guard !text.utf8.contains(0), let url = curl_url() else { return nil }
            defer { curl_url_cleanup(url) }
            func part(_ part: CURLUPart) -> String? {
                var value: UnsafeMutablePointer<CChar>?
                guard curl_url_get(url, part, &value, 0) == CURLUE_OK, let value else { return nil }
                defer { curl_free(value) }
                return String(cString: value)
            }
            guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
                part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil,
                let scheme = part(CURLUPART_SCHEME)?.lowercased(), let host = part(CURLUPART_HOST)
            else { return nil }
            isLoopback = ["127.0.0.1", "[::1]", "localhost"].contains(host)
            guard scheme == "https" || scheme == "http" && isLoopback else { return nil }
            self.scheme = scheme
        }
    }

    private static let isReady: Bool = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
            preconditionFailure("libcurl cannot start")
        }
        return true
    }()
}

extension Duration {
    fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }
}
