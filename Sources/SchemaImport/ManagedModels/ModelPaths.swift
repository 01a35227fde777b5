/// The paths of Core Data models that were stated for an import.
package struct ModelPaths: Sendable {
    /// True if a model's own folder was stated, and not only a folder that contains one.
    let isNamed: Bool
    /// The folders of versions that were stated individually, in the stated order.
    let order: [String]

    package init(_ paths: [String] = []) {
        let names = paths.map { String($0.split(separator: "/").last ?? "") }
        order = names.filter { $0.hasSuffix(".xcdatamodel") }
        isNamed = !order.isEmpty || names.contains { $0.hasSuffix(".xcdatamodeld") }
    }
}
