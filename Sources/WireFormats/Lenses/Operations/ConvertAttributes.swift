/// An operation that converts, splits, merges or maps attributes. Each version's form of the attributes has columns of
/// its own, because neither form can express all of the other. A write to one form sets the other through `mapping`.
struct ConvertAttributes: LensOperation {
    let from: [Schema.Attribute]
    let to: [Schema.Attribute]
    let mapping: ValueMapping

    var older: [String] { from.map(\.name) }
    var newer: [String] { to.map(\.name) }
    var fidelity: Fidelity { mapping.fidelity }
    var summary: String {
        "\(older.joined(separator: ", ")) → \(newer.joined(separator: ", ")) by \(mapping.name)"
    }

    var consequence: String? {
        let names = older.joined(separator: ", ")
        return "keep \(names) in a form of their own, which follows what newer versions write through \(mapping.name)"
    }

    func up(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value] {
        try mapping.up(values)
    }

    func down(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value] {
        try mapping.down(values)
    }

    func place(in hub: inout HubEntityBuilder) {
        hub.join(self)
    }
}
