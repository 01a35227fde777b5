/// The values that the plan treats specially, by version and field. They are the examples of conversions, the cases of
/// an enumeration that a neighbouring version reads as a string, and the defaults.
///
/// They are mixed into the random values, which would hardly ever contain `"2 cups"` or a case that only one version
/// has.
struct TellingValues {
    private var values: [[[Value]]]
    /// By version, then by field: functions that return true if a conversion can decode a value. Only codable structs
    /// that a conversion reads need such functions. For every other field, the schema says which values can be read.
    private var readers: [[[ValueMapping.Reader]]]

    init(_ entity: ChainEntity) {
        values = entity.fields.map { $0.map(TellingValues.ownDefaults) }
        readers = entity.fields.map { $0.map { _ in [] } }
        for (stage, steps) in entity.stages.enumerated() {
            for step in steps { learn(step, from: entity.tree.origin(of: stage), to: stage + 1) }
        }
        // At this point nearest neighbours have exchanged their values. One more pass in each direction reaches through
        // renamed and converted generations.
        for stage in entity.stages.indices { share(stage, of: entity, towardsNewer: true) }
        for stage in entity.stages.indices.reversed() { share(stage, of: entity, towardsNewer: false) }
    }

    /// The value generators for the fields of a version.
    func generators(_ entity: ChainEntity, version: Int) -> [ValueGenerator] {
        entity.fields[version].indices.map { index in
            ValueGenerator(
                entity.fields[version][index].type, telling: values[version][index], readers: readers[version][index])
        }
    }

    private static func ownDefaults(_ field: Schema.Attribute) -> [Value] {
        var values = [field.default?.constant(for: field.type.kind) ?? field.type.kind.zero]
        if case .enumeration(_, let cases) = field.type.kind {
            // A neighbour that reads a string may write a text that looks equal to people and has other bytes.
            values += cases.flatMap { [.string($0), .string(lookalike(of: $0)), .string($0.uppercased())] }
        }
        return values
    }

    /// A text that is equal by `String ==` and looks the same, but has other bytes if it contains a letter that Unicode
    /// can encode in two ways.
    private static func lookalike(of text: String) -> String {
        text.unicodeScalars.reduce(into: "") { written, scalar in
            switch scalar {
            case "é": written += "e\u{301}"
            case "K": written += "\u{212A}"
            default: written.unicodeScalars.append(scalar)
            }
        }
    }

    private mutating func learn(_ step: ChainEntity.Step, from older: Int, to newer: Int) {
        for mapping in step.operation.mappings {
            for (index, reader) in zip(step.older, mapping.older.codableReaders) {
                readers[older][index] += reader.map { [$0] } ?? []
            }
            for (index, reader) in zip(step.newer, mapping.newer.codableReaders) {
                readers[newer][index] += reader.map { [$0] } ?? []
            }
            for example in mapping.olderExamples {
                for (index, value) in zip(step.older, example) { values[older][index].append(value) }
                guard let made = try? mapping.up(example) else { continue }
                for (index, value) in zip(step.newer, made) { values[newer][index].append(value) }
            }
        }
    }

    /// The greatest number of special values that are kept for a field. More would only repeat the same test cases.
    private static let countMax = 48

    private mutating func share(_ stage: Int, of entity: ChainEntity, towardsNewer: Bool) {
        let (from, to) = (entity.tree.origin(of: stage), stage + 1)
        for step in entity.stages[stage] where step.older.count == 1 && step.newer.count == 1 {
            let (older, newer) = (values[from][step.older[0]], values[to][step.newer[0]])
            if step.operation.mappings.isEmpty {
                // An attribute that is only carried on must be readable wherever it is converted.
                let (near, far) = (readers[from][step.older[0]], readers[to][step.newer[0]])
                if towardsNewer { readers[to][step.newer[0]] += near } else { readers[from][step.older[0]] += far }
            }
            if towardsNewer {
                values[to][step.newer[0]] = Array((newer + older).prefix(TellingValues.countMax))
            } else {
                values[from][step.older[0]] = Array((older + newer).prefix(TellingValues.countMax))
            }
        }
    }
}

extension LensOperation {
    /// The hand-written conversions that the operation applies.
    fileprivate var mappings: [ValueMapping] {
        switch self {
        case let convert as ConvertAttributes: [convert.mapping]
        case let carry as CarryAttribute:
            (carry.olderSteps + carry.newerSteps).compactMap { step in
                if case .converted(let view) = step { view.mapping } else { nil }
            }
        default: []
        }
    }
}

extension ValueMapping.Side {
    /// For each attribute on this side, the function that returns true if the conversion can decode a value. `nil` for
    /// an attribute that is no codable struct, because the schema describes its values.
    fileprivate var codableReaders: [ValueMapping.Reader?] {
        zip(types, reads).map { $0.kind.isCodable ? $1 : nil }
    }
}

extension AttributeType.Kind {
    /// True if the type is a codable struct, or an array of them. The schema does not describe the JSON of such values.
    fileprivate var isCodable: Bool {
        switch self {
        case .codable: true
        case .array(let element): element.isCodable
        case .bool, .int, .double, .decimal, .string, .date, .uuid, .data, .enumeration, .reference: false
        }
    }
}
