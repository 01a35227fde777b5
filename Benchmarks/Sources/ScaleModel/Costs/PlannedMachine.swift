/// The largest machine and the limits with which `Growth` plans. All are assumptions that an operator would replace.
enum PlannedMachine {
    /// The cores of a database's machine.
    static let databaseCores = 16.0
    /// The cores of a server's machine.
    static let serverCores = 2.0
    /// The share of cores that may be busy in the busiest hour, as in `syncserver capacity`.
    static let coreShareMax = 0.5
    /// The records that one database keeps, in bytes, so that it can be backed up, restored and moved within a day.
    static let diskBytes = 2e12
    /// The sessions of one database. PostgreSQL's default is 100.
    static let sessions = 500.0
    /// The write-ahead log that a disk and a standby take, in bytes per second.
    static let logBytesPerSecond = 100e6
    /// The network of the directory's machine, 10 Gbit/s, half of it in use, in bytes per second.
    static let networkBytesPerSecond = 1.25e9 / 2
    /// The time for which records were created, in days.
    static let days = 365.0
}
