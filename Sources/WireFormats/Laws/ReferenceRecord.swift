/// One record as every version should read it, computed from the plan's stages alone. Tests compare servers with it.
///
/// It is independent of the hub and the projections; see `ChainInterpreter`. It has no stamps, so it does not model
/// concurrent edits.
package struct ReferenceRecord: Sendable {
    private var chain: ChainInterpreter
    package let id: ID

    /// Makes a record that `version` creates.
    ///
    /// Returns `nil` if the version syncs no entity called `name`.
    ///
    /// - Parameters:
    ///   - version: the version or historical variant, as an index in `plan.shapes`.
    ///   - edits: the values that the version gives the record. Their fields are indices in the entity's fields.
    package init?(
        _ plan: Plan, creating name: String, by version: Int, edits: [FieldEdit], id: ID, createdAt: Timestamp
    ) throws(LensFailure) {
        guard let entity = ChainEntity(name, in: version, of: plan.tree)
        else { return nil }
        self.id = id
        chain = try ChainInterpreter(
            entity, creating: edits, by: version, in: RecordContext(id: id, createdAt: createdAt))
    }

    /// Applies edits that `version` makes to the record.
    package mutating func put(_ edits: [FieldEdit], by version: Int) throws(LensFailure) {
        try chain.put(edits, by: version)
    }

    /// The values that `version` reads, in the order of its entity's fields.
    package func view(in version: Int) -> [Value] {
        chain.records[version]
    }
}

/// A generator of random values for the attributes of one entity in one version: typical values, extreme values, and
/// values that the plan's conversions treat differently.
package struct RecordGenerator: Sendable {
    private let generators: [ValueGenerator]

    /// Makes a generator. `nil` if the version syncs no entity of that name.
    package init?(_ plan: Plan, of name: String, in version: Int) {
        guard let entity = ChainEntity(name, in: version, of: plan.tree)
        else { return nil }
        generators = TellingValues(entity).generators(entity, version: version)
    }

    /// Draws a value for the field at `index`, which is an index in the entity's fields.
    package func value(_ index: Int, using random: inout SplitMix64) -> Value {
        generators[index].value(using: &random)
    }
}
