/// The figures of a usual day.
struct DayFigures {
    /// The figures of one hour of the day.
    struct Hour {
        /// The busy cores of the servers, of the directory's database, and of all databases, averaged over the hour.
        var (serverCores, directoryCores, databaseCores) = (0.0, 0.0, 0.0)
        /// The requests of each kind, by `Request.rawValue`.
        var requests = [Int](repeating: 0, count: Request.allCases.count)
        var tokenLookUps = 0
        /// The open event streams, averaged over the hour.
        var streams = 0.0
        /// The times for which requests waited for a core.
        var waits = Histogram()

        var requestsPerSecond: Double { Double(requests.reduce(0, +)) / 3600 }

        func perSecond(_ request: Request) -> Double { Double(requests[request.rawValue]) / 3600 }
    }

    let devices: Int
    /// The hours, from midnight on.
    let hours: [Hour]

    var busiest: Hour { hours.max { $0.databaseCores < $1.databaseCores } ?? Hour() }

    var busiestIndex: Int { hours.indices.max { hours[$0].databaseCores < hours[$1].databaseCores } ?? 0 }

    var waits: Histogram {
        var all = Histogram()
        for hour in hours { all.add(hour.waits) }
        return all
    }

    /// The requests of a kind in the whole day, for each device.
    func perDevice(_ request: Request) -> Double {
        Double(hours.reduce(0) { $0 + $1.requests[request.rawValue] }) / Double(devices)
    }
}
