package import Postgres
package import WireFormats

extension Session {
    /// Returns the database's time. It decides when tokens and versions end.
    package func currentTime() throws(PGError) -> Timestamp {
        try execute("SELECT clock_timestamp()").timestamp(0, 0)
    }
}
