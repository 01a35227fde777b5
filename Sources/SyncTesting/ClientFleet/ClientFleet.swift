import Foundation
import StrictJSON
import SyncClient
import SyncSimulator
import WireFormats

/// A fleet of devices that run an app's own builds. The builds are of several versions, share one space, and meet
/// faults. Builds are killed at any moment and updated. The network loses, repeats, cuts and delays requests. The
/// server is killed and deployed anew, forgets deletions, and is restored from a backup. At intervals all faults pause.
/// Then each device must show the same records as a new one of its version, and the values of the records that it alone
/// has written.
///
/// A run cannot be repeated step by step, as the simulator's can, because its processes run side by side.
final class ClientFleet {
    /// The parameters of a run.
    struct Setting {
        /// The version of each device, as an index in the plan's `shapes`.
        let fleet: [Int]
        /// For each version, the command that starts a build of the app in that version.
        let clients: [Int: String]
        let steps: Int
        let seed: UInt64
        let faults: Set<Fault>
    }

    /// Counts of the events of a run.
    struct Tally {
        var steps = 0
        var edits = 0
        var syncs = 0
        /// The number of syncs that failed. During faults, most syncs do.
        var failures = 0
        var kills = 0
        var updates = 0
        /// The number of times that a device whose app had been updated was replaced by a new device with its original
        /// version.
        var replacements = 0
        var serverStarts = 0
        /// The number of times that the server was restarted with all migrations. Before the restart, it has only the
        /// migrations for the oldest version in the fleet.
        var deploys = 0
        var collections = 0
        var restores = 0
        /// The number of versions that were retired while devices had them. Each is restored at the next check.
        var retirements = 0
        var checks = 0
        /// The number of times that a record was compared with the values that a device has written. Only records that
        /// no other device edits are compared in this way.
        var own = 0
    }

    let plan: Plan
    let setting: Setting
    let site: Site
    let proxy: ChaosProxy
    var random: FleetSteps
    var devices: [FleetDevice] = []
    var tally = Tally()
    let space = ID.random()
    private var token = ""
    private var isBackupThere = false
    /// The versions that are retired at present, as indices in the plan's `shapes`. The server answers none of their
    /// requests.
    private var ended: Set<Int> = []
    /// The number of steps after which the server is restarted with all migrations.
    private var deployAt = 0

    /// The interval between two checks, in steps.
    private static let checkEvery = 1_000
    /// The upper limit for the random number of steps after which the server is restarted with all migrations. It comes
    /// before the first check.
    private static let deployBefore = 600
    /// The number of devices that act at the same time in one step.
    private static let sideBySide = 4

    init(_ plan: Plan, _ setting: Setting, _ program: Site.Program) async throws {
        self.plan = plan
        self.setting = setting
        site = try await Site.open(program)
        proxy = try ChaosProxy()
        random = FleetSteps(plan, seed: setting.seed)
    }

    /// Ends all processes, and removes all their files.
    func close() async {
        for device in devices where device.isRunning { await device.process.kill() }
        proxy.close()
        site.close()
    }

    /// Runs all steps of the fleet, and returns the counts of what happened.
    ///
    /// - Parameter report: called after each check, with the number of finished steps and the number of all steps.
    /// - Throws: `CompatFailure` if a value was lost, or devices differ.
    func run(_ report: (_ done: Int, _ all: Int) -> Void) async throws -> Tally {
        try await site.serveNewDatabase(through: oldest, servers: 1)
        deployAt = random.below(ClientFleet.deployBefore)
        token = try await site.grant(space, app: plan.app)
        lead()
        for version in setting.fleet { devices.append(try newDevice(version, number: devices.count)) }
        for number in devices.indices { try await start(number) }
        while tally.steps < setting.steps {
            proxy.become(weather)
            let end = min(tally.steps + ClientFleet.checkEvery, setting.steps)
            while tally.steps < end {
                try await happen()
                try await act()
            }
            proxy.become(.calm)
            try await restoreVersions()
            try await check()
            try await replaceSome()
            report(tally.steps, setting.steps)
        }
        return tally
    }

    /// The newest version that the server knows at first, as `APP/VERSION`: the oldest version in the fleet. `nil` if
    /// the server knows all versions from the start.
    private var oldest: String? {
        guard setting.faults.contains(.migration), let index = setting.fleet.min() else { return nil }
        return "\(plan.app)/\(plan.schemas[plan.version(of: index)].version)"
    }

    /// Replaces some devices whose apps were updated by new devices with the original version. So there are still old
    /// versions in the fleet.
    private func replaceSome() async throws {
        for number in devices.indices where devices[number].version != setting.fleet[number] && random.isOne(in: 2) {
            await devices[number].process.kill()
            devices[number] = try newDevice(setting.fleet[number], number: number)
            try await start(number)
            tally.replacements += 1
        }
    }

    private var weather: ChaosProxy.Weather {
        var weather = ChaosProxy.Weather.storm
        if !setting.faults.contains(.dropRequest) { weather.lostRequests = 0 }
        if !setting.faults.contains(.dropResponse) { weather.lostAnswers = 0 }
        if !setting.faults.contains(.cut) { weather.cutAnswers = 0 }
        if !setting.faults.contains(.duplicate) { weather.doubled = 0 }
        if !setting.faults.contains(.delay) { weather.delayed = 0 }
        return weather
    }

    func newDevice(_ version: Int, number: Int) throws -> FleetDevice {
        FleetDevice(
            number: number, version: version,
            process: try ClientProcess(command(of: version), name: plan.name(of: version).description))
    }

    private func command(of version: Int) throws -> String {
        guard let command = setting.clients[version] else {
            throw ClientProcess.Misstep(description: "there is no client of \(plan.name(of: version))")
        }
        return command
    }

    /// Returns the members of the command `hello`, the first command to an app's process.
    ///
    /// - Parameter port: the port to which the process sends requests: the unreliable proxy's, or the server's own for
    ///   a new device that shows the correct records.
    func greeting(_ version: Int, port: Int) -> [(String, String)] {
        [
            ("app", plan.app), ("version", "\(plan.name(of: version))"), ("url", "http://127.0.0.1:\(port)"),
            ("space", space.description), ("token", token),
        ]
    }

    private func lead() { proxy.lead(to: site.ports.first ?? 0) }

    func start(_ number: Int) async throws {
        let device = devices[number]
        try await device.process.start()
        _ = try await device.process.ask("hello", greeting(device.version, port: proxy.port))
        devices[number].isRunning = true
        let ahead = device.aheadMilliseconds
        if ahead != 0 { try await device.process.ask("clock") { $0.member("aheadMilliseconds", ahead) } }
    }

    // MARK: What happens to all

    /// Causes random faults of the server and its database, each with its own probability.
    private func happen() async throws {
        let faults = setting.faults
        if site.isHeldBack {
            guard tally.steps >= deployAt else { return }
            try await site.migrate()
            lead()
            tally.deploys += 1
        }
        if faults.contains(.kill), random.isOne(in: 100) {
            for port in site.ports { try await site.killServer(listeningOn: port) }
            try site.start()
            lead()
            tally.serverStarts += 1
        }
        // Consider a device that knows a record as living: if the record's deletion is forgotten and the database is
        // then restored, the device takes the record for lost and brings it back. In practice no device is away for so
        // long. Here only one of the two happens until all devices have read everything.
        let mayForget = tally.checks.isMultiple(of: 2) || !faults.contains(.epoch)
        if faults.contains(.gc), mayForget, random.isOne(in: 150), try await tellOfReplacedStamps() {
            try await site.collect(app: plan.app, space: space)
            tally.collections += 1
        }
        if faults.contains(.retirement), !site.isHeldBack, random.isOne(in: 200) { try await endVersion() }
        // Backups are made only while no version has ended, so that the state of versions in a restored database is
        // known.
        if faults.contains(.epoch), ended.isEmpty, random.isOne(in: 200) {
            try await site.takeBackup()
            lead()
            isBackupThere = true
        }
        if faults.contains(.epoch), isBackupThere, !mayForget || !faults.contains(.gc), random.isOne(in: 300) {
            try await restoreVersions()
            try await site.putBackupBack()
            lead()
            isBackupThere = false
            tally.restores += 1
        }
    }

    /// Lets the devices with wrong clocks sync, so that they learn by which stamps the server has replaced theirs.
    ///
    /// The server remembers replaced stamps so that it answers repeated changes in the same way. It usually does so for
    /// half a year, but this test makes it forget them at once. So these devices must sync before.
    ///
    /// - Returns: false if some of these devices cannot sync, because their version is retired.
    private func tellOfReplacedStamps() async throws -> Bool {
        let wrong = devices.indices.filter { devices[$0].aheadMilliseconds != 0 }
        if wrong.contains(where: { ended.contains(devices[$0].version) }) { return false }
        proxy.become(.calm)
        for number in wrong { try await syncInCalm(number) }
        proxy.become(weather)
        return true
    }

    /// Retires the version of some device whose app can be updated. The updated app's changes from before are then
    /// accepted or refused, at random.
    private func endVersion() async throws {
        let possible = Set(devices.map(\.version)).subtracting(ended).filter { version in
            plan.shapes.indices.count { plan.version(of: $0) == plan.version(of: version) } == 1
                && !updates(from: version, without: ended.union([version])).isEmpty
        }.sorted()
        guard !possible.isEmpty else { return }
        let version = possible[random.below(possible.count)]
        try await site.endVersion(
            "\(plan.shapes[version].version)", of: plan.app, random.isOne(in: 3) ? .closed : .retired)
        ended.insert(version)
        tally.retirements += 1
    }

    /// Restores all retired versions.
    private func restoreVersions() async throws {
        try await site.restoreVersions(of: plan.app)
        ended = []
    }

    // MARK: What devices do

    /// The action of one device in one step.
    private enum Act {
        case edit([FleetDevice.Step])
        case sync
        /// A sync during which the device's process is killed, this many microseconds after the command.
        case killedSync(microseconds: UInt32)
        case update(to: Int)
        case clock(aheadMilliseconds: Int64)
        /// Three edits of one record while the device's clock is wrong. At the first edit, the clock is so little ahead
        /// that the server accepts the stamp; at the second, it is far ahead. The server's answer makes the client
        /// correct its clock, and the third edit must still win over the first.
        case wrongClocks(slightly: FleetDevice.Step, far: FleetDevice.Step, right: FleetDevice.Step)
    }

    /// Lets some devices act at the same time, as one step each.
    private func act() async throws {
        var numbers = Array(devices.indices)
        var acts: [(number: Int, act: Act)] = []
        for _ in 0..<min(ClientFleet.sideBySide, numbers.count) {
            let number = numbers.remove(at: random.below(numbers.count))
            if let act = draw(number) { acts.append((number, act)) }
        }
        let done = try await withThrowingTaskGroup(of: FleetDevice.self) { group in
            for (number, act) in acts {
                let device = devices[number]
                let schema = plan.shapes[device.version]
                let command = if case .update(let version) = act { try command(of: version) } else { "" }
                group.addTask { try await ClientFleet.perform(act, by: device, schema, command) }
            }
            var done: [FleetDevice] = []
            for try await device in group { done.append(device) }
            return done
        }
        for device in done { devices[device.number] = device }
        for (number, act) in acts {
            tally.steps += 1
            switch act {
            case .edit(let steps): tally.edits += steps.count
            case .sync: tally.syncs += 1
            case .killedSync:
                tally.kills += 1
                try await start(number)
            case .update:
                tally.updates += 1
                try await start(number)
            case .clock: break
            case .wrongClocks:
                tally.edits += 3
                tally.syncs += 1
            }
        }
    }

    private func draw(_ number: Int) -> Act? {
        let device = devices[number]
        // A user whose version has ended updates the app, sooner or later.
        let left = ended.contains(device.version) ? updates(from: device.version, without: ended) : []
        if !left.isEmpty, random.isOne(in: 10) { return .update(to: left[random.below(left.count)]) }
        switch random.below(100) {
        case ..<58:
            let steps = (0...random.below(3)).compactMap { _ in random.step(for: device) }
            return steps.isEmpty ? nil : .edit(steps)
        case ..<90: return .sync
        case ..<96:
            guard setting.faults.contains(.kill) else { return .sync }
            return .killedSync(microseconds: UInt32(random.below(20_000)))
        case ..<97:
            let newer = updates(from: device.version, without: [])
            guard setting.faults.contains(.upgrade), !newer.isEmpty else { return .sync }
            return .update(to: newer[random.below(newer.count)])
        default:
            guard setting.faults.contains(.skew) else { return .sync }
            let edits = random.below(2) == 0 ? random.editsOfOne(count: 3, by: device) : []
            if !edits.isEmpty { return .wrongClocks(slightly: edits[0], far: edits[1], right: edits[2]) }
            return .clock(aheadMilliseconds: Int64(random.below(7_200_000)) - 3_600_000)
        }
    }

    /// Returns the versions, in ascending order, to which an app of version `older` can be updated: those with a build
    /// that are not in `others`. Variants have the number of another version, so they are left out.
    private func updates(from older: Int, without others: Set<Int>) -> [Int] {
        setting.clients.keys.filter { newer in
            newer > older && !plan.isVariant(newer) && !plan.isVariant(older) && !others.contains(newer)
        }.sorted()
    }

    private static func perform(
        _ act: Act, by before: FleetDevice, _ schema: Schema, _ command: String
    ) async throws -> FleetDevice {
        var device = before
        switch act {
        case .edit(let steps): try await edit(steps, by: &device, schema)
        case .sync: try await sync(&device)
        case .killedSync(let microseconds):
            await device.process.send("sync", thenKillAfter: microseconds)
            device.isRunning = false
        case .update(let version):
            await device.process.kill()
            device.isRunning = false
            await device.process.become(command)
            device.version = version
            // The older version did not write the values that the newer version reads.
            for entity in device.own.keys {
                for id in device.own[entity]?.keys.map(\.self) ?? [] { device.own[entity]?[id]?.fields = [:] }
            }
        case .clock(let ahead): try await set(&device, aheadMilliseconds: ahead)
        case .wrongClocks(let slightly, let far, let right):
            let ahead = device.aheadMilliseconds
            // A server accepts stamps that are at most 5 min ahead (`HybridClock.aheadMax`).
            try await set(&device, aheadMilliseconds: ahead + 150_000)
            try await edit([slightly], by: &device, schema)
            try await set(&device, aheadMilliseconds: ahead + 7_200_000)
            try await edit([far], by: &device, schema)
            // The answer makes the client set its clock right.
            try await sync(&device)
            try await edit([right], by: &device, schema)
        }
        return device
    }

    private static func edit(
        _ steps: [FleetDevice.Step], by device: inout FleetDevice, _ schema: Schema
    ) async throws {
        let driven = DrivenDevice(
            role: "device \(device.number)", version: device.version, schema: schema, process: device.process)
        try await driven.edit(steps.map(\.change))
        for step in steps { device.note(step) }
    }

    private static func sync(_ device: inout FleetDevice) async throws {
        guard let answer = try await device.process.answer("sync") else { return }
        device.note(refusedIn: answer.root)
    }

    private static func set(_ device: inout FleetDevice, aheadMilliseconds ahead: Int64) async throws {
        try await device.process.ask("clock") { $0.member("aheadMilliseconds", ahead) }
        device.aheadMilliseconds = ahead
    }
}
