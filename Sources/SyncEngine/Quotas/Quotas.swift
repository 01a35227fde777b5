/// How much there may be, whoever makes it and however slowly. What comes too fast is for `RateLimits`.
package struct Quotas: Sendable, Hashable {
    /// Records of a space that are alive.
    package var records = 1_000_000
    /// Bytes of their values.
    package var bytes = 8 << 30
    /// Spaces that a subject is in, its personal one not counted. Every look-up of one of its tokens reads them, and
    /// they are remembered with it.
    package var spaces = 500
    /// Members of a space: a family, a club. All of them are listed in one answer.
    package var members = 100

    package init() {}
}
