/// The results of the requests of one round trip.
struct Answers {
    /// The rows of each request, in order, up to the first request that failed.
    var rows: [Rows] = []
    /// The error of the request that failed; the server skips all later requests of the round trip. `nil` if none
    /// failed.
    var failure: PGError?
}
