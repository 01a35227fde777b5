import HTTPServer
import SyncEngine
import SyncServer
import WireFormats

/// The settings of the server that result from the options of `serve`.
extension ServeCommand {
    /// Returns the schedule by which the server collects tombstones (removes old rows of deleted records); `nil` if it
    /// never does.
    static func schedule(_ options: Options) throws -> CollectionSchedule? {
        let age = try options.duration("gc-older-than")
        let interval = try options.duration("gc-interval", atLeast: .seconds(1))
        if options.has("no-gc") { return nil }
        return CollectionSchedule(
            age: age ?? Collector.ageDefault, interval: interval ?? CollectionSchedule.intervalDefault)
    }

    /// Returns true if pending migrations are to be run at the start; `nil` if the option is not given.
    static func migrates(_ options: Options) throws(UsageError) -> Bool? {
        switch options["migrate"] {
        case nil: return nil
        case "auto": return true
        case "check": return false
        case let word?: throw UsageError("‘--migrate’ takes auto or check, not ‘\(word)’.")
        }
    }

    /// Returns the settings that a running server can change without a restart.
    static func policy(_ options: Options, _ plans: [Plan]) throws -> RequestPolicy {
        let limits = try LimitsFile(options)
        return RequestPolicy(
            providers: try IdentityOption.providers(options, plans),
            quotas: limits.quotas, rates: limits.rates.map { RateLimiter($0) }, proxies: try trustedProxies(options),
            origins: try origins(options), logsRequests: options.has("log-requests"))
    }

    /// Returns the server's log. Its format depends on the reader: text for a terminal, lines with priorities for a
    /// journal, JSON for other programs.
    static func log(_ options: Options) throws(UsageError) -> Log {
        let form = options["log-format"].flatMap { Log.Form(rawValue: $0) } ?? (Terminal.isInteractive ? .text : .json)
        return Log(atLeast: try logLevel(options), as: form, statesPriority: Supervisor.readsStandardError)
    }

    private static func logLevel(_ options: Options) throws(UsageError) -> Log.Level {
        guard let word = options["log-level"] else { return .info }
        guard let level = Log.Level(rawValue: word) else {
            throw UsageError("‘--log-level’ takes info, warning or error, not ‘\(word)’.")
        }
        if level > .info, options.has("log-requests") {
            throw UsageError("‘--log-level \(word)’ leaves out the lines of ‘--log-requests’. Give one of the two.")
        }
        return level
    }

    static func origins(_ options: Options) throws(UsageError) -> CrossOrigins {
        guard let text = options["cors-origins"] else { return .none }
        guard let origins = CrossOrigins(text) else {
            throw UsageError(
                "‘--cors-origins’ takes origins such as https://app.example, without a path, not ‘\(text)’.")
        }
        return origins
    }

    static func trustedProxies(_ options: Options) throws(UsageError) -> TrustedProxies {
        guard let text = options["trusted-proxies"] else { return .none }
        guard let proxies = TrustedProxies(text) else {
            throw UsageError("‘--trusted-proxies’ takes networks such as 10.0.0.0/8,fd00::/8, not ‘\(text)’.")
        }
        return proxies
    }

    static func massDeletions(_ options: Options) throws -> MassDeletions.Limits {
        guard let percent = try options.integer("mass-deletion", atLeast: 1) else { return MassDeletions.Limits() }
        guard percent <= 100 else { throw UsageError("‘--mass-deletion’ takes 1 to 100; 100 allows all.") }
        return MassDeletions.Limits(shareMaxPercent: percent)
    }

    /// Reduces the limit for event streams if the process cannot open enough files. Files for connections and for other
    /// uses are reserved first.
    static func boundStreams(_ limits: inout HTTPServer.Limits, _ log: Log) {
        let files = OpenFiles.raiseLimit()
        let others = limits.connectionsMax + otherFilesMax
        guard files < limits.streamsMax + others else { return }
        let wanted = limits.streamsMax + others
        limits.streamsMax = max(0, files - others)
        log.warning(
            "at most \(limits.streamsMax) devices can listen, because at most \(files) files can be open."
                + " ‘ulimit -n \(wanted)’, or LimitNOFILE=\(wanted) of systemd, allows all.")
    }

    /// The default limit of connections from one address, a quarter of `connectionsMax`. It suffices for an office or a
    /// carrier whose devices share one address, and no single address can use all connections.
    static let connectionsPerAddressDefault = 1_024

    /// Returns the limit of connections from one address; `nil` for none. By default there is none on the loopback
    /// interface, because all connections there may come from one proxy.
    static func connectionsPerAddress(_ options: Options, address: String) throws -> Int? {
        guard let stated = try options.integer("connections-per-address", atLeast: 0) else {
            return address.hasPrefix("127.") || address == "::1" ? nil : connectionsPerAddressDefault
        }
        return stated == 0 ? nil : stated
    }

    /// The number of file descriptors reserved for other uses than connections and streams: database sessions, event
    /// loops, sockets that are being closed, and those that every program has open. About 400 were counted.
    private static let otherFilesMax = 500

    static func configuration(_ options: Options, _ log: Log) throws -> HTTPServer.Configuration {
        var configuration = HTTPServer.Configuration()
        configuration.address = options["address"] ?? "127.0.0.1"
        guard HTTPServer.isAddress(configuration.address) else {
            throw UsageError("‘--address’ takes an IP address such as 127.0.0.1 or ::, not ‘\(configuration.address)’.")
        }
        let stated = try options.integer("port", atLeast: 0)
        guard let port = stated ?? Int(Environment.variable("PORT") ?? "8080"), (0...65535).contains(port) else {
            throw UsageError("The port must be a number up to 65535.")
        }
        configuration.port = port
        configuration.limits.connectionsPerAddressMax = try connectionsPerAddress(
            options, address: configuration.address)
        boundStreams(&configuration.limits, log)
        return configuration
    }
}
