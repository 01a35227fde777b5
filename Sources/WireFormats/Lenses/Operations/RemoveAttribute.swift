/// An attribute that the newer version no longer has. Its column is kept. In records that newer versions create, older
/// versions read `substitute`, or the attribute's own default if there is no substitute.
struct RemoveAttribute: LensOperation {
    let attribute: Schema.Attribute
    let substitute: Default?

    var older: [String] { [attribute.name] }
    var newer: [String] { [] }
    var fidelity: Fidelity { .projecting }
    var summary: String { "- \(attribute.name), kept for older versions" }

    var consequence: String? {
        let standard =
            (substitute ?? attribute.default)?.brief ?? (attribute.type.isOptional ? "null" : "the type's zero")
        return "keep it; in records that newer versions make they read \(standard)"
    }

    func up(_ values: [Value], in record: RecordContext) -> [Value] {
        []
    }

    func down(_ values: [Value], in record: RecordContext) -> [Value] {
        [(substitute ?? attribute.default).value(for: attribute.type, named: attribute.name, in: record)]
    }

    func place(in hub: inout HubEntityBuilder) {
        hub.retire(attribute.name)
    }
}
