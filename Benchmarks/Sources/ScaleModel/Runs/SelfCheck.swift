import Foundation

/// Checks of the model's arithmetic against the theory of queues, and of its books.
struct SelfCheck {
    /// The outcome of one check.
    struct Outcome {
        let name: String
        let found: Double
        let expected: Double
        /// The greatest relative difference with which the check passes.
        let tolerance: Double
        var foundText: String { text(found) }
        var expectedText: String { text(expected) }
        var passes: Bool { abs(found - expected) <= tolerance * max(abs(expected), 1e-12) }

        private func text(_ value: Double) -> String { tolerance == 0 ? "\(Int(value))" : Figure.text(value) }
    }

    private let fault: PlantedFault?
    private let seed: UInt64

    private static let requests = 2_000_000
    private static let serviceSeconds = 0.001
    private static let load = 0.7
    /// The mean of two million waits at this load varies by about half a per cent from seed to seed.
    private static let waitTolerance = 0.03
    private static let smallDevices = 20_000

    init(seed: UInt64, fault: PlantedFault?) {
        (self.seed, self.fault) = (seed, fault)
    }

    func outcomes() -> [Outcome] {
        let load = SelfCheck.load
        let mm1 = run(cores: 1, isRandom: true)
        let md1 = run(cores: 1, isRandom: false)
        let mm4 = run(cores: 4, isRandom: true)
        let seconds = SelfCheck.serviceSeconds
        func wait(_ name: String, _ found: Double, _ expected: Double) -> Outcome {
            Outcome(name: name, found: found * 1e6, expected: expected * 1e6, tolerance: SelfCheck.waitTolerance)
        }
        return [
            wait("M/M/1, mean wait, µs", mm1.wait, load / (1 - load) * seconds),
            wait("M/D/1, mean wait, µs", md1.wait, load / (2 * (1 - load)) * seconds),
            wait("M/M/4, mean wait, µs (Erlang C)", mm4.wait, erlangWait(cores: 4, load: load) * seconds),
            Outcome(
                name: "Little's law, requests in M/M/1", found: mm1.inSystem, expected: load / (1 - load),
                tolerance: SelfCheck.waitTolerance),
            Outcome(
                name: "M/M/1, p99 of the time in the system, µs", found: mm1.p99 * 1e6,
                expected: -log(0.01) * seconds / (1 - load) * 1e6, tolerance: 2 * SelfCheck.waitTolerance),
        ] + books()
    }

    // MARK: Queues

    /// Serves many requests of one queue, and measures the number of requests in it at random moments.
    private func run(cores: Int, isRandom: Bool) -> (wait: Double, p99: Double, inSystem: Double) {
        var random = RandomSource(seed: seed)
        var station = Station(cores: cores, fault: fault)
        var times = Histogram()
        var ends = Timeline<Void>(intervalSeconds: 1)
        var (now, waited, area) = (0.0, 0.0, 0.0)
        let gap = SelfCheck.serviceSeconds / SelfCheck.load / Double(cores)
        for _ in 0..<SelfCheck.requests {
            let pause = random.exponential(mean: gap)
            let next = now + pause
            // The integral of the number in the system, independently of the waits.
            var from = now
            while let (end, _) = ends.next(before: next) {
                area += Double(ends.count + 1) * (end - from)
                from = end
            }
            area += Double(ends.count) * (next - from)
            now = next
            let drawn = fault == .reusedRandom ? pause / gap : random.exponential(mean: 1)
            let seconds = (isRandom ? drawn : 1) * SelfCheck.serviceSeconds
            let (start, end) = station.serve(at: now, seconds: seconds)
            ends.add((), at: end)
            waited += start - now
            times.add(end - now)
        }
        return (waited / Double(SelfCheck.requests), times.quantile(0.99), area / now)
    }

    /// Returns the mean wait of M/M/c by Erlang's formula C, as a multiple of the mean service time.
    private func erlangWait(cores: Int, load: Double) -> Double {
        let offered = load * Double(cores)
        var (term, sum) = (1.0, 0.0)
        for count in 0..<cores {
            sum += term
            term *= offered / Double(count + 1)
        }
        let all = term / (1 - load)
        return all / (sum + all) / (Double(cores) * (1 - load))
    }

    // MARK: Books

    /// Compares the requests that were begun with those that ended, and two runs with the same seed.
    private func books() -> [Outcome] {
        var random = RandomSource(seed: seed)
        let population = Population(devices: SelfCheck.smallDevices, random: &random)
        let installation = Installation(servers: 2, serverCores: 2, databases: 2, databaseCores: 1)
        func exact(_ name: String, _ found: Int, _ expected: Int) -> Outcome {
            Outcome(name: name, found: Double(found), expected: Double(expected), tolerance: 0)
        }
        let (day, again) = (day(population, installation, random), day(population, installation, random))
        let storm = storm(population, installation, random)
        return [
            exact("usual day, requests answered", day.answered, day.begun),
            exact("usual day, the same seed again", again.answered, day.answered),
            exact("storm, admitted and refused", storm.admitted + storm.refused, storm.attempts),
            exact("storm, answered and waiting", storm.answered + storm.waiting, storm.admitted),
            exact("storm, devices that have synced", storm.syncedCount, storm.devices),
        ]
    }

    private func day(
        _ population: Population, _ installation: Installation, _ random: RandomSource
    ) -> UsualDay.Balance {
        var day = UsualDay(population, on: installation, random: random, fault: fault)
        _ = day.run()
        return day.balance
    }

    private func storm(
        _ population: Population, _ installation: Installation, _ random: RandomSource
    ) -> StormFigures {
        let protection = Storm.Protection(hasJitter: true, hasLimits: true)
        var storm = Storm(population, on: installation, protection: protection, random: random, fault: fault)
        storm.run()
        return storm.figures
    }
}
