/// One record as every version should read it, kept by the plain meaning of the plan's stages: what a server is tested
/// against.
///
/// Knows neither hub nor projections; see `ChainInterpreter`. One writer at a time: it has no stamps.
package struct ReferenceRecord: Sendable {
    private var chain: ChainInterpreter
    package let id: ID

    /// A record that `version` (a place in `plan.shapes`) creates with `edits`, whose fields are places in its
    /// entity's fields. `nil` where the version syncs no entity of that name.
    package init?(
        _ plan: Plan, creating name: String, by version: Int, edits: [FieldEdit], id: ID, createdAt: Timestamp
    ) throws(LensFailure) {
        guard let entity = ChainEntity(name, in: version, of: plan.tree)
        else { return nil }
        self.id = id
        chain = try ChainInterpreter(
            entity, creating: edits, by: version, in: RecordContext(id: id, createdAt: createdAt))
    }

    /// What `version` makes of the record.
    package mutating func put(_ edits: [FieldEdit], by version: Int) throws(LensFailure) {
        try chain.put(edits, by: version)
    }

    /// What `version` reads, in the order of its entity's fields.
    package func view(in version: Int) -> [Value] {
        chain.records[version]
    }
}

/// Random values for the attributes of one entity in one version: typical, extreme, and those that conversions make
/// something of.
package struct RecordGenerator: Sendable {
    private let generators: [ValueGenerator]

    /// `nil` where the version syncs no entity of that name.
    package init?(_ plan: Plan, of name: String, in version: Int) {
        guard let entity = ChainEntity(name, in: version, of: plan.tree)
        else { return nil }
        generators = TellingValues(entity).generators(entity, version: version)
    }

    /// A value for the field at `place`.
    package func value(_ place: Int, using random: inout SplitMix64) -> Value {
        generators[place].value(using: &random)
    }
}
