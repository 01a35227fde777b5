/// A machine whose cores serve requests in the order of their arrival: a queue with several servers (G/G/c).
struct Station {
    /// The times at which each core becomes free, in seconds.
    private var freeAt: [Double]
    private let fault: PlantedFault?
    /// The processor time that was asked for, in seconds.
    private(set) var busySeconds = 0.0

    init(cores: Int, fault: PlantedFault? = nil) {
        precondition(cores > 0, "A machine has a core.")
        freeAt = Array(repeating: 0, count: cores)
        self.fault = fault
    }

    var cores: Int { freeAt.count }

    /// Serves a request that arrives now, and returns the times at which it starts and ends. Calls must be in the order
    /// of arrival.
    mutating func serve(at now: Double, seconds: Double) -> (start: Double, end: Double) {
        var earliest = 0
        for core in freeAt.indices.dropFirst() where freeAt[core] < freeAt[earliest] { earliest = core }
        let start = max(now, freeAt[earliest])
        let end = start + (fault == .shortService ? seconds * 0.9 : seconds)
        freeAt[earliest] = end
        busySeconds += seconds
        return (start, end)
    }
}
