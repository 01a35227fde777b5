/// The figures of one return after an outage.
struct StormFigures {
    let name: String
    let devices: Int
    /// Requests that were sent, let in, refused, answered, answered after the device had given up, and given up.
    var (attempts, admitted, refused, answered, wasted, givenUp) = (0, 0, 0, 0, 0, 0)
    /// The requests that were let in and not answered at the end.
    var waiting = 0
    /// The processor time of the servers and of the databases, in seconds.
    var busySeconds = (servers: 0.0, databases: 0.0)
    private(set) var mostInFlight = 0
    /// The time at which the last request was answered, in seconds after the service is back.
    private(set) var emptyAt = 0.0
    /// The devices that have synced by the end of each second.
    private(set) var syncedBySecond: [Int] = []
    private(set) var syncedCount = 0

    init(name: String, devices: Int) {
        (self.name, self.devices) = (name, devices)
    }

    /// True if each request has exactly one fate.
    var isBalanced: Bool { attempts == admitted + refused && admitted == answered + waiting }

    mutating func note(inFlight: Int, at time: Double) {
        mostInFlight = max(mostInFlight, inFlight)
        emptyAt = time
    }

    mutating func synced(at time: Double) {
        let second = Int(time)
        while syncedBySecond.count <= second { syncedBySecond.append(syncedCount) }
        syncedCount += 1
        syncedBySecond[second] = syncedCount
    }

    /// The time after which a share of all devices has synced, in seconds; `nil` if it never was.
    func seconds(untilSynced share: Double) -> Double? {
        let wanted = Int((Double(devices) * share).rounded(.up))
        return syncedBySecond.firstIndex { $0 >= wanted }.map { Double($0 + 1) }
    }
}
