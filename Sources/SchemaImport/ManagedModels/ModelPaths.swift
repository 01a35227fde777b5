/// The paths of Core Data models that the user named for an import.
package struct ModelPaths: Sendable {
    /// True if the user named the folder of a model or of a version, and not only a folder that contains one.
    let isNamed: Bool
    /// The names of the folders of single versions that the user named, in the same order; empty if there are none.
    let order: [String]

    package init(_ paths: [String] = []) {
        let names = paths.map { String($0.split(separator: "/").last ?? "") }
        order = names.filter { $0.hasSuffix(".xcdatamodel") }
        isNamed = !order.isEmpty || names.contains { $0.hasSuffix(".xcdatamodeld") }
    }
}
