/// What came back for the requests of one round trip.
struct Answers {
    /// Of each request, up to the first that failed.
    var rows: [Rows] = []
    /// What the server said of the one that failed. It skips all behind that.
    var failure: PGError?
}
