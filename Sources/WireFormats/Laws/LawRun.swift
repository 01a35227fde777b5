/// Runs one test case step by step, and throws at the first violation of a law. Each step is applied to a row of the
/// hub's table and to the reference implementation (`ChainInterpreter`).
struct LawRun {
    private let trial: LawTrial
    private let laws: LawSet
    private var row: [Value]
    /// By version: the values that it currently reads from `row`, in the order of the entity's fields.
    private var seen: [[Value]]
    private var chain: ChainInterpreter

    static func run(_ lawCase: LawCase, in trial: LawTrial, seeking laws: LawSet) throws(LawFinding) {
        var run = try LawRun(creating: lawCase, in: trial, seeking: laws)
        for put in lawCase.puts { try run.put(put) }
        try run.checkEcho(by: trial.focus, chosen: lawCase.echoed)
    }

    private init(creating lawCase: LawCase, in trial: LawTrial, seeking laws: LawSet) throws(LawFinding) {
        self.trial = trial
        self.laws = laws
        guard let view = trial.views[lawCase.creator] else {
            preconditionFailure("a case is created by a version that has no such entity")
        }
        // A creation has nothing to echo: an edit without a value is the default.
        let edits = lawCase.creation.compactMap { edit in edit.value.map { FieldEdit(field: edit.field, value: $0) } }
        do throws(LensFailure) {
            row = try trial.subject.create(view.projection, edits, lawCase.record)
            chain = try ChainInterpreter(trial.chain, creating: edits, by: lawCase.creator, in: lawCase.record)
        } catch {
            throw LawRun.finding(error)
        }
        seen = trial.views.map { [row] in $0?.projection.view(of: row) ?? [] }
        try checkRow(columns: Array(trial.hub.columns.indices))
        try checkViews()
        if laws.contains(.stableBytes), lawCase.creator == trial.focus, let again = view.again {
            let other: [Value]
            do throws(LensFailure) {
                other = try trial.subject.create(again, edits, lawCase.record)
            } catch {
                throw LawRun.finding(error)
            }
            try checkSame(other, as: row, "created a second time")
        }
    }

    private mutating func put(_ put: LawCase.Put) throws(LawFinding) {
        guard let view = trial.views[put.version] else {
            preconditionFailure("a case is edited by a version that has no such entity")
        }
        let edits = put.edits.map { $0.resolved(in: row, by: view) }
        let (before, old, oldChain) = (row, seen, chain.records)
        do throws(LensFailure) {
            try trial.subject.put(view.projection, edits, &row)
            try chain.put(edits, by: put.version)
        } catch {
            throw LawRun.finding(error)
        }
        let changed = row.indices.filter { row[$0] != before[$0] }
        try checkFrame(changed, edits: edits, by: view, before: before)
        try checkOwnView(edits, by: view)
        try checkRow(columns: changed)
        refresh(changed)
        try checkViews(since: old, oldChain, changed)
        guard put.version == trial.focus else { return }
        try checkEcho(by: put.version, chosen: .max)
        try checkStable(edits, by: view, before: before)
    }

    private func put(
        _ edits: [FieldEdit], by projection: Projection, into row: [Value]
    ) throws(LawFinding) -> [Value] {
        var row = row
        do throws(LensFailure) {
            try trial.subject.put(projection, edits, &row)
        } catch {
            throw LawRun.finding(error)
        }
        return row
    }

    /// Returns the violation for an error of a lens. It is always a violation of law 6, by which a lens never fails.
    private static func finding(_ failure: LensFailure) -> LawFinding {
        LawFinding(law: .total, lines: ["a lens fails:", "  \(failure.reason)"])
    }

    private mutating func refresh(_ changed: [Int]) {
        if changed.isEmpty { return }
        for version in trial.views.indices {
            guard let view = trial.views[version] else { continue }
            for index in view.columns.indices where changed.contains(view.columns[index]) {
                seen[version][index] = view.value(index, of: row)
            }
        }
    }
}

// MARK: - The laws

extension LawRun {
    /// Checks law 1: writing back what a version reads changes nothing. The version writes back the fields whose bit is
    /// set in `chosen`.
    private func checkEcho(by version: Int, chosen: UInt64) throws(LawFinding) {
        guard laws.contains(.noEcho), let view = trial.views[version] else { return }
        let edits = view.columns.indices.filter { chosen & (1 << UInt64($0 % 64)) != 0 }.map {
            FieldEdit(field: $0, value: seen[version][$0])
        }
        let echoed = try put(edits, by: view.projection, into: row)
        guard echoed != row else { return }
        throw LawFinding(
            law: .noEcho,
            lines: [
                "\(label(view.projection)) writes back \(edits.count) attributes as it reads them, and the row changes:"
            ] + differences(echoed, row))
    }

    /// Checks law 3: an edit changes only the columns of the edited attributes, and of those that conversions link with
    /// them.
    ///
    /// - Parameters:
    ///   - changed: the columns that the edit has changed.
    ///   - before: the row before the edit.
    private func checkFrame(
        _ changed: [Int], edits: [FieldEdit], by view: LawView, before: [Value]
    ) throws(LawFinding) {
        guard laws.contains(.frame), !changed.isEmpty else { return }
        let units = edits.map { view.units[$0.field] }
        let strays = changed.filter { !units.contains(trial.hub.unitOfColumn[$0]) }
        guard strays.isEmpty else {
            let names = edits.map { view.projection.fields[$0.field].name }.joined(separator: ", ")
            throw LawFinding(
                law: .frame,
                lines: ["\(label(view.projection)) edits \(names), and what they are not linked with changes:"]
                    + differences(row, before, only: strays))
        }
    }

    /// Checks laws 2 and 4. The editing version must read back the values that it wrote, and must find its other fields
    /// unchanged.
    private func checkOwnView(_ edits: [FieldEdit], by view: LawView) throws(LawFinding) {
        var expected = seen[view.projection.version]
        var isEdited = expected.map { _ in false }
        for edit in edits {
            expected[edit.field] = edit.value
            isEdited[edit.field] = true
        }
        for index in expected.indices {
            let law: Law = isEdited[index] ? .noSurprise : .editsCommute
            guard laws.contains(law) else { continue }
            let now = view.value(index, of: row)
            guard now != expected[index] else { continue }
            let verb = isEdited[index] ? "wrote" : "did not touch"
            throw LawFinding(
                law: law,
                lines: [
                    "\(label(view.projection)) \(verb) \(view.projection.fields[index].name)",
                    "  expected \(expected[index].brief)", "  reads    \(now.brief)",
                ])
        }
    }

    /// Checks law 6 for the given columns: each of them must be able to store its value in the row.
    private func checkRow(columns: [Int]) throws(LawFinding) {
        guard laws.contains(.total) else { return }
        for index in columns {
            let column = trial.hub.columns[index]
            let fits =
                row[index].isNull ? column.isNullable : column.type.holds(row[index]) && row[index].isStorable
            guard !fits else { continue }
            throw LawFinding(
                law: .total,
                lines: [
                    "column \(column.name) \(column.type.rawValue)\(column.isNullable ? "" : " not null")",
                    "  gets \(row[index].brief)",
                ])
        }
    }

    /// Checks the values that every version reads. They must fit the declared types (law 6) and equal those of the
    /// reference implementation (law 5).
    ///
    /// A version is skipped if the edit has changed neither the values that it reads nor those of the reference
    /// implementation. If `old` or `oldChain` is `nil`, no version is skipped.
    ///
    /// - Parameters:
    ///   - old: by version: the values that it read before the edit.
    ///   - oldChain: by version: the values of the reference implementation before the edit.
    ///   - changed: the columns that the edit has changed. Only values in them are checked against their types. `nil`
    ///     for all columns.
    private func checkViews(
        since old: [[Value]]? = nil, _ oldChain: [[Value]]? = nil, _ changed: [Int]? = nil
    ) throws(LawFinding) {
        for version in trial.views.indices {
            guard let view = trial.views[version] else { continue }
            if let old, let oldChain, old[version] == seen[version], oldChain[version] == chain.records[version] {
                continue
            }
            let (values, expected) = (seen[version], chain.records[version])
            if laws.contains(.total) { try checkTypes(values, of: view, changed) }
            guard laws.contains(.flatIsChain), values != expected else { continue }
            let wrong = values.indices.filter { values[$0] != expected[$0] }.flatMap { index in
                [
                    "\(label(view.projection)) reads \(view.projection.fields[index].name)",
                    "  compiled       \(values[index].brief)", "  stage by stage \(expected[index].brief)",
                ]
            }
            throw LawFinding(law: .flatIsChain, lines: wrong)
        }
    }

    private func checkTypes(_ values: [Value], of view: LawView, _ changed: [Int]?) throws(LawFinding) {
        for index in values.indices {
            if let changed, !changed.contains(view.columns[index]) { continue }
            let value = values[index]
            let type = view.types[index]
            guard !type.admits(value) else { continue }
            throw LawFinding(
                law: .total,
                lines: [
                    "\(label(view.projection)) reads \(view.projection.fields[index].name): \(type)",
                    "  as \(value.brief)",
                ])
        }
    }

    /// Checks law 7: the same plan, compiled a second time, reads and writes the same values.
    private func checkStable(_ edits: [FieldEdit], by view: LawView, before: [Value]) throws(LawFinding) {
        guard laws.contains(.stableBytes), let again = view.again else { return }
        let values = seen[view.projection.version]
        for (index, value) in again.view(of: row).enumerated() where value != values[index] {
            throw LawFinding(
                law: .stableBytes,
                lines: [
                    "\(label(view.projection)) reads \(view.projection.fields[index].name) twice",
                    "  first  \(values[index].brief)",
                    "  second \(value.brief)",
                ])
        }
        let other = try put(edits, by: again, into: before)
        try checkSame(other, as: row, "edited a second time by \(label(view.projection))")
    }

    private func checkSame(_ other: [Value], as row: [Value], _ how: @autoclosure () -> String) throws(LawFinding) {
        guard other != row else { return }
        throw LawFinding(law: .stableBytes, lines: ["the row, \(how()), differs:"] + differences(other, row))
    }
}

// MARK: - Words

extension LawRun {
    private func label(_ projection: Projection) -> String {
        "\(projection.name) at \(trial.subject.tree.name(of: projection.version))"
    }

    private func differences(_ now: [Value], _ before: [Value], only columns: [Int]? = nil) -> [String] {
        (columns ?? Array(now.indices)).filter { now[$0] != before[$0] }.flatMap { index in
            [
                "  column \(trial.hub.columns[index].name)", "    was \(before[index].brief)",
                "    is  \(now[index].brief)",
            ]
        }
    }
}

extension ColumnType {
    /// Returns true if a column of this type can hold `value`, which is not null.
    fileprivate func holds(_ value: Value) -> Bool {
        switch (self, value) {
        case (.boolean, .bool), (.bigint, .int), (.double, .double), (.numeric, .decimal), (.text, .string),
            (.timestamp, .date), (.uuid, .uuid), (.bytes, .data), (.json, .json):
            true
        default: false
        }
    }
}
