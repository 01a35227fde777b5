import Foundation

/// Simulates many devices against the measured costs of the server: a usual day, the return of all devices after an
/// outage, one hot space, and growth. See docs/scaling.md.
@main
struct ScaleModel {
    private let options: ModelOptions
    private let population: Population
    private let installation: Installation
    private let random: RandomSource
    private var report: ModelReport

    /// The pushes a second into the hot space.
    private static let hotRates = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 20]
    /// More pushes a second than the lock of a space bears.
    private static let lockRate = 5000.0

    static func main() {
        do {
            let options = try ModelOptions(Array(CommandLine.arguments.dropFirst()))
            exit(options.isCheck ? check(options) : try run(options))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ options: ModelOptions) throws -> Int32 {
        var model = ScaleModel(options)
        model.simulate()
        print(options.isJSON ? try model.report.json() : model.report.text())
        if let folder = options.folder { try Pictures(model.report).write(into: folder) }
        return 0
    }

    /// Prints the outcome of each check. Without a planted fault, also checks that each planted fault is found.
    private static func check(_ options: ModelOptions) -> Int32 {
        let outcomes = SelfCheck(seed: options.seed, fault: options.fault).outcomes()
        print("seed \(options.seed)\(options.fault.map { ", planted: \($0.rawValue)" } ?? "")")
        var table = TextTable("", columns: ["found", "expected", ""])
        for outcome in outcomes {
            table.add(
                outcome.name.padding(toLength: 44, withPad: " ", startingAt: 0),
                [outcome.foundText, outcome.expectedText, outcome.passes ? "ok" : "WRONG"])
        }
        print(table.lines.dropFirst().joined(separator: "\n"))
        var isSound = outcomes.allSatisfy(\.passes)
        for fault in PlantedFault.allCases where options.fault == nil {
            let isFound = !SelfCheck(seed: options.seed, fault: fault).outcomes().allSatisfy(\.passes)
            print("planted fault \(fault.rawValue): \(isFound ? "found" : "NOT FOUND")")
            isSound = isSound && isFound
        }
        return isSound ? 0 : 1
    }

    private init(_ options: ModelOptions) {
        self.options = options
        var random = RandomSource(seed: options.seed)
        population = Population(devices: options.devices, random: &random)
        self.random = random
        installation = Installation(
            servers: Installation.servers(ofDevices: options.devices), serverCores: Int(PlannedMachine.serverCores),
            databases: options.databases, databaseCores: options.databaseCores)
        report = ModelReport(
            seed: options.seed, devices: options.devices, spaces: population.spacesCount,
            servers: installation.servers, serverCores: installation.serverCores, databases: installation.databases,
            databaseCores: installation.databaseCores)
    }

    private mutating func simulate() {
        if options.only != [.storm] { simulateDay() }
        if options.only.contains(.storm) { simulateStorm() }
    }

    /// Simulates the usual day, and what is computed beside it or from it.
    private mutating func simulateDay() {
        var day = UsualDay(population, on: installation, random: random)
        let figures = day.run()
        if options.only.contains(.day) {
            report.day = figures.hours.enumerated().map { ModelReport.DayRow($1, hour: $0) }
            for request in Request.allCases { report.requestsPerDevice[request.name] = figures.perDevice(request) }
        }
        if options.only.contains(.hot) { simulateHotSpace(beside: figures.busiest) }
        if options.only.contains(.growth) {
            report.growth = Growth.steps.map { ModelReport.GrowthRow(Growth(devices: $0, like: figures)) }
        }
    }

    private mutating func simulateStorm() {
        for protection in Storm.Protection.all {
            var storm = Storm(population, on: installation, protection: protection, random: random)
            storm.run()
            report.storm.append(ModelReport.StormRow(storm.figures))
        }
    }

    private mutating func simulateHotSpace(beside others: DayFigures.Hour) {
        var settings = [true, false].flatMap { hasRates in
            ScaleModel.hotRates.map { rate in
                HotSpace.Setting(listeners: options.listeners, pushesPerSecond: rate, hasRates: hasRates)
            }
        }
        settings.append(HotSpace.Setting(listeners: 0, pushesPerSecond: ScaleModel.lockRate, hasRates: false))
        for setting in settings {
            var space = HotSpace(setting, on: installation, beside: others, random: random)
            space.run()
            report.hotSpace.append(ModelReport.HotRow(space.figures))
        }
    }
}
