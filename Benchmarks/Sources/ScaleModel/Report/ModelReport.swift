import Foundation

/// The figures of all experiments of a run, as they are printed, written as JSON, and drawn.
struct ModelReport: Encodable {
    /// One hour of the usual day.
    struct DayRow: Encodable {
        let hour: Int
        let requestsPerSecond: Double
        let streams: Double
        let serverCores: Double
        let databaseCores: Double
        let directoryCores: Double
        let waitP50Milliseconds: Double
        let waitP99Milliseconds: Double
    }

    /// One return after an outage.
    struct StormRow: Encodable {
        let name: String
        let requests: Int
        let refused: Int
        let wasted: Int
        let mostInFlight: Int
        let half: Double?
        let ninetyNine: Double?
        let all: Double?
        let syncedShare: Double
        let emptyAt: Double
        /// The share of devices that have synced by the end of each second.
        let curve: [Double]
    }

    /// One rate of pushes into a hot space.
    struct HotRow: Encodable {
        let hasRates: Bool
        let listeners: Int
        let pushesPerSecond: Double
        let donePerSecond: Double
        let ageP50Seconds: Double
        let ageP99Seconds: Double
        let databaseShare: Double
        let otherP99Milliseconds: Double
        let pullsRefusedShare: Double
        let othersRefusedShare: Double
    }

    /// One number of devices.
    struct GrowthRow: Encodable {
        let devices: Double
        let requestsPerSecond: Double
        let streams: Double
        let servers: Double
        let databases: Double
        let databaseCores: Double
        let diskBytes: Double
        let logBytesPerDay: Double
        let tokensPerSecond: Double
        let tokenCores: Double
        let announcementsPerSecond: Double
        let announcingCores: Double
        let announcedBytesPerServerAndSecond: Double
        let sessionsPerDatabase: Double
        let bucketBytes: Double
        let copySeconds: Double
        let compareSeconds: Double
        /// The share of each part's limit that is needed.
        let pressures: [String: Double]
    }

    let seed: UInt64
    let devices: Int
    let spaces: Int
    let servers: Int
    let serverCores: Int
    let databases: Int
    let databaseCores: Int
    var requestsPerDevice: [String: Double] = [:]
    var day: [DayRow] = []
    var storm: [StormRow] = []
    var hotSpace: [HotRow] = []
    var growth: [GrowthRow] = []

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension ModelReport.DayRow {
    init(_ figures: DayFigures.Hour, hour: Int) {
        self.init(
            hour: hour, requestsPerSecond: figures.requestsPerSecond, streams: figures.streams,
            serverCores: figures.serverCores, databaseCores: figures.databaseCores,
            directoryCores: figures.directoryCores, waitP50Milliseconds: figures.waits.quantile(0.5) * 1000,
            waitP99Milliseconds: figures.waits.quantile(0.99) * 1000)
    }
}

extension ModelReport.StormRow {
    init(_ figures: StormFigures) {
        self.init(
            name: figures.name, requests: figures.attempts, refused: figures.refused, wasted: figures.wasted,
            mostInFlight: figures.mostInFlight, half: figures.seconds(untilSynced: 0.5),
            ninetyNine: figures.seconds(untilSynced: 0.99), all: figures.seconds(untilSynced: 1),
            syncedShare: Double(figures.syncedCount) / Double(figures.devices), emptyAt: figures.emptyAt,
            curve: figures.syncedBySecond.map { Double($0) / Double(figures.devices) })
    }
}

extension ModelReport.HotRow {
    init(_ figures: HotSpaceFigures) {
        self.init(
            hasRates: figures.setting.hasRates, listeners: figures.setting.listeners,
            pushesPerSecond: figures.setting.pushesPerSecond, donePerSecond: figures.pushesDonePerSecond,
            ageP50Seconds: figures.ages.quantile(0.5), ageP99Seconds: figures.ages.quantile(0.99),
            databaseShare: min(1, figures.databaseShare),
            otherP99Milliseconds: figures.otherWaits.quantile(0.99) * 1000,
            pullsRefusedShare: figures.pullsRefusedShare, othersRefusedShare: figures.othersRefusedShare)
    }
}

extension ModelReport.GrowthRow {
    init(_ growth: Growth) {
        let pressures = growth.pressures.map { ($0.part.rawValue, $0.share) }
        self.init(
            devices: growth.devices, requestsPerSecond: growth.requestsPerSecond, streams: growth.streams,
            servers: growth.servers, databases: growth.databases, databaseCores: growth.databaseCores,
            diskBytes: growth.diskBytes, logBytesPerDay: growth.logBytesPerDay,
            tokensPerSecond: growth.tokensPerSecond, tokenCores: growth.tokenCores,
            announcementsPerSecond: growth.announcementsPerSecond, announcingCores: growth.announcingCores,
            announcedBytesPerServerAndSecond: growth.pushesPerSecond * Limit.announcedSpaceBytes,
            sessionsPerDatabase: growth.servers * Limit.sessionsPerServer, bucketBytes: growth.bucketBytes,
            copySeconds: growth.copySeconds, compareSeconds: growth.compareSeconds,
            pressures: Dictionary(uniqueKeysWithValues: pressures))
    }
}
