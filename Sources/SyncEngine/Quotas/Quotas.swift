/// Limits on the amount of data that is kept, however slowly it grows. `RateLimits` limits the speed.
package struct Quotas: Sendable, Hashable {
    /// The most living records in a space.
    package var records = 1_000_000
    /// The most bytes of values of a space's living records.
    package var bytes = 8 << 30
    /// The most spaces in which a subject is a member, not counting the subject's personal space. Every look-up of one
    /// of the subject's tokens reads the list of these spaces, and the list is kept in memory with the token.
    package var spaces = 500
    /// The most members of a space. A space is for a group such as a family or a club, and one answer lists all its
    /// members.
    package var members = 100

    package init() {}
}
