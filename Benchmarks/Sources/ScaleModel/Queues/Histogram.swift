import Foundation

/// Counts of durations in classes whose bounds grow by 2.3 % each, so that a quantile is exact to about 1 %.
struct Histogram {
    private static let leastSeconds = 1e-6
    private static let classesPerDecade = 100.0
    private static let decades = 11.0

    private var counts = [Int](repeating: 0, count: Int(classesPerDecade * decades) + 1)
    private(set) var count = 0
    private(set) var sum = 0.0

    var mean: Double { count == 0 ? 0 : sum / Double(count) }

    mutating func add(_ seconds: Double) {
        count += 1
        sum += seconds
        guard seconds > Histogram.leastSeconds else {
            counts[0] += 1
            return
        }
        let index = 1 + Int(log10(seconds / Histogram.leastSeconds) * Histogram.classesPerDecade)
        counts[min(index, counts.count - 1)] += 1
    }

    /// Returns the duration in seconds that the given share of all durations does not exceed; 0 for less than 1 µs.
    func quantile(_ share: Double) -> Double {
        let wanted = share * Double(count)
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            guard Double(seen) >= wanted, seen > 0 else { continue }
            if index == 0 { return 0 }
            return Histogram.leastSeconds * pow(10, (Double(index) - 0.5) / Histogram.classesPerDecade)
        }
        return 0
    }

    mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        sum += other.sum
    }
}
