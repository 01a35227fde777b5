import WireFormats

/// Requests about one space that were under way at the same time, and whether some order of them explains all their
/// answers: each did what it did at one moment between its last byte and its answer (linearizability, as Wing and Gong
/// check it, from answer to answer as Lowe does).
struct SpaceHistory {
    let events: [SpaceEvent]

    /// One way in which it can have gone so far: what there is, and which of the events under way have been.
    private struct Course: Hashable {
        var model: MemberModel
        var done: Set<Int> = []
    }

    /// - Parameters:
    ///   - before: what there was at first.
    ///   - after: what there is in the end.
    /// - Returns: what no order explains; `nil` where one does.
    func fault(from before: MemberModel, to after: MemberModel) -> String? {
        var courses: Set = [Course(model: before)]
        var underWay: Set<Int> = []
        for moment in moments {
            guard moment.isEnd else {
                underWay.insert(moment.event)
                continue
            }
            let reached = explore(courses, underWay, until: events[moment.event].isCertain ? moment.event : nil)
            guard !reached.isEmpty else {
                let models = Set(courses.map(\.model)).map { "\n    \($0)" }.sorted()
                return """
                    “\(events[moment.event].story())” cannot have been. Before its answer, and what may have been \
                    meanwhile, there was:\(models.joined())
                    """
            }
            underWay.remove(moment.event)
            courses = Set(
                reached.map { course in Course(model: course.model, done: course.done.subtracting([moment.event])) })
        }
        let ends = Set(explore(courses, underWay, until: nil).map(\.model))
        if ends.contains(after) { return nil }
        return "The database has \(after). It should have one of:\(ends.map { "\n    \($0)" }.sorted().joined())"
    }

    private struct Moment {
        let event: Int
        let time: ContinuousClock.Instant
        let isEnd: Bool
    }

    private var moments: [Moment] {
        events.indices.flatMap { index in
            [
                Moment(event: index, time: events[index].from, isEnd: false),
                Moment(event: index, time: events[index].to, isEnd: true),
            ]
        }.sorted { $0.time < $1.time || $0.time == $1.time && !$0.isEnd && $1.isEnd }
    }

    /// All courses that can be by now; with an event that has its answer, those in which it was.
    private func explore(_ courses: Set<Course>, _ underWay: Set<Int>, until wanted: Int?) -> [Course] {
        var seen = Set(courses.map { seeing($0, underWay) })
        var open = Array(seen)
        var reached: [Course] = []
        while let course = open.popLast() {
            if wanted == nil { reached.append(course) }
            if let wanted, course.done.contains(wanted) {
                reached.append(course)
                continue
            }
            for event in underWay where !course.done.contains(event) {
                guard let model = course.model.after(events[event].kind) else { continue }
                let next = seeing(Course(model: model, done: course.done.union([event])), underWay)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return reached
    }

    /// Who only looks and would see this has done so: that leaves all others as free as they were.
    private func seeing(_ course: Course, _ underWay: Set<Int>) -> Course {
        var course = course
        for event in underWay where course.model.agrees(with: events[event].kind) { course.done.insert(event) }
        return course
    }
}
