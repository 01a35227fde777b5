import HTTPServer
import Operations
import PGMigrations
import StrictJSON

/// `syncserver capacity`: estimates the cores, memory and disk space that a given number of devices needs.
struct CapacityCommand {
    static let spec = CommandSpec(
        "capacity", "Say what so many devices need: requests, cores, memory, sessions, disk",
        options: [
            .value("devices", "N", "how many devices", isRequired: true),
            .value("edits-a-day", "M", "how many edits each makes in a day", isRequired: true),
            .value("in-a-space", "N", "how many devices share a space", standard: "2"),
            .value("records", "N", "how many records each has already", standard: "0"),
            .value("polls-a-day", "N", "how often each asks in a day and finds nothing", standard: "24"),
            .value("listening", "PERCENT", "how many of them listen for events at a time", standard: "20"),
            .value("creating", "PERCENT", "how many of the edits make a record", standard: "25"),
            .value("peak", "TIMES", "how many times the average the busiest hour is", standard: "5"),
            .json,
        ], run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let capacity = Capacity(devices: try devices(options), streamsMax: HTTPServer.Limits().streamsMax)
        Terminal.print(options.has("json") ? json(capacity) : text(capacity))
        return 0
    }

    private static func devices(_ options: Options) throws -> Capacity.Devices {
        _ = try (options.required("devices"), options.required("edits-a-day"))
        var devices = Capacity.Devices(
            count: Double(try options.integer("devices", atLeast: 1) ?? 1),
            editsADay: Double(try options.integer("edits-a-day", atLeast: 0) ?? 0))
        if let given = try options.integer("in-a-space", atLeast: 1) { devices.inASpace = Double(given) }
        if let given = try options.integer("records", atLeast: 0) { devices.records = Double(given) }
        if let given = try options.integer("polls-a-day", atLeast: 0) { devices.pollsADay = Double(given) }
        if let given = try options.integer("listening", atLeast: 0) { devices.listeningShare = Double(given) / 100 }
        if let given = try options.integer("creating", atLeast: 0) { devices.creatingShare = Double(given) / 100 }
        if let given = try options.integer("peak", atLeast: 1) { devices.peak = Double(given) }
        for (name, share) in [("listening", devices.listeningShare), ("creating", devices.creatingShare)]
        where share > 1 { throw UsageError("‘--\(name)’ takes a percentage, from 0 to 100.") }
        return devices
    }

    private static func text(_ capacity: Capacity) -> String {
        let devices = capacity.devices
        func row(_ name: String, _ average: Double, unit: String = "/s") -> String {
            let cells = [average, average * devices.peak].map { rounded($0) + unit }
            return "  " + name.padded(to: 36) + cells.map { $0.leftPadded(to: 16) }.joined()
        }
        func line(_ name: String, _ value: String) -> String { "  " + name.padded(to: 36) + value.leftPadded(to: 32) }
        let lines = [
            "\(rounded(devices.count)) devices, \(rounded(devices.editsADay)) edits a day each",
            "  " + "".padded(to: 36) + "AVERAGE".leftPadded(to: 16) + "BUSIEST HOUR".leftPadded(to: 16),
            row("pushes of one edit", capacity.pushes), row("pulls that find them", capacity.pulls),
            row("polls that find nothing", capacity.polls), row("requests", capacity.requests),
            row("cores at work, PostgreSQL with them", capacity.work, unit: ""), "",
            line("cores to have, half of them idle then", rounded(capacity.cores)),
            line("servers, one of which may be away", rounded(capacity.servers)),
            line("streams of events", rounded(capacity.listeners)),
            line("memory of a server", Int64(clampingTo: capacity.serverMemory).sizeText),
            line("sessions of the database", rounded(capacity.connections)),
            line("shared_buffers", Int64(clampingTo: capacity.sharedBuffers).sizeText),
            line("disk for what there is", Int64(clampingTo: capacity.diskNow).sizeText),
            line("disk for a year's new records", Int64(clampingTo: capacity.diskGrowth).sizeText),
            line("write-ahead log a day", Int64(clampingTo: capacity.logADay).sizeText), "",
        ]
        let supposed =
            "Supposed: \(rounded(devices.inASpace)) devices in a space, each edit in a push of its own, "
            + "\(rounded(devices.creatingShare * 100)) % of them new records, \(rounded(devices.pollsADay)) polls "
            + "a day, \(rounded(devices.listeningShare * 100)) % listening, the busiest hour "
            + "\(rounded(devices.peak)) times the average; every option changes one. Costs are those of "
            + "docs/performance.md, with the load generator's. A device's first pull is not in it, nor are "
            + "backups, replicas and indexes of your own."
        return lines.joined(separator: "\n") + "\n" + supposed.wrapped(indent: 0)
    }

    /// Formats a number rounded to three significant digits, with separated thousands.
    private static func rounded(_ value: Double) -> String {
        if value >= 100 || value == value.rounded() {
            let digits = Array("\(Int64(clampingTo: value))")
            return digits.enumerated().map { index, digit in
                (index > 0 && (digits.count - index) % 3 == 0 ? "," : "") + String(digit)
            }.joined()
        }
        let scale = value >= 10 ? 10.0 : value >= 1 ? 100.0 : 1000.0
        return "\((value * scale).rounded() / scale)"
    }

    private static func json(_ capacity: Capacity) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            func member(_ name: String, _ value: Double) {
                writer.key(name)
                writer.double((value * 1000).rounded() / 1000)
            }
            member("pushesPerSecond", capacity.pushes)
            member("pullsPerSecond", capacity.pulls)
            member("pollsPerSecond", capacity.polls)
            member("peak", capacity.devices.peak)
            member("cores", capacity.cores)
            member("servers", capacity.servers)
            member("streams", capacity.listeners)
            member("serverMemoryBytes", capacity.serverMemory)
            member("sessions", capacity.connections)
            member("sharedBuffersBytes", capacity.sharedBuffers)
            member("diskBytes", capacity.diskNow)
            member("diskGrowthBytesPerYear", capacity.diskGrowth)
            member("logBytesPerDay", capacity.logADay)
            writer.endObject()
        }
    }
}

extension Int64 {
    /// Rounds the value, and replaces a value that is too large by the largest `Int64`.
    fileprivate init(clampingTo value: Double) {
        self = value >= 9.2e18 ? .max : Int64(value.rounded())
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(1, width - count)) + self
    }
}
