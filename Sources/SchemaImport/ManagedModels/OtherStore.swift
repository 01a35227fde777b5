import SourceFacts

/// A framework that stores records, and whose model classes the import cannot read.
enum OtherStore: String, CaseIterable {
    case coreData = "Core Data"
    case realm = "Realm"
    case grdb = "GRDB"
    case tables = "sqlite-data"

    /// Returns advice for the user after an import that found no version.
    static func advice(_ facts: [SourceFacts]) -> String {
        let types = facts.flatMap(\.types)
        for store in OtherStore.allCases {
            let own = all(types).filter(store.isIts)
            guard let first = own.first else { continue }
            let count = own.count == 1 ? "a class" : "one of \(own.count) classes"
            let found = "‘\(first.name)’, \(first.location), is \(count) of \(store.rawValue)"
            return store == .coreData
                ? "\(found), which keeps its models in an ‘.xcdatamodeld’: name that."
                : "\(found), which is not read: ‘syncserver init NAME’ without ‘--from’ makes a package with an "
                    + "example, to be replaced by versions that you write, as docs/coming-from.md shows."
        }
        return "Name the folder that has the app's models, or the ‘.xcdatamodeld’."
    }

    private static func all(_ types: [TypeFact]) -> [TypeFact] { types.flatMap { [$0] + all($0.types) } }

    private func isIts(_ type: TypeFact) -> Bool {
        func inherits(_ names: String...) -> Bool {
            type.inherited.contains { reference in names.contains { reference.isNamed($0) } }
        }
        switch self {
        case .coreData: return inherits("NSManagedObject")
        case .realm: return type.properties.contains { $0.attributes.contains { $0.name.isNamed("Persisted") } }
        case .grdb: return inherits("FetchableRecord", "PersistableRecord", "MutablePersistableRecord", "TableRecord")
        case .tables: return type.attributes.contains { $0.name.isNamed("Table") }
        }
    }
}
