/// The results of the requests of one round trip.
struct Answers {
    /// The rows of each request, up to the first that failed.
    var rows: [Rows] = []
    /// The error of the request that failed; the server skips all requests behind it.
    var failure: PGError?
}
