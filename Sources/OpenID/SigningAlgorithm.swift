/// The accepted signature algorithms (RFC 7518, section 3.1; RFC 8037): all sign with a private key whose public half
/// the issuer publishes. Shared secrets and ‘none’ are not accepted.
package enum SigningAlgorithm: String, CaseIterable, Sendable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}
