/// Costs that nobody has measured. Each says what it is taken for.
enum AssumedCost {
    /// Looking up one token among many in a query: taken for PostgreSQL's statement of a poll.
    static let tokenDatabase = Cost.pollStatementDatabase
    /// Reading the head of one space in a review of all streams: taken for PostgreSQL's statement of a poll.
    static let reviewedHeadDatabase = Cost.pollStatementDatabase
    /// Passing one announcement to one server: taken for PostgreSQL's statement of a poll.
    static let announcedDatabase = Cost.pollStatementDatabase
    /// Opening an event stream, in the server and in PostgreSQL: taken for a poll.
    static let streamServer = Cost.pollServer
    static let streamDatabase = Cost.pollDatabase
    /// Noting when a token was last used, once an hour: taken for a new row of a large push.
    static let tokenUseDatabase = Cost.newRowDatabase
}
