/// Walks one case step by step beside the chain interpreter, and throws at the first law that breaks.
struct LawWalk {
    private let trial: LawTrial
    private let laws: Set<Law>
    private var row: [Value]
    /// What each version reads of `row`.
    private var seen: [[Value]]
    private var chain: ChainInterpreter

    static func run(_ lawCase: LawCase, in trial: LawTrial, seeking laws: Set<Law>) throws(LawFinding) {
        var walk = try LawWalk(creating: lawCase, in: trial, seeking: laws)
        for put in lawCase.puts { try walk.put(put) }
        try walk.checkEcho(by: trial.focus, chosen: lawCase.echoed)
    }

    private init(creating lawCase: LawCase, in trial: LawTrial, seeking laws: Set<Law>) throws(LawFinding) {
        self.trial = trial
        self.laws = laws
        guard let projection = trial.projections[lawCase.creator] else {
            preconditionFailure("a case is created by a version that has no such entity")
        }
        // A creation has nothing to echo: an edit without a value is the default.
        let edits = lawCase.creation.compactMap { edit in edit.value.map { FieldEdit(field: edit.field, value: $0) } }
        let columns = trial.hub.columns.count
        row = trial.subject.create(projection, edits, lawCase.record, columns)
        chain = ChainInterpreter(trial.chain, creating: edits, by: lawCase.creator, in: lawCase.record)
        seen = trial.projections.map { [row] in $0?.view(of: row) ?? [] }
        try checkRow(columns: Array(0..<columns))
        try checkViews()
        if laws.contains(.stableBytes), lawCase.creator == trial.focus,
            let again = trial.subject.recompiled[lawCase.creator][trial.hub.index]
        {
            let other = trial.subject.create(again, edits, lawCase.record, columns)
            try checkSame(other, as: row, "created a second time")
        }
    }

    private mutating func put(_ put: LawCase.Put) throws(LawFinding) {
        guard let projection = trial.projections[put.version] else {
            preconditionFailure("a case is edited by a version that has no such entity")
        }
        let edits = put.edits.map { $0.resolved(in: row, by: projection) }
        let (before, old, oldChain) = (row, seen, chain.records)
        trial.subject.put(projection, edits, &row)
        chain.put(edits, by: put.version)
        let changed = row.indices.filter { row[$0] != before[$0] }
        try checkFrame(changed, edits: edits, by: projection, before: before)
        try checkOwnView(edits, by: projection)
        try checkRow(columns: changed)
        refresh(changed)
        try checkViews(since: old, oldChain)
        guard put.version == trial.focus else { return }
        try checkEcho(by: put.version, chosen: .max)
        try checkStable(edits, by: projection, before: before)
    }

    private mutating func refresh(_ changed: [Int]) {
        for (version, projection) in trial.projections.enumerated() {
            guard let projection else { continue }
            for (place, field) in projection.fields.enumerated() where changed.contains(field.column) {
                seen[version][place] = field.view(row[field.column])
            }
        }
    }
}

// MARK: - The laws

extension LawWalk {
    /// Law 1, for the whole record and for the fields that `chosen` has a bit for.
    private func checkEcho(by version: Int, chosen: UInt64) throws(LawFinding) {
        guard laws.contains(.noEcho), let projection = trial.projections[version] else { return }
        let edits = projection.fields.indices.filter { chosen & (1 << UInt64($0 % 64)) != 0 }.map {
            FieldEdit(field: $0, value: seen[version][$0])
        }
        var echoed = row
        trial.subject.put(projection, edits, &echoed)
        guard echoed != row else { return }
        throw LawFinding(
            law: .noEcho,
            lines: ["\(label(projection)) writes back \(edits.count) attributes as it reads them, and the row changes:"]
                + differences(echoed, row))
    }

    /// Law 3.
    private func checkFrame(
        _ changed: [Int], edits: [FieldEdit], by projection: Projection, before: [Value]
    ) throws(LawFinding) {
        guard laws.contains(.frame), !changed.isEmpty else { return }
        let units = edits.map { trial.hub.unitOfColumn[projection.fields[$0.field].column] }
        let strays = changed.filter { !units.contains(trial.hub.unitOfColumn[$0]) }
        guard strays.isEmpty else {
            let names = edits.map { projection.fields[$0.field].name }.joined(separator: ", ")
            throw LawFinding(
                law: .frame,
                lines: ["\(label(projection)) edits \(names), and what they are not linked with changes:"]
                    + differences(row, before, only: strays))
        }
    }

    /// Laws 2 and 4: of the editing version's own view, exactly what was edited has changed.
    private func checkOwnView(_ edits: [FieldEdit], by projection: Projection) throws(LawFinding) {
        var expected = seen[projection.version]
        var isEdited = expected.map { _ in false }
        for edit in edits {
            expected[edit.field] = edit.value
            isEdited[edit.field] = true
        }
        for (place, field) in projection.fields.enumerated() {
            let law: Law = isEdited[place] ? .noSurprise : .editsCommute
            guard laws.contains(law) else { continue }
            let now = field.view(row[field.column])
            guard now != expected[place] else { continue }
            let verb = isEdited[place] ? "wrote" : "did not touch"
            throw LawFinding(
                law: law,
                lines: [
                    "\(label(projection)) \(verb) \(field.name)", "  expected \(expected[place].brief)",
                    "  reads    \(now.brief)",
                ])
        }
    }

    /// Law 6 for the row: what the columns can hold.
    private func checkRow(columns: [Int]) throws(LawFinding) {
        guard laws.contains(.total) else { return }
        for place in columns {
            let column = trial.hub.columns[place]
            let fits =
                row[place].isNull ? column.isNullable : column.type.holds(row[place]) && LawTrial.isStorable(row[place])
            guard !fits else { continue }
            throw LawFinding(
                law: .total,
                lines: [
                    "column \(column.name) \(column.type.rawValue)\(column.isNullable ? "" : " not null")",
                    "  gets \(row[place].brief)",
                ])
        }
    }

    /// Laws 5 and 6 for what every version reads, where it or the chain is not as it was when last checked.
    private func checkViews(since old: [[Value]]? = nil, _ oldChain: [[Value]]? = nil) throws(LawFinding) {
        for case let projection? in trial.projections {
            let version = projection.version
            let (values, expected) = (seen[version], chain.records[version])
            if let old, let oldChain, old[version] == values, oldChain[version] == expected { continue }
            if laws.contains(.total) { try checkTypes(values, since: old?[version], of: projection) }
            guard laws.contains(.flatIsChain), values != expected else { continue }
            let wrong = values.indices.filter { values[$0] != expected[$0] }.flatMap { place in
                [
                    "\(label(projection)) reads \(projection.fields[place].name)",
                    "  compiled       \(values[place].brief)", "  stage by stage \(expected[place].brief)",
                ]
            }
            throw LawFinding(law: .flatIsChain, lines: wrong)
        }
    }

    private func checkTypes(_ values: [Value], since old: [Value]?, of projection: Projection) throws(LawFinding) {
        for (place, field) in projection.fields.enumerated() {
            let value = values[place]
            if let old, old[place] == value { continue }
            let fits =
                value.isNull ? field.type.isOptional : field.type.kind.admits(value) && LawTrial.isStorable(value)
            guard !fits else { continue }
            throw LawFinding(
                law: .total, lines: ["\(label(projection)) reads \(field.name): \(field.type)", "  as \(value.brief)"])
        }
    }

    /// Law 7: the same once more, by a plan that was compiled anew.
    private func checkStable(_ edits: [FieldEdit], by projection: Projection, before: [Value]) throws(LawFinding) {
        guard laws.contains(.stableBytes),
            let again = trial.subject.recompiled[projection.version][trial.hub.index]
        else { return }
        let values = seen[projection.version]
        for (place, value) in again.view(of: row).enumerated() where value != values[place] {
            throw LawFinding(
                law: .stableBytes,
                lines: [
                    "\(label(projection)) reads \(projection.fields[place].name) twice",
                    "  first  \(values[place].brief)",
                    "  second \(value.brief)",
                ])
        }
        var other = before
        trial.subject.put(again, edits, &other)
        try checkSame(other, as: row, "edited a second time by \(label(projection))")
    }

    private func checkSame(_ other: [Value], as row: [Value], _ how: String) throws(LawFinding) {
        guard other != row else { return }
        throw LawFinding(law: .stableBytes, lines: ["the row, \(how), differs:"] + differences(other, row))
    }
}

// MARK: - Words

extension LawWalk {
    private func label(_ projection: Projection) -> String {
        "\(projection.name) at \(trial.subject.tree.name(of: projection.version))"
    }

    private func differences(_ now: [Value], _ before: [Value], only columns: [Int]? = nil) -> [String] {
        (columns ?? Array(now.indices)).filter { now[$0] != before[$0] }.flatMap { place in
            [
                "  column \(trial.hub.columns[place].name)", "    was \(before[place].brief)",
                "    is  \(now[place].brief)",
            ]
        }
    }
}

extension ColumnType {
    /// Whether a column of this type can hold `value`, which is not null.
    fileprivate func holds(_ value: Value) -> Bool {
        switch (self, value) {
        case (.boolean, .bool), (.bigint, .int), (.double, .double), (.numeric, .decimal), (.text, .string),
            (.timestamp, .date), (.uuid, .uuid), (.bytes, .data), (.json, .json):
            true
        default: false
        }
    }
}
