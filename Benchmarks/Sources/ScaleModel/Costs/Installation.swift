/// The machines that the experiments simulate.
struct Installation {
    var servers: Int
    var serverCores: Int
    var databases: Int
    var databaseCores: Int

    /// The number of servers that hold the streams of the busiest minute even if one of them is away.
    static func servers(ofDevices devices: Int) -> Int {
        let streams = Double(devices) * Behaviour.peakOpenShare
        return max(2, Int((streams / Double(Limit.streamsPerServer)).rounded(.up)) + 1)
    }

    /// Returns the database of a space, by its bucket. The first database is the directory.
    func database(of space: Int) -> Int {
        let bucket = (space &* 2_654_435_761) >> 7 & 255
        return bucket % databases
    }
}
