/// The figures of one run with a hot space.
struct HotSpaceFigures {
    let setting: HotSpace.Setting
    var (pushesBegun, pushesDone, pushesRefused, pullsBegun, pullsRefused) = (0, 0, 0, 0, 0)
    var (othersBegun, othersRefused) = (0, 0)
    /// The times for which pushes waited for the lock of the space.
    var pushWaits = Histogram()
    /// The age of the oldest change that a pull brought to a device.
    var ages = Histogram()
    /// The times for which requests to other spaces waited for a core.
    var otherWaits = Histogram()
    /// The share of the database's cores that was busy, from 0 to 1; above 1 if work was left at the end.
    var databaseShare = 0.0

    init(setting: HotSpace.Setting) {
        self.setting = setting
    }

    var pushesDonePerSecond: Double { Double(pushesDone) / HotSpace.endSeconds }
    /// The pulls that were refused, as a share of all that were sent.
    var pullsRefusedShare: Double { pullsBegun == 0 ? 0 : Double(pullsRefused) / Double(pullsBegun) }
    var othersRefusedShare: Double { othersBegun == 0 ? 0 : Double(othersRefused) / Double(othersBegun) }
}
