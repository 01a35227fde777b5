import Foundation

extension ModelReport {
    /// Returns tables of at most 100 columns.
    func text() -> String {
        let head = [
            "\(Figure.text(Double(devices))) devices in \(Figure.text(Double(spaces))) spaces, seed \(seed);"
                + " \(servers) servers of \(serverCores) cores, \(databases) database(s) of \(databaseCores)", "",
        ]
        let parts = [dayText(), stormText(), hotText(), growthText()].filter { !$0.isEmpty }
        return (head + parts.flatMap { $0 + [""] }).dropLast().joined(separator: "\n")
    }

    private func dayText() -> [String] {
        if day.isEmpty { return [] }
        let perDevice = Request.allCases.map { request in
            "\(Figure.text(requestsPerDevice[request.name] ?? 0)) \(request.name)"
        }
        var table = TextTable(
            "A usual day", columns: ["requests/s", "streams", "servers", "databases", "directory", "p50", "p99"])
        for row in day {
            let cells = [
                row.requestsPerSecond, row.streams, row.serverCores, row.databaseCores, row.directoryCores,
                row.waitP50Milliseconds, row.waitP99Milliseconds,
            ]
            table.add("\(row.hour):00", cells.map(Figure.text))
        }
        return table.lines + ["Cores at work on average; waits for a core in ms. A device's day:"]
            + [perDevice.joined(separator: ", ")]
    }

    private func stormText() -> [String] {
        if storm.isEmpty { return [] }
        var table = TextTable(
            "After an outage of 10 min", columns: ["requests", "refused", "most", "half", "99 %", "all", "empty"])
        for row in storm {
            let counts = [row.requests, row.refused, row.mostInFlight].map { Figure.text(Double($0)) }
            let times = [row.half, row.ninetyNine, row.all].map { $0.map { "\(Figure.text($0)) s" } ?? "–" }
            let isEmpty = row.emptyAt < Storm.longestSeconds - 60 && row.all != nil
            table.add(row.name, counts + times + [isEmpty ? "\(Figure.text(row.emptyAt)) s" : "–"])
        }
        return table.lines + [
            "Most: requests in progress at a time. Half, 99 %, all: when so many devices had synced. Empty: when",
            "the last request was answered. – : not within an hour.",
        ]
    }

    private func hotText() -> [String] {
        if hotSpace.isEmpty { return [] }
        var table = TextTable(
            "A hot space: pushes/s",
            columns: ["done/s", "age p50", "age p99", "database", "wait p99", "refused", "others’"])
        for row in hotSpace {
            let cells = [
                Figure.text(row.donePerSecond), Figure.seconds(row.ageP50Seconds), Figure.seconds(row.ageP99Seconds),
                Figure.percent(row.databaseShare), Figure.text(row.otherP99Milliseconds),
                Figure.percent(row.pullsRefusedShare), Figure.percent(row.othersRefusedShare),
            ]
            let rates = row.listeners == 0 ? "no listener" : row.hasRates ? "rates" : "no rates"
            table.add("\(Figure.text(row.pushesPerSecond)), \(rates)", cells)
        }
        return table.lines + [
            "Age: of the oldest change that a device lacked when it read. Database: cores at work. Wait: for a core,",
            "of requests to other spaces, ms. Refused: of the space’s pulls; others’: of requests to other spaces.",
        ]
    }

    private func growthText() -> [String] {
        if growth.isEmpty { return [] }
        var table = TextTable("Growth", columns: growth.map { Figure.text($0.devices) })
        func row(_ name: String, _ value: (GrowthRow) -> String) { table.add(name, growth.map(value)) }
        row("requests/s, busiest hour") { Figure.text($0.requestsPerSecond) }
        row("streams") { Figure.text($0.streams) }
        row("servers of 2 cores") { Figure.text($0.servers) }
        row("databases") { Figure.text($0.databases) }
        row("cores of databases at work") { Figure.text($0.databaseCores) }
        row("disk for a year's records") { Figure.bytes($0.diskBytes) }
        row("write-ahead log a day") { Figure.bytes($0.logBytesPerDay) }
        row("sessions of each database") { Figure.text($0.sessionsPerDatabase) }
        row("token look-ups/s") { Figure.text($0.tokensPerSecond) }
        row("announcements/s") { Figure.text($0.announcementsPerSecond) }
        row("announced to a server, /s") { Figure.bytes($0.announcedBytesPerServerAndSecond) }
        row("a bucket") { Figure.bytes($0.bucketBytes) }
        row("to copy it") { Figure.seconds($0.copySeconds) }
        row("to compare it") { Figure.seconds($0.compareSeconds) }
        var limits = TextTable("Share of each limit", columns: growth.map { Figure.text($0.devices) })
        for part in Growth.Part.allCases {
            limits.add(part.rawValue, growth.map { Figure.percent($0.pressures[part.rawValue] ?? 0) })
        }
        return table.lines + [""] + limits.lines
    }
}
