/// A queue of future events in the order of their times.
///
/// Events of the current interval are in a small heap, and later ones in one unsorted list for each interval. So the
/// cost of an event does not grow with the number of events that wait.
struct Timeline<Event> {
    private struct Entry {
        let time: Double
        let event: Event
    }

    private let intervalSeconds: Double
    private var current = 0
    private var heap: [Entry] = []
    private var later: [[Entry]] = []
    private(set) var count = 0

    init(intervalSeconds: Double) {
        self.intervalSeconds = intervalSeconds
    }

    /// Adds an event at a time in seconds. An event in the past happens next.
    mutating func add(_ event: Event, at time: Double) {
        count += 1
        let interval = Int(time / intervalSeconds)
        if interval <= current { return sink(Entry(time: time, event: event)) }
        if interval >= later.count {
            later.append(contentsOf: repeatElement([], count: interval + 1 - later.count))
        }
        later[interval].append(Entry(time: time, event: event))
    }

    /// Removes and returns the next event; `nil` if there is none before `end`.
    mutating func next(before end: Double) -> (time: Double, event: Event)? {
        while heap.isEmpty {
            guard current + 1 < later.count, Double(current + 1) * intervalSeconds < end else { return nil }
            current += 1
            let entries = later[current]
            later[current] = []
            for entry in entries { sink(entry) }
        }
        guard heap[0].time < end else { return nil }
        count -= 1
        let first = heap[0]
        let last = heap.removeLast()
        if !heap.isEmpty { settle(last) }
        return (first.time, first.event)
    }

    private mutating func sink(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            if heap[parent].time <= entry.time { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = entry
    }

    /// Replaces the root of the heap.
    private mutating func settle(_ entry: Entry) {
        var index = 0
        while true {
            var child = 2 * index + 1
            if child >= heap.count { break }
            if child + 1 < heap.count, heap[child + 1].time < heap[child].time { child += 1 }
            if entry.time <= heap[child].time { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = entry
    }
}
