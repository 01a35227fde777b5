/// An attribute that the newer version introduces. In records that older versions create, it has its default.
struct AddAttribute: LensOperation {
    let attribute: Schema.Attribute

    var older: [String] { [] }
    var newer: [String] { [attribute.name] }
    var fidelity: Fidelity { .projecting }
    var summary: String { "+ \(attribute.name): \(attribute.type)" }

    var consequence: String? {
        let standard = attribute.default?.brief ?? (attribute.type.isOptional ? "null" : "the type's zero")
        return "do not see it; in records of theirs it holds \(standard)"
    }

    func up(_ values: [Value], in record: RecordContext) -> [Value] {
        [attribute.default.value(for: attribute.type, named: attribute.name, in: record)]
    }

    func down(_ values: [Value], in record: RecordContext) -> [Value] {
        []
    }

    func place(in hub: inout HubEntityBuilder) {
        hub.add(attribute)
    }
}
